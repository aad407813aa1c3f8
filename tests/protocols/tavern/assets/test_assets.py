"""Assets over HTTP: every rule for every kind. reference, object model and assets."""

import asyncio
import time
from io import BytesIO

import pytest
from tests.protocols.tavern.asset_files import KINDS, PERSONA, AssetFile, create_asset, patch_asset
from tests.serving import Caller, Served

from yarrow.kit.json import encode_json

EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


@EVERY_KIND
async def test_asset_is_created_and_read_with_its_content(caller: Caller, kind: AssetFile) -> None:
    before = time.time_ns() // 1_000_000
    made = await create_asset(caller, kind)

    status, answer = await caller.get(f"{kind.path}/{made['id']}")

    assert (status, answer) == (200, {"data": made})
    assert encode_json(made["data"]) == encode_json(kind.data)
    assert made["version"] == 1
    assert before <= made["created_at"] <= time.time_ns() // 1_000_000
    assert isinstance(made["updated_at"], int)


@EVERY_KIND
async def test_list_has_assets_without_content(caller: Caller, kind: AssetFile) -> None:
    one, other = await create_asset(caller, kind), await create_asset(caller, kind)

    status, answer = await caller.get(kind.path, limit="1", sort_by="created_at", sort_order="asc")

    assert status == 200
    assert [(item["id"], "data" in item) for item in answer["data"]] == [(one["id"], False)]
    assert answer["meta"] == {
        "total": 2,
        "limit": 1,
        "offset": 0,
        "has_more": True,
        "sort_by": "created_at",
        "sort_order": "asc",
    }
    rest = (await caller.get(kind.path, offset="1", sort_by="created_at", sort_order="asc"))[1]
    assert ([item["id"] for item in rest["data"]], rest["meta"]["has_more"]) == (
        [other["id"]],
        False,
    )


@EVERY_KIND
@pytest.mark.parametrize("method", ["PATCH", "PUT"])
async def test_edit_with_the_version_read_appends_one(
    caller: Caller, kind: AssetFile, method: str
) -> None:
    made = await create_asset(caller, kind)
    path = f"{kind.path}/{made['id']}"

    body = {"data": kind.other, "expected_version": 1}
    status, answer = await caller.send(method, path, json=body)

    assert (status, answer["data"]["version"], answer["data"]["data"]) == (200, 2, kind.other)
    assert answer == (await caller.get(path))[1]


@EVERY_KIND
async def test_stale_edit_is_409_with_both_versions(caller: Caller, kind: AssetFile) -> None:
    made = await create_asset(caller, kind)
    path = f"{kind.path}/{made['id']}"
    await patch_asset(caller, path, {"data": kind.other})

    for word in ("expected_version", "expected_revision"):
        status, answer = await patch_asset(caller, path, {"data": kind.data, word: 1})

        assert (status, answer["error"]["code"]) == (409, "version_conflict")
        assert answer["error"]["details"] == {"expected": 1, "actual": 2}


@EVERY_KIND
async def test_one_of_two_edits_of_the_same_version_wins(caller: Caller, kind: AssetFile) -> None:
    path = f"{kind.path}/{(await create_asset(caller, kind))['id']}"
    body = {"name": "one", "data": kind.other, "expected_version": 1}

    answers = await asyncio.gather(*(patch_asset(caller, path, body) for _ in range(2)))

    assert sorted(status for status, _ in answers) == [200, 409]


@EVERY_KIND
async def test_rename(caller: Caller, kind: AssetFile) -> None:
    path = f"{kind.path}/{(await create_asset(caller, kind))['id']}"

    status, answer = await patch_asset(caller, path, {"name": " New name "})

    assert (status, answer["data"]["name"]) == (200, "New name")


