"""Variables over HTTP: five scopes, one that counts."""

import asyncio
from uuid import uuid4

import pytest
from tests.loose_json import JsonValue
from tests.protocols.tavern.story_calls import (
    create_session,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

CHAT = [user_line("?"), reply_line("a", swipes=["a", "b"], swipe_id=0)]


async def put(caller: Caller, **body: JsonValue) -> int:
    status, result = await caller.send("PUT", "/variables", json=body)
    assert status in {200, 201}, result
    return status


async def resolved(caller: Caller, **query: str) -> dict[str, tuple[JsonValue, str]]:
    status, result = await caller.get("/variables/resolve", **query)
    assert status == 200, result
    return {each["key"]: (each["value"], each["scope"]) for each in result["data"]["resolved"]}


# reference §15: the shapes a client relies on
async def test_branch_and_global_variables_are_set_and_resolved(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    await put(caller, scope="branch", session_id=session, branch_id="main", key="gold", value=3)
    await put(caller, scope="global", scope_id="global", key="moon", value={"full": True})

    found = await resolved(caller, session_id=session, branch_id="main")

    assert found == {"gold": (3, "branch"), "moon": ({"full": True}, "global")}


async def test_the_narrowest_scope_counts(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    (floor,) = await read_floors(caller, session)
    page = floor["pages"][1]["id"]
    places = {
        "global": {"scope_id": "global"},
        "chat": {"session_id": session},
        "branch": {"session_id": session, "branch_id": "main"},
        "floor": {"scope_id": floor["id"]},
        "page": {"scope_id": page},
    }
    views = {
        "global": {},
        "branch": {"session_id": session},
        "floor": {"floor_id": floor["id"]},
        "page": {"page_id": page},
    }
    for scope, place in places.items():
        await put(caller, scope=scope, key="x", value=scope, **place)

    seen = {scope: await resolved(caller, **view) for scope, view in views.items()}

    assert seen == {scope: {"x": (scope, scope)} for scope in views}


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, "", "text", [], [1, None], {}, {"资产": {"金币": 3}}]
)
async def test_any_json_value_survives_a_round_trip(caller: Caller, value: JsonValue) -> None:
    await put(caller, scope="global", key="v", value=value)

    assert (await resolved(caller))["v"] == (value, "global")


async def test_a_second_value_replaces_the_first(caller: Caller) -> None:
    statuses = [await put(caller, scope="global", key="k", value=n) for n in (1, 2)]

    assert statuses == [201, 200]
    _, result = await caller.get("/variables", scope="global")
    assert [(each["key"], each["value"]) for each in result["data"]] == [("k", 2)]


async def test_a_new_branch_starts_with_a_copy(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    (floor,) = await read_floors(caller, session)
    here = {"scope": "branch", "session_id": session}
    await put(caller, **here, branch_id="main", key="gold", value=1)
    await caller.post(f"/floors/{floor['id']}/branch", {"branch_id": "alt"})
    await put(caller, **here, branch_id="alt", key="gold", value=2)
    await put(caller, **here, branch_id="main", key="late", value=1)

    on_main = await resolved(caller, session_id=session, branch_id="main")
    on_alt = await resolved(caller, session_id=session, branch_id="alt")

    assert on_main == {"gold": (1, "branch"), "late": (1, "branch")}
    assert on_alt == {"gold": (2, "branch")}


async def test_a_batch_is_stored_as_a_whole_or_not_at_all(caller: Caller) -> None:
    good = {"scope": "global", "key": "a", "value": 1}
    bad = {"scope": "branch", "session_id": str(uuid4()), "key": "b", "value": 1}

    status, _ = await caller.send("PUT", "/variables/batch", json={"items": [good, bad]})
    _, result = await caller.send("PUT", "/variables/batch", json={"items": [good]})

    assert status == 404
    assert result["data"]["meta"] == {"total": 1, "created": 1, "updated": 0}
    assert [each["action"] for each in result["data"]["results"]] == ["created"]


async def test_a_batch_does_not_write_one_variable_twice(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    one = {"scope": "chat", "session_id": session, "key": "k", "value": 1}
    same = {"scope": "chat", "scope_id": session, "key": "k", "value": 2}

    status, result = await caller.send("PUT", "/variables/batch", json={"items": [one, same]})

    assert (status, result["error"]["code"]) == (400, "validation_error")


async def test_returned_scope_id_finds_the_same_scope(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    await put(caller, scope="branch", session_id=session, key="k", value=1)
    _, listed = await caller.get("/variables", scope="branch", session_id=session)
    (found,) = listed["data"]

    status, _ = await caller.send(
        "DELETE",
        "/variables",
        params={"scope": "branch", "scope_id": found["scope_id"], "key": "k"},
    )

    assert status == 200
    assert await resolved(caller, session_id=session) == {}


async def test_a_variable_is_deleted_by_query_or_body_and_only_once(caller: Caller) -> None:
    await put(caller, scope="global", key="k", value=1)
    named = {"scope": "global", "key": "k"}

    first, _ = await caller.send("DELETE", "/variables", json=named)
    second, result = await caller.send("DELETE", "/variables", params=named)

    assert (first, second, result["error"]["code"]) == (200, 404, "not_found")


@pytest.mark.parametrize(
    "body",
    [
        {"scope": "global", "key": "", "value": 1},
        {"scope": "global", "key": "k" * 257, "value": 1},
        {"scope": "global", "key": "k", "value": "v" * 65_536},
        {"scope": "global", "key": "k"},
        {"scope": "world", "key": "k", "value": 1},
        {"scope": "global", "scope_id": "mine", "key": "k", "value": 1},
        {"scope": "chat", "key": "k", "value": 1},
        {"scope": "branch", "branch_id": "main", "key": "k", "value": 1},
        {"scope": "branch", "scope_id": "main", "key": "k", "value": 1},
        {"scope": "floor", "key": "k", "value": 1},
    ],
)
async def test_a_variable_that_cannot_be_kept_is_refused(caller: Caller, body: object) -> None:
    status, result = await caller.send("PUT", "/variables", json=body)

    assert (status, result["error"]["code"]) == (400, "validation_error")


async def test_the_largest_key_and_value_are_kept(caller: Caller) -> None:
    # 64 KiB as JSON, with its two quotes
    await put(caller, scope="global", key="k" * 256, value="v" * (64 * 1024 - 2))

    assert len(await resolved(caller)) == 1


async def test_a_scope_holds_a_thousand_variables_also_when_rivals_add(caller: Caller) -> None:
    async def fill(start: int) -> int:
        items = [{"scope": "global", "key": f"k{n}", "value": n} for n in range(start, start + 100)]
        return (await caller.send("PUT", "/variables/batch", json={"items": items}))[0]

    statuses = await asyncio.gather(*(fill(start) for start in range(0, 1_200, 100)))

    assert sorted(statuses) == [200] * 10 + [409] * 2
    assert len(await resolved(caller)) == 1_000
    over = {"scope": "global", "key": "one more", "value": 1}
    status, result = await caller.send("PUT", "/variables", json=over)
    assert (status, result["error"]["code"]) == (409, "variable_limit_exceeded")


async def test_another_accounts_places_are_not_found(served: Served, caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    (floor,) = await read_floors(caller, session)
    other = await served.account()
    places: list[dict[str, str]] = [
        {"scope": "chat", "session_id": session},
        {"scope": "branch", "session_id": session, "branch_id": "main"},
        {"scope": "floor", "scope_id": floor["id"]},
        {"scope": "page", "scope_id": floor["pages"][0]["id"]},
        {"scope": "floor", "scope_id": "floor_01"},
    ]

    for place in places:
        status, _ = await other.send("PUT", "/variables", json={**place, "key": "k", "value": 1})
        assert status == 404, place
    assert (await other.get("/variables/resolve", session_id=session))[0] == 404


async def test_globals_belong_to_one_account(served: Served, caller: Caller) -> None:
    await put(caller, scope="global", key="k", value=1)

    assert await resolved(await served.account()) == {}
