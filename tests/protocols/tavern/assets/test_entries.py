"""Entries of presets and worldbooks, one at a time."""

import pytest
from tests.loose_json import JsonValue
from tests.protocols.tavern.asset_files import KINDS, create_asset, patch_asset
from tests.serving import Caller


@pytest.fixture
async def preset(caller: Caller) -> str:
    return f"/presets/{(await create_asset(caller, KINDS['preset']))['id']}"


@pytest.fixture
async def book(caller: Caller) -> str:
    return f"/worldbooks/{(await create_asset(caller, KINDS['worldbook']))['id']}"


async def identifiers(caller: Caller, preset: str) -> list[tuple[str, bool]]:
    entries = (await caller.get(f"{preset}/entries"))[1]["data"]
    return [(entry["identifier"], entry["enabled"]) for entry in entries]


async def test_entries_are_listed_in_the_order_of_the_prompt(caller: Caller, preset: str) -> None:
    status, answer = await caller.get(f"{preset}/entries")

    assert status == 200
    assert answer["data"][0] == {
        "identifier": "main",
        "name": "Main",
        "role": "system",
        "content": "Write.",
        "enabled": True,
    }
    assert (answer["meta"]["total"], answer["meta"]["has_more"]) == (2, False)


async def test_entry_is_added_changed_and_removed_in_new_versions(
    caller: Caller, preset: str
) -> None:
    new = {"identifier": "style", "content": "Softly.", "odd": {"kept": True}}

    added = await caller.post(f"{preset}/entries", new | {"expected_version": 1})
    changed = await patch_asset(
        caller, f"{preset}/entries/style", {"enabled": False, "content": "Loud."}
    )
    status, removed = await caller.send("DELETE", f"{preset}/entries/main")

    assert added == (201, {"data": new | {"enabled": True}, "meta": {"version": 2}})
    assert changed[1]["data"] == new | {"content": "Loud.", "enabled": False}
    assert (status, removed["data"]) == (200, {"identifier": "main", "deleted": True})
    assert await identifiers(caller, preset) == [("chatHistory", True), ("style", False)]
    assert (await caller.get(preset))[1]["data"]["version"] == 4


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_entries_are_put_in_order(caller: Caller, preset: str, method: str) -> None:
    body = {"identifiers": ["chatHistory"], "expected_version": 1}

    status, answer = await caller.send(method, f"{preset}/entries/reorder", json=body)

    assert status == 200
    assert [entry["identifier"] for entry in answer["data"]] == ["chatHistory", "main"]
    assert await identifiers(caller, preset) == [("chatHistory", True), ("main", True)]


async def test_worldbook_entries_are_known_by_uid(caller: Caller, book: str) -> None:
    entry = {"key": ["realm"], "content": "Wide.", "extensions": {"odd": 1}}

    added = await caller.post(f"{book}/entries", entry)
    changed = await patch_asset(caller, f"{book}/entries/0", {"content": "At peace."})
    removed = await caller.send("DELETE", f"{book}/entries/1")
    entries = (await caller.get(f"{book}/entries"))[1]["data"]

    assert added == (201, {"data": entry | {"uid": 1}, "meta": {"version": 2}})
    assert changed[1]["data"] == {"uid": 0, "key": ["kingdom"], "content": "At peace."}
    assert removed == (200, {"data": {"uid": "1", "deleted": True}, "meta": {"version": 4}})
    assert [entry["uid"] for entry in entries] == [0]


async def test_stale_change_of_an_entry_is_409(caller: Caller, preset: str, book: str) -> None:
    for path, key, body in (
        (preset, "main", {"identifier": "x"}),
        (book, "0", {"key": ["x"]}),
    ):
        stale = {"expected_version": 9}
        answers = [
            await caller.post(f"{path}/entries", body | stale),
            await patch_asset(caller, f"{path}/entries/{key}", {"content": "x"} | stale),
            await caller.send("DELETE", f"{path}/entries/{key}", params={"expected_version": "9"}),
        ]
        assert {(status, result["error"]["code"]) for status, result in answers} == {
            (409, "version_conflict")
        }


async def test_entry_that_is_there_or_not(caller: Caller, preset: str, book: str) -> None:
    taken = await caller.post(f"{preset}/entries", {"identifier": "main"})
    also_taken = await caller.post(f"{book}/entries", {"uid": 0})
    missing = await patch_asset(caller, f"{preset}/entries/gone", {"content": "x"})
    also_missing = await caller.send("DELETE", f"{book}/entries/5")
    reordered = await caller.post(f"{preset}/entries/reorder", {"identifiers": ["gone"]})

    assert [status for status, _ in (taken, also_taken)] == [409, 409]
    assert [status for status, _ in (missing, also_missing, reordered)] == [404, 404, 404]


@pytest.mark.parametrize(
    "method, path, body",
    [
        ("POST", "", []),
        ("POST", "", {}),
        ("POST", "", {"identifier": 5}),
        ("POST", "", {"identifier": "x", "enabled": 1}),
        ("PATCH", "/main", {}),
        ("PATCH", "/main", {"expected_version": 1}),
        ("PATCH", "/main", {"identifier": "other"}),
        ("PATCH", "/main", {"content": "x", "expected_version": "1"}),
        ("POST", "/reorder", {}),
        ("POST", "/reorder", {"identifiers": "main"}),
        ("POST", "/reorder", {"identifiers": ["main", "main"]}),
        ("POST", "/reorder", {"identifiers": [], "colour": "red"}),
    ],
)
async def test_bodies_about_entries_are_checked(
    caller: Caller, preset: str, method: str, path: str, body: JsonValue
) -> None:
    status, answer = await caller.send(method, f"{preset}/entries{path}", json=body)

    assert (status, answer["error"]["code"]) == (400, "validation_error")