@EVERY_KIND
async def test_versions_rollback_and_comparison(caller: Caller, kind: AssetFile) -> None:
    made = await create_asset(caller, kind)
    path = f"{kind.path}/{made['id']}"
    await patch_asset(caller, path, {"data": kind.other})

    versions = (await caller.get(f"{path}/versions"))[1]
    first = (await caller.get(f"{path}/versions/1"))[1]["data"]
    changes = (await caller.get(f"{path}/compare", left="1", right="2"))[1]["data"]
    back = (await caller.post(f"{path}/rollback", {"version": 1, "expected_version": 2}))[1]["data"]

    assert [item["version"] for item in versions["data"]] == [2, 1]
    assert versions["meta"]["total"] == 2
    assert (first["data"], first["version_id"]) == (kind.data, made["version_id"])
    assert {change["change_type"] for change in changes["changes"]} <= {
        "added",
        "removed",
        "changed",
    }
    assert changes["changes"]
    assert (back["version"], back["data"]) == (3, kind.data)


@EVERY_KIND
async def test_deleted_asset_is_gone(caller: Caller, kind: AssetFile) -> None:
    made = await create_asset(caller, kind)
    path = f"{kind.path}/{made['id']}"

    stale = await caller.send("DELETE", path, params={"expected_version": "9"})
    status, answer = await caller.send("DELETE", path, params={"expected_version": "1"})

    assert stale[0] == 409
    assert (status, answer) == (200, {"data": {"id": made["id"], "deleted": True}})
    assert (await caller.get(path))[0] == 404
    assert (await caller.get(kind.path))[1]["data"] == []
    assert (await caller.send("DELETE", path))[0] == 404


@EVERY_KIND
async def test_another_account_finds_nothing(
    served: Served, caller: Caller, kind: AssetFile
) -> None:
    made = await create_asset(caller, kind)
    path = f"{kind.path}/{made['id']}"
    other = await served.account()

    answers = [
        await other.get(path),
        await other.get(f"{path}/versions"),
        await other.get(f"{path}/versions/1"),
        await other.get(f"{path}/compare", left="1", right="1"),
        await other.post(f"{path}/rollback", {"version": 1}),
        await patch_asset(other, path, {"name": "mine"}),
        await other.send("DELETE", path),
    ]

    assert {(status, answer["error"]["code"]) for status, answer in answers} == {(404, "not_found")}
    assert (await other.get(kind.path))[1]["data"] == []
    assert (await caller.get(path))[1]["data"] == made


UNKNOWN = "9f1c1c1e-5b7c-4c1e-9d53-3c3a4c2b7a10"


@EVERY_KIND
@pytest.mark.parametrize("asset_id", ["nope", UNKNOWN, "..", "x" * 300])
async def test_ids_are_opaque_and_an_unknown_one_is_404(
    caller: Caller, kind: AssetFile, asset_id: str
) -> None:
    status, _ = await caller.get(f"{kind.path}/{asset_id}/versions")

    assert status == 404


@EVERY_KIND
@pytest.mark.parametrize(
    "change, path",
    [
        ({"data": ...}, "data"),
        ({"data": "text"}, "data"),
        ({"name": "n" * 201}, None),
        ({"name": 5}, "name"),
        ({"colour": "red"}, "colour"),
        ({"expected_version": 1}, "expected_version"),
    ],
)
async def test_body_that_breaks_a_rule_is_refused_by_its_field(
    caller: Caller, kind: AssetFile, change: dict[str, object], path: str | None
) -> None:
    body = {key: value for key, value in (kind.body | change).items() if value is not ...}

    status, answer = await caller.post(kind.path, body)

    error = answer["error"]
    assert (status, error["code"]) == (400, "validation_error")
    [detail] = error["details"]
    assert set(detail) == {"path", "message", "code"}
    assert path is None or detail["path"] in {path, "name"}


