"""Every field of assets, versions, entries and imports, as whole answers.

Fields: reference §15 (assets, import); issue 14 §12 (pictures).
"""

from typing import Any

import pytest
from tests.loose_json import JsonObject, JsonValue
from tests.protocols.tavern.answer_parts import COUNT, HASH, ID, TEXT, TIME, make_meta, read_data
from tests.protocols.tavern.asset_files import (
    KINDS,
    AssetFile,
    create_asset,
    patch_asset,
    read_export,
)
from tests.protocols.tavern.assets.test_pictures import PORTRAIT
from tests.serving import Caller

EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
NAMES = {"/characters": "Luna", "/users": "Player"}
EVERY_NAMED = pytest.mark.parametrize("kind", [KINDS[name] for name in KINDS if name != "user"])


def make_asset(kind: AssetFile, **known: object) -> JsonObject:
    """An asset in a list."""
    return {
        "id": ID,
        "name": kind.body.get("name", NAMES.get(kind.path)),
        "version": 1,
        "version_id": ID,
        "content_hash": HASH,
        "created_at": TIME,
        "updated_at": TIME,
        **known,
    }


def make_whole(kind: AssetFile, **known: object) -> JsonObject:
    top = {"description": "Brave."} if kind.path == "/users" else {}
    return {**make_asset(kind), "data": kind.data, **top, **known}


@EVERY_KIND
async def test_fields_of_an_asset(caller: Caller, kind: AssetFile) -> None:
    made = await create_asset(caller, kind)
    path = f"{kind.path}/{made['id']}"

    assert made == make_whole(kind)
    assert await read_data(caller, path) == make_whole(kind)
    for search, found in ((str(made["name"])[1:].upper(), [make_asset(kind)]), ("nobody", [])):
        _, listed = await caller.get(kind.path, search=search)
        meta = make_meta(len(found), ("updated_at", "desc"))
        assert listed == {"data": found, "meta": meta}
    status, changed = await patch_asset(caller, path, {"name": "New"})
    assert (status, changed["data"]["name"]) == (200, "New")
    status, renamed = await caller.send("PUT", path, json={"name": "Newer"})
    # The name of a card and of a persona is in its content.
    version = 3 if kind.path in NAMES else 1
    assert (status, renamed["data"]["name"], renamed["data"]["version"]) == (200, "Newer", version)
    _, deleted = await caller.send("DELETE", path, params={"expected_version": str(version)})
    assert deleted["data"] == {"id": made["id"], "deleted": True}


@EVERY_KIND
async def test_fields_of_versions(caller: Caller, kind: AssetFile) -> None:
    made = await create_asset(caller, kind)
    path = f"{kind.path}/{made['id']}"
    await patch_asset(caller, path, {"data": kind.other, "expected_version": 1})
    old: JsonObject = {"id": ID, "asset_id": made["id"], "version": 1, "created_at": TIME}
    versions = [{**old, "version": number, "content_hash": HASH} for number in (2, 1)]

    for offset in (0, 1):
        _, listed = await caller.get(f"{path}/versions", limit="1", offset=str(offset))
        meta = make_meta(2, ("version", "desc"), limit=1)
        meta |= {"offset": offset, "has_more": offset == 0}
        assert listed == {"data": [versions[offset]], "meta": meta}
    assert await read_data(caller, f"{path}/versions/1") == make_whole(kind, name=TEXT)
    compared = await read_data(caller, f"{path}/compare", left="1", right="1")
    assert compared == {"left": 1, "right": 1, "changes": []}
    back = {"version": 1, "expected_version": 2}
    status, restored = await caller.post(f"{path}/rollback", back)
    assert (status, restored["data"]) == (200, make_whole(kind, version=3, name=TEXT))


