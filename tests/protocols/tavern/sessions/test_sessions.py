"""Sessions of stories over HTTP."""

import asyncio
from uuid import uuid4

import pytest
from tests.protocols.tavern.story_calls import (
    CARD,
    create_character,
    create_preset,
    create_session,
    create_stored_asset,
    edit_content,
    import_lines,
    read_floors,
    user_line,
)
from tests.serving import Caller, Served, run_body
from yarl import URL

from yarrow.assets.model import AssetKind


async def test_a_new_session_is_active_and_bound_to_nothing(caller: Caller) -> None:
    session = await create_session(caller, title="Campfire")

    assert (session["title"], session["status"]) == ("Campfire", "active")
    assert session["character_id"] is session["preset_id"] is session["user_id"] is None
    assert session["character_sync_policy"] == "pin"
    assert isinstance(session["created_at"], int)
    assert session["created_at"] > 1_700_000_000_000
    assert await read_floors(caller, session["id"]) == []


async def test_a_character_writes_its_greetings_as_floor_0(served: Served, caller: Caller) -> None:
    mira = await create_character(served, caller)
    persona = await create_stored_asset(served, caller, AssetKind.PERSONA, {"name": "Ada"})

    session = await create_session(caller, character_id=str(mira.id), user_id=str(persona.id))

    (floor,) = await read_floors(caller, session["id"])
    assert (floor["floor_no"], floor["state"], floor["parent_floor_id"]) == (0, "committed", None)
    assert [m["content"] for m in floor["messages"]] == ["Mira nods at Ada."]
    assert [page["page_kind"] for page in floor["pages"]] == ["output"] * 3
    assert [page["is_active"] for page in floor["pages"]] == [True, False, False]


async def test_imported_character_can_start_a_session(caller: Caller) -> None:
    body = {"payload": CARD, "create_session": True, "title": "First night"}

    status, result = await caller.post("/import/character", body)

    assert status == 201
    session = result["data"]["session"]
    assert session["character_id"] == result["data"]["character_id"]
    assert session["title"] == "First night"
    assert len(await read_floors(caller, session["id"])) == 1


async def test_only_the_two_names_are_expanded_when_a_greeting_is_shown(
    served: Served, caller: Caller
) -> None:
    mira = await create_character(served, caller)
    session = await create_session(caller, character_id=str(mira.id))

    (floor,) = await read_floors(caller, session["id"])

    shown = [page["message"]["content"] for page in floor["pages"]]
    assert shown == ["Mira nods at User.", "Hello, User.", "It rains. {{roll:1d6}}"]


async def test_messages_are_stored_without_expanding_macros(caller: Caller) -> None:
    session = await import_lines(caller, [user_line("I am {{user}}")])

    (floor,) = await read_floors(caller, session)

    assert floor["messages"][0]["content"] == "I am {{user}}"


async def test_bindings_change_and_null_unbinds_them(served: Served, caller: Caller) -> None:
    calm = await create_preset(served, caller)
    session = await create_session(caller)

    _, bound = await caller.send(
        "PATCH", f"/sessions/{session['id']}", json={"preset_id": str(calm.id), "title": "New"}
    )
    _, loosed = await caller.send("PATCH", f"/sessions/{session['id']}", json={"preset_id": None})

    assert (bound["data"]["preset_id"], bound["data"]["title"]) == (str(calm.id), "New")
    assert (loosed["data"]["preset_id"], loosed["data"]["title"]) == (None, "New")


async def test_unknown_asset_is_not_found_and_a_wrong_kind_refused(
    served: Served, caller: Caller
) -> None:
    mira = await create_character(served, caller)
    other = await served.account()
    foreign = await create_preset(served, other)
    path = f"/sessions/{(await create_session(caller))['id']}"

    for given in (str(uuid4()), "preset_001", str(foreign.id)):
        status, result = await caller.send("PATCH", path, json={"preset_id": given})
        assert (status, result["error"]["code"]) == (404, "not_found")
    status, result = await caller.send("PATCH", path, json={"preset_id": str(mira.id)})
    assert (status, result["error"]["code"]) == (400, "validation_error")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"colour": "red"},
        {"status": "gone"},
        {"prompt_mode": "loose"},
        {"title": 3},
        {"metadata": []},
        {"character_sync_policy": None},
    ],
)
async def test_a_patch_that_makes_no_sense_is_refused(caller: Caller, body: object) -> None:
    session = await create_session(caller)

    status, result = await caller.send("PATCH", f"/sessions/{session['id']}", json=body)

    assert (status, result["error"]["code"]) == (400, "validation_error")