@EVERY_KIND
@pytest.mark.parametrize("body", [b"{", b"", b"[]", b"null", b'"x"', b"\xff", b"[" * 100_000])
async def test_malformed_json_is_400(caller: Caller, kind: AssetFile, body: bytes) -> None:
    headers = caller.headers | {"Content-Type": "application/json"}

    status, answer = await caller.send("POST", kind.path, data=body, headers=headers)

    assert (status, answer["error"]["code"]) == (400, "validation_error")


@EVERY_KIND
async def test_empty_patch_is_refused(caller: Caller, kind: AssetFile) -> None:
    path = f"{kind.path}/{(await create_asset(caller, kind))['id']}"

    for body in ({}, {"expected_version": 1}):
        assert (await patch_asset(caller, path, body))[0] == 400


@pytest.mark.parametrize(
    "params",
    [
        {"limit": "0"},
        {"limit": "201"},
        {"offset": "-1"},
        {"offset": "99999999999999999999"},
        {"sort_by": "colour"},
        {"sort_order": "up"},
    ],
)
async def test_invalid_list_query_is_refused(caller: Caller, params: dict[str, str]) -> None:
    status, answer = await caller.get("/presets", **params)

    assert (status, answer["error"]["code"]) == (400, "validation_error")
    assert answer["error"]["details"][0]["path"] == next(iter(params))


@pytest.mark.parametrize(
    ("path", "params"), [("/presets/%00/versions", {}), ("/presets", {"search": "a\0b"})]
)
async def test_nul_in_an_address_is_refused(
    caller: Caller, path: str, params: dict[str, str]
) -> None:
    status, answer = await caller.get(path, **params)

    assert (status, answer["error"]["code"]) == (400, "validation_error")


async def test_large_version_numbers_are_refused_or_not_found(caller: Caller) -> None:
    kind = KINDS["preset"]
    path = f"{kind.path}/{(await create_asset(caller, kind))['id']}"

    assert (await caller.get(f"{path}/versions/2147483647"))[0] == 404
    assert (await caller.get(f"{path}/versions/2147483648"))[0] == 400
    assert (await caller.get(f"{path}/compare", left="1", right=str(10**30)))[0] == 400
    assert (await caller.post(f"{path}/rollback", {"version": 2**31}))[0] == 400


async def test_asset_beyond_ten_mebibytes_is_413(caller: Caller) -> None:
    headers = caller.headers | {"Content-Type": "application/json"}
    for size in (10 * 1024 * 1024, 13 * 1024 * 1024):
        body = BytesIO(encode_json({"data": {"a": "x" * size}}))
        status, answer = await caller.send("POST", "/presets", data=body, headers=headers)

        assert (status, answer["error"]["code"]) == (413, "payload_too_large")


async def test_library_needs_a_token(served: Served, caller: Caller) -> None:
    for path in ("/presets", "/characters/x/picture", "/export/preset/x"):
        status, answer = await caller.send("GET", path, headers={})

        assert (status, answer["error"]["code"]) == (401, "unauthorized")


async def test_persona_is_a_name_and_a_description(caller: Caller) -> None:
    status, answer = await caller.post("/users", PERSONA)
    made = answer["data"]

    changed = (await patch_asset(caller, f"/users/{made['id']}", {"description": "Tired."}))[1][
        "data"
    ]

    assert (status, made["name"], made["description"]) == (201, "Player", "Brave.")
    assert (changed["name"], changed["description"], changed["version"]) == ("Player", "Tired.", 2)


async def test_persona_may_come_as_a_snapshot_with_more_in_it(caller: Caller) -> None:
    snapshot = PERSONA | {"pronouns": "they"}

    status, answer = await caller.post("/users", {"snapshot": snapshot})

    assert (status, answer["data"]["data"]) == (201, snapshot)


async def test_one_regex_script_is_a_list_of_one(caller: Caller) -> None:
    script = {"scriptName": "trim", "findRegex": "x"}

    answer = (await caller.post("/regex-profiles", {"name": "One", "data": script}))[1]

    assert answer["data"]["data"] == [script]