async def test_fields_of_a_change_between_versions(caller: Caller) -> None:
    made = await create_asset(caller, KINDS["user"])
    path = f"/users/{made['id']}"
    await patch_asset(caller, path, {"description": "Tired."})

    changes = (await read_data(caller, f"{path}/compare", left="1", right="2"))["changes"]

    words = {"left": "Brave.", "right": "Tired."}
    assert changes == [{"path": "description", "change_type": "changed", **words}]


@pytest.mark.parametrize(
    ("kind", "key", "fields"),
    [("preset", "identifier", {"identifier": "x"}), ("worldbook", "uid", {"key": ["x"]})],
)
async def test_fields_of_entries(caller: Caller, kind: str, key: str, fields: JsonObject) -> None:
    made = await create_asset(caller, KINDS[kind])
    path = f"{KINDS[kind].path}/{made['id']}/entries"
    _, listed = await caller.get(path)
    count = len(listed["data"])

    status, added = await caller.post(path, {**fields, "content": "A", "expected_version": 1})
    place = f"{path}/{added['data'][key]}"
    _, changed = await patch_asset(caller, place, {"content": "B", "expected_version": 2})
    old = {"expected_version": "2"}
    refused, _ = await caller.send("DELETE", place, params=old)
    _, removed = await caller.send("DELETE", place, params={"expected_version": "3"})

    assert listed["meta"] == make_meta(count, ("order", "asc"), limit=count)
    assert status == 201
    assert (added["data"]["content"], added["meta"]) == ("A", {"version": 2})
    assert (changed["data"], changed["meta"]) == (
        added["data"] | {"content": "B"},
        {"version": 3},
    )
    assert refused == 409
    entry = str(added["data"][key])
    assert removed == {"data": {key: entry, "deleted": True}, "meta": {"version": 4}}


@EVERY_NAMED
async def test_fields_of_imports(caller: Caller, kind: AssetFile) -> None:
    word = name_in_paths(kind)
    if word == "character":
        body = {"payload": kind.data, "create_session": True, "title": "Night"}
        _, imported = await caller.post("/import/character", body)
        session = imported["data"].pop("session")
        character = {"character_id": ID, "character_version_id": ID}
        made = {"name": "Luna", "version": 1, "create_session": True}
        assert imported["data"] == {**character, **made}
        assert session == await read_data(caller, f"/sessions/{session['id']}")
        assert session["title"] == "Night"
        return
    _, imported = await caller.post(f"/import/{word}", {"name": "Mine", "data": kind.data})
    assert imported["data"] == make_asset(kind, name="Mine")


async def test_fields_of_pictures(caller: Caller) -> None:
    made = await create_asset(caller, KINDS["character"])
    path = f"/characters/{made['id']}/picture"

    async def send(method: str, **sent: Any) -> tuple[int, JsonValue]:
        headers = caller.headers | {"Content-Type": "image/png"}
        request = caller.http.request(method, caller.url + path, headers=headers, **sent)
        async with request as answer:
            is_json = answer.content_type == "application/json"
            return answer.status, (await answer.json())["data"] if is_json else None

    optional = {"params": {"optional": "true"}}
    assert await send("GET", **optional) == (204, None)
    replaced = {"character_id": made["id"], "picture_bytes": COUNT}
    assert await send("PUT", data=PORTRAIT) == (200, replaced)
    assert await send("GET", **optional) == (200, None)
    deleted = {"character_id": made["id"], "deleted": True}
    assert await send("DELETE") == (200, deleted)


@EVERY_NAMED
async def test_a_file_of_an_earlier_version_is_exported(caller: Caller, kind: AssetFile) -> None:
    made = await create_asset(caller, kind)
    await patch_asset(caller, f"{kind.path}/{made['id']}", {"data": kind.other})

    path = f"/export/{name_in_paths(kind)}/{made['id']}"

    assert await read_export(caller, f"{path}?version=1") == kind.data
    assert await read_export(caller, path) == kind.other


def name_in_paths(kind: AssetFile) -> str:
    return {"/regex-profiles": "regex"}.get(kind.path, kind.path[1:-1])