async def test_another_accounts_session_is_not_found(served: Served, caller: Caller) -> None:
    session = await create_session(caller)
    other = await served.account()
    path = f"/sessions/{session['id']}"
    sent = [
        ("GET", path, None),
        ("PATCH", path, {"title": "mine"}),
        ("DELETE", path, None),
        ("GET", f"{path}/timeline", None),
        ("GET", f"{path}/branches", None),
        ("GET", f"{path}/prompt-runtime/policy", None),
        ("GET", f"/export/chat/{session['id']}", None),
        ("GET", f"/floors?session_id={session['id']}", None),
    ]

    for method, address, body in sent:
        status, result = await other.send(method, address, json=body)
        assert (status, result["error"]["code"]) == (404, "not_found"), address
    assert (await caller.get(path))[0] == 200


async def test_an_id_that_is_no_uuid_is_not_found(caller: Caller) -> None:
    status, result = await caller.get("/sessions/sess_001")

    assert (status, result["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/sessions?search=%00"),
        ("GET", "/sessions/{id}/timeline?branch_id=%00"),
        ("DELETE", "/sessions/{id}/branches/%00"),
        ("GET", "/variables?scope=branch&session_id={id}&branch_id=%00"),
        ("DELETE", "/variables?scope=global&key=%00"),
        ("GET", "/export/chat/{id}?branch_id=%00"),
    ],
)
async def test_the_nul_character_is_refused(caller: Caller, method: str, path: str) -> None:
    session = await create_session(caller)

    address = URL(caller.url + path.format(id=session["id"]), encoded=True)
    async with caller.http.request(method, address, headers=caller.headers) as answer:
        result = await answer.json()

    assert (answer.status, result["error"]["code"]) == (400, "validation_error")


async def test_an_archived_session_is_read_and_not_written(served: Served, caller: Caller) -> None:
    mira = await create_character(served, caller)
    session = await create_session(caller, character_id=str(mira.id), status="archived")
    path = f"/sessions/{session['id']}"
    (floor,) = await read_floors(caller, session["id"])
    page = floor["pages"][1]["id"]
    here = {"scope": "chat", "session_id": session["id"], "key": "k", "value": 1}

    for method, address, body in [
        ("PATCH", path, {"title": "x"}),
        ("POST", f"{path}/character/sync", {"force": True}),
        ("PATCH", f"{path}/prompt-runtime/policy", {"budget": {"max_input_tokens": 9}}),
        ("PATCH", f"{path}/prompt-runtime/mode", {"mode": "native"}),
        ("PATCH", f"/pages/{page}/activate", None),
        ("PATCH", f"/messages/{page}", {"is_hidden": True}),
        ("POST", f"/floors/{floor['id']}/branch", {}),
        ("PUT", "/variables", here),
    ]:
        status, result = await caller.send(method, address, json=body)
        assert (status, result["error"]["code"]) == (409, "session_archived"), address
    assert (await caller.get(path))[1]["data"]["status"] == "archived"
    status, result = await caller.send("PATCH", path, json={"status": "active", "title": "x"})
    assert (status, result["data"]["title"]) == (200, "x")


async def test_deleted_session_is_gone(caller: Caller) -> None:
    session = await create_session(caller)

    status, result = await caller.send("DELETE", f"/sessions/{session['id']}")

    assert (status, result["data"]) == (200, {"id": session["id"], "deleted": True})
    assert (await caller.get(f"/sessions/{session['id']}"))[0] == 404
    assert (await caller.send("DELETE", f"/sessions/{session['id']}"))[0] == 404


async def test_list_is_filtered_and_paged(served: Served, caller: Caller) -> None:
    mira = await create_character(served, caller)
    await create_session(caller, title="Rain at 100%")
    await create_session(caller, title="Snow", status="archived")
    await create_session(caller, title="Rainbow", character_id=str(mira.id))

    async def titles(**query: str) -> list[str]:
        _, result = await caller.get("/sessions", sort_by="title", sort_order="asc", **query)
        return [session["title"] for session in result["data"]]

    assert await titles() == ["Rain at 100%", "Rainbow", "Snow"]
    assert await titles(status="archived") == ["Snow"]
    assert await titles(search="rain") == ["Rain at 100%", "Rainbow"]
    assert await titles(search="%") == ["Rain at 100%"]
    assert await titles(character_id=str(mira.id)) == ["Rainbow"]
    _, result = await caller.get("/sessions", limit="2", offset="0")
    assert (result["meta"]["total"], result["meta"]["has_more"]) == (3, True)


