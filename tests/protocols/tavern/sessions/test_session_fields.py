"""Every field of sessions and of what their routes answer, as whole answers.

Fields: reference §1, §15; issue 14 §12 (snapshots).
"""

import pytest
from tests.loose_json import JsonObject
from tests.protocols.tavern.answer_parts import COUNT, ID, TIME, make_meta, read_data
from tests.protocols.tavern.asset_files import fetch
from tests.protocols.tavern.story_calls import (
    create_character,
    create_session,
    create_stored_asset,
    import_lines,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.assets.model import AssetKind

VERSIONS = {
    "character_id": "character_version_id",
    "preset_id": "preset_version_id",
    "worldbook_profile_id": "worldbook_version_id",
    "regex_profile_id": "regex_profile_version_id",
}
ASSETS: dict[str, tuple[AssetKind, JsonObject]] = {
    "preset_id": (AssetKind.PRESET, {"prompts": []}),
    "worldbook_profile_id": (AssetKind.WORLDBOOK, {"entries": {}}),
    "regex_profile_id": (AssetKind.REGEX_PROFILE, {"scripts": []}),
    "user_id": (AssetKind.PERSONA, {"name": "Ada"}),
}
SESSION: JsonObject = {
    "id": ID,
    "title": None,
    "status": "active",
    **dict.fromkeys((*ASSETS, "character_id"), None),
    **dict.fromkeys(VERSIONS.values(), None),
    "character_version": None,
    "character_sync_policy": "pin",
    "deep_binding": False,
    "prompt_mode": None,
    "model_provider": None,
    "model_name": None,
    "model_params": None,
    "metadata": {},
    "message_count": 0,
    "created_at": TIME,
    "updated_at": TIME,
}
PLAIN: JsonObject = {
    "title": "Night",
    "status": "archived",
    "character_sync_policy": "force",
    "prompt_mode": "native",
    "model_provider": "openai",
    "model_name": "gpt",
    "model_params": {"timeout_ms": 900},
    "metadata": {"a": 1},
}


async def create_assets(served: Served, caller: Caller) -> tuple[JsonObject, JsonObject]:
    """An asset of each kind: the ids of the assets and of their versions."""
    made = {
        name: await create_stored_asset(served, caller, kind, content, "Mine")
        for name, (kind, content) in ASSETS.items()
    }
    made["character_id"] = await create_character(served, caller)
    ids = {name: str(asset.id) for name, asset in made.items()}
    versions = {VERSIONS[name]: str(made[name].version_id) for name in VERSIONS}
    return ids, versions


@pytest.mark.parametrize("name", PLAIN)
async def test_each_plain_field_is_taken_and_shown(caller: Caller, name: str) -> None:
    field = {name: PLAIN[name]}
    created = await create_session(caller, **field)
    plain = await create_session(caller)

    _, changed = await caller.send("PATCH", f"/sessions/{plain['id']}", json=field)

    assert plain == SESSION
    assert created == SESSION | field
    assert changed["data"] == SESSION | field
    assert await read_data(caller, f"/sessions/{plain['id']}") == changed["data"]
    listed = await caller.get("/sessions", status=created["status"], limit="1")
    meta = make_meta(2, ("updated_at", "desc"), limit=1) | {"has_more": True}
    assert listed[1] == {"data": [changed["data"]], "meta": meta}


@pytest.mark.parametrize("nests", [False, True])
async def test_bound_assets_and_pinned_versions_are_taken_and_shown(
    served: Served, caller: Caller, nests: bool
) -> None:
    ids, versions = await create_assets(served, caller)
    body = {**ids, **({"deep_binding": versions} if nests else versions)}
    bound = SESSION | ids | versions | {"character_version": 1, "deep_binding": True}

    created = await create_session(caller, **body)
    plain = await create_session(caller)
    _, changed = await caller.send("PATCH", f"/sessions/{plain['id']}", json=body)

    assert created == bound | {"message_count": 3}
    assert changed["data"] == bound | {"message_count": COUNT}
    for name in ids:
        _, unbound = await caller.send("PATCH", f"/sessions/{plain['id']}", json={name: None})
        assert unbound["data"][name] is None


async def test_fields_of_batches_and_deletions(caller: Caller) -> None:
    one, two = [(await create_session(caller))["id"] for _ in range(2)]
    body = {"ids": [one, "nobody"], "status": "archived"}
    _, changed = await caller.send("PATCH", "/sessions/batch/status", json=body)
    _, deleted = await caller.post("/sessions/batch/delete", {"ids": [one, "nobody"]})
    _, single = await caller.send("DELETE", f"/sessions/{two}")

    for answer, action in ((changed, "updated"), (deleted, "deleted")):
        assert answer["data"] == {
            "results": [
                {"index": 0, "id": one, "action": action},
                {"index": 1, "id": "nobody", "action": "not_found"},
            ],
            "meta": {"total": 2, action: 1, "not_found": 1},
        }
    assert single["data"] == {"id": two, "deleted": True}


async def test_fields_of_an_imported_chat(served: Served, caller: Caller) -> None:
    header: JsonObject = {"user_name": "Ada", "character_name": "Mira", "chat_metadata": {}}
    lines = [header, user_line("Hi."), reply_line("Yes.")]
    mira = await create_character(served, caller)

    status, answer = await caller.post("/import/chat", {"data": lines})
    titled = await import_lines(caller, lines, title="Mine", character_id=str(mira.id))

    result = {"title": "Mira", "floor_count": 1, "message_count": 2, "warnings": []}
    assert (status, answer["data"]) == (201, {"session_id": ID, **result})
    session = await read_data(caller, f"/sessions/{titled}")
    assert (session["title"], session["character_id"]) == ("Mine", str(mira.id))


async def test_headers_of_an_exported_chat(caller: Caller) -> None:
    session = await import_lines(caller, [user_line("Hi.")], title="a/月")

    _, _, headers = await fetch(caller, f"/export/chat/{session}")

    assert headers["content-type"].split(";")[0] == "application/x-ndjson"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-disposition"] == (
        "attachment; filename=\"a__.jsonl\"; filename*=UTF-8''a_%E6%9C%88.jsonl"
    )


async def test_fields_of_a_taken_character(served: Served, caller: Caller) -> None:
    mira = await create_character(served, caller)
    session = await create_session(caller, character_id=str(mira.id))

    path = f"/sessions/{session['id']}/character/sync"
    refused, _ = await caller.post(path, {"nobody": 1})
    status, answer = await caller.post(path, {"force": True})

    assert (refused, status) == (400, 200)
    assert answer["data"] == session | {"updated_at": TIME}