async def test_sessions_of_other_agents_are_no_stories(caller: Caller) -> None:
    body = run_body("hello")
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])

    assert (await caller.get("/sessions"))[1]["data"] == []
    assert (await caller.get(f"/sessions/{body['threadId']}"))[0] == 404


async def test_character_takes_a_newer_version_as_its_policy_says(
    served: Served, caller: Caller
) -> None:
    mira = await create_character(served, caller)
    by_policy = {
        policy: await create_session(
            caller, character_id=str(mira.id), character_sync_policy=policy
        )
        for policy in ("pin", "manual", "force")
    }
    await edit_content(served, mira, data=CARD["data"] | {"description": "Older now."})

    async def version(policy: str) -> int:
        _, result = await caller.get(f"/sessions/{by_policy[policy]['id']}")
        return int(result["data"]["character_version"])

    async def sync(policy: str, **body: bool) -> int:
        path = f"/sessions/{by_policy[policy]['id']}/character/sync"
        return (await caller.post(path, body))[0]

    assert [await version(policy) for policy in by_policy] == [1, 1, 2]
    assert [await sync(policy) for policy in by_policy] == [409, 200, 200]
    assert [await version(policy) for policy in by_policy] == [1, 2, 2]
    assert await sync("pin", force=True) == 200
    assert await version("pin") == 2


async def test_sync_without_a_character_is_refused(caller: Caller) -> None:
    session = await create_session(caller)

    status, result = await caller.send("POST", f"/sessions/{session['id']}/character/sync")

    assert (status, result["error"]["code"]) == (409, "invalid_state")


@pytest.mark.parametrize("is_v1", [False, True])
async def test_a_greeting_has_the_name_of_the_version_that_prompts_have(
    caller: Caller, is_v1: bool
) -> None:
    payload = CARD["data"] if is_v1 else CARD
    _, made = await caller.post("/import/character", {"payload": payload, "create_session": True})
    story = f"/sessions/{made['data']['session']['id']}"
    character = f"/characters/{made['data']['character_id']}"

    async def read_names() -> list[str]:
        _, timeline = await caller.get(f"{story}/timeline")
        (greeting,) = timeline["data"]["floors"][0]["messages"]
        _, preview = await caller.post(f"{story}/prompt-runtime/preview", {"text": "{{char}}"})
        _, assets = await caller.get(f"{story}/prompt-runtime/assets")
        name = assets["data"]["character"]["name"]
        return [greeting["name"], greeting["content"], preview["data"]["text"], name]

    status, _ = await caller.send("PATCH", character, json={"name": "Nell"})
    assert status == 200
    assert await read_names() == ["Mira", "Mira nods at User.", "Mira", "Mira"]
    await caller.send("POST", f"{story}/character/sync", json={"force": True})
    assert await read_names() == ["Nell", "Nell nods at User.", "Nell", "Nell"]


async def test_deep_binding_holds_the_version_that_was_bound(
    served: Served, caller: Caller
) -> None:
    calm = await create_preset(served, caller)
    held = await create_session(caller, preset_id=str(calm.id), deep_binding=True)
    free = await create_session(caller, preset_id=str(calm.id))
    newer = await edit_content(served, calm, temperature=1)

    async def used(session: str) -> tuple[int, bool]:
        _, result = await caller.get(f"/sessions/{session}/prompt-runtime/assets")
        return result["data"]["preset"]["version"], result["data"]["preset"]["pinned"]

    assert await used(held["id"]) == (1, True)
    assert held["preset_version_id"] == str(calm.version_id)
    assert await used(free["id"]) == (2, False)
    await caller.send("PATCH", f"/sessions/{held['id']}", json={"deep_binding": False})
    assert await used(held["id"]) == (2, False)
    body = {"deep_binding": {"preset_version_id": str(newer.version_id)}}
    await caller.send("PATCH", f"/sessions/{free['id']}", json=body)
    assert await used(free["id"]) == (2, True)


async def test_version_of_another_asset_is_refused(served: Served, caller: Caller) -> None:
    calm, wild = await create_preset(served, caller), await create_preset(served, caller, "Wild")
    session = await create_session(caller, preset_id=str(calm.id))

    status, result = await caller.send(
        "PATCH", f"/sessions/{session['id']}", json={"preset_version_id": str(wild.version_id)}
    )

    assert (status, result["error"]["code"]) == (400, "validation_error")


async def test_batch_reports_the_outcome_of_each_id(caller: Caller) -> None:
    one, two = [(await create_session(caller))["id"] for _ in range(2)]

    _, archived = await caller.post(
        "/sessions/batch/status", {"ids": [one, "missing"], "status": "archived"}
    )
    _, deleted = await caller.post("/sessions/batch/delete", {"ids": [two, str(uuid4())]})

    assert [each["action"] for each in archived["data"]["results"]] == ["updated", "not_found"]
    assert [each["action"] for each in deleted["data"]["results"]] == ["deleted", "not_found"]
    assert (await caller.get(f"/sessions/{one}"))[1]["data"]["status"] == "archived"
    assert (await caller.get(f"/sessions/{two}"))[0] == 404


async def test_two_patches_at_once_both_hold(caller: Caller) -> None:
    session = await create_session(caller)
    path = f"/sessions/{session['id']}"

    for n in range(5):
        await asyncio.gather(
            caller.send("PATCH", path, json={"title": f"t{n}"}),
            caller.send("PATCH", path, json={"metadata": {"n": n}}),
            caller.send("PATCH", path, json={"model_name": f"m{n}"}),
        )
        _, result = await caller.get(path)
        found = result["data"]
        assert (found["title"], found["metadata"], found["model_name"]) == (
            f"t{n}",
            {"n": n},
            f"m{n}",
        )


async def test_archiving_many_and_a_patch_at_once_both_hold(caller: Caller) -> None:
    for _ in range(5):
        session = await create_session(caller)
        path = f"/sessions/{session['id']}"

        (patched, _), _ = await asyncio.gather(
            caller.send("PATCH", path, json={"title": "t"}),
            caller.post("/sessions/batch/status", {"ids": [session["id"]], "status": "archived"}),
        )

        found = (await caller.get(path))[1]["data"]
        assert found["status"] == "archived"
        assert (patched, found["title"]) in {(200, "t"), (409, None)}


async def test_deleting_while_listing_causes_no_errors(caller: Caller) -> None:
    sessions = [(await create_session(caller))["id"] for _ in range(20)]

    answers = await asyncio.gather(
        *(caller.send("DELETE", f"/sessions/{session}") for session in sessions),
        *(caller.get("/sessions") for _ in range(20)),
    )

    assert {status for status, _ in answers} == {200}
    assert (await caller.get("/sessions"))[1]["data"] == []


async def test_policy_is_merged_deeply_and_null_clears(caller: Caller) -> None:
    path = f"/sessions/{(await create_session(caller))['id']}/prompt-runtime/policy"
    first = {"structure": {"mode": "flattened"}, "budget": {"max_input_tokens": 100}}
    await caller.send("PATCH", path, json=first)

    change = {"structure": {"preserve_system_messages": False}, "budget": None}
    status, _ = await caller.send("PATCH", path, json=change)

    assert status == 200
    assert (await caller.get(path))[1]["data"]["policy"] == {
        "structure": {"mode": "flattened", "preserve_system_messages": False}
    }


@pytest.mark.parametrize(
    "policy",
    [
        {"budget": {"max_input_tokens": 0}},
        {"structure": {"mode": "sideways"}},
        {"source_selection": {"history": {"max_messages": "many"}}},
        {"weather": {}},
    ],
)
async def test_policy_that_makes_no_sense_is_refused(caller: Caller, policy: object) -> None:
    path = f"/sessions/{(await create_session(caller))['id']}/prompt-runtime/policy"

    status, result = await caller.send("PATCH", path, json=policy)

    assert (status, result["error"]["code"]) == (400, "validation_error")


async def test_mode_is_the_default_until_it_is_chosen(caller: Caller) -> None:
    path = f"/sessions/{(await create_session(caller))['id']}/prompt-runtime/mode"

    _, before = await caller.get(path)
    _, chosen = await caller.send("PATCH", path, json={"mode": "native"})

    assert (before["data"]["mode"], before["data"]["source"]) == ("compat_strict", "default")
    assert (chosen["data"]["mode"], chosen["data"]["source"]) == ("native", "session")


async def test_capabilities_name_scopes_narrowest_first(caller: Caller) -> None:
    _, result = await caller.get("/prompt-runtime/capabilities")

    # reference: page > floor > branch > chat > global
    assert result["data"]["variable_scopes"] == ["page", "floor", "branch", "chat", "global"]
    assert result["data"]["prompt_modes"] == ["compat_strict", "compat_plus", "native"]
