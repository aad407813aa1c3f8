"""Timelines, branches, pages and messages over HTTP."""

import asyncio
from uuid import UUID, uuid4

from tests.loose_json import JsonObject
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.story_calls import (
    create_character,
    create_session,
    import_lines,
    read_floors,
    reply_line,
    user_line,
)
from tests.serving import Caller, Served

from yarrow.db import Database
from yarrow.ids import SessionId
from yarrow.sessions import store as sessions

CHAT = [
    reply_line("Welcome."),
    user_line("one?"),
    reply_line("one.", swipes=["eins.", "one.", "uno."], swipe_id=1),
    user_line("two?"),
    reply_line("two."),
]


def texts(floor: JsonObject) -> list[str]:
    return [message["content"] for message in floor["messages"]]


async def test_timeline_has_the_floors_in_order_with_their_parents(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)

    shown = await read_floors(caller, session)

    assert [floor["floor_no"] for floor in shown] == [0, 1, 2]
    assert [texts(floor) for floor in shown] == [["Welcome."], ["one?", "one."], ["two?", "two."]]
    assert [floor["parent_floor_id"] for floor in shown] == [None, shown[0]["id"], shown[1]["id"]]
    assert {floor["branch_id"] for floor in shown} == {"main"}
    assert [page["page_kind"] for page in shown[1]["pages"]] == ["input"] + ["output"] * 3


async def test_timeline_can_be_read_in_parts(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)

    _, result = await caller.get(f"/sessions/{session}/timeline", limit="1", offset="1")

    assert [floor["floor_no"] for floor in result["data"]["floors"]] == [1]
    assert result["data"]["total"] == 3


async def test_each_part_of_a_forked_timeline_is_cut_from_the_whole(caller: Caller) -> None:
    lines = [line for n in range(4) for line in (user_line(f"{n}?"), reply_line(f"{n}."))]
    session = await import_lines(caller, [reply_line("Welcome."), *lines])
    fork = (await read_floors(caller, session))[-1]["id"]
    status, _ = await caller.post(f"/floors/{fork}/branch", {"branch_id": "alt"})
    assert status == 201
    await respond(caller, session, "on main?")
    await respond(caller, session, "new?", branch_id="alt")
    path = f"/sessions/{session}/timeline"
    floors = await read_floors(caller, session, "alt")
    assert [texts(floor)[0] for floor in floors] == ["Welcome.", "0?", "1?", "2?", "3?", "new?"]

    for offset in range(8):
        for limit in (1, 2, 4, 9):
            part = {"branch_id": "alt", "limit": str(limit), "offset": str(offset)}
            _, result = await caller.get(path, **part)
            assert result["data"]["floors"] == floors[offset : offset + limit]
            assert result["data"]["total"] == 6


async def test_activating_a_page_replaces_the_active_one(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    pages = (await read_floors(caller, session))[1]["pages"]
    expected_value = next(page for page in pages if page["message"]["content"] == "uno.")

    status, result = await caller.send("PATCH", f"/pages/{expected_value['id']}/activate")

    assert (status, result["data"]["is_active"]) == (200, True)
    assert texts((await read_floors(caller, session))[1]) == ["one?", "uno."]


async def test_an_input_page_is_not_activated(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    page = (await read_floors(caller, session))[1]["pages"][0]

    status, result = await caller.send("PATCH", f"/pages/{page['id']}/activate")

    assert (status, result["error"]["code"]) == (400, "validation_error")


async def test_rival_choices_leave_one_active_page(caller: Caller, database: Database) -> None:
    session = await import_lines(caller, CHAT)
    pages = (await read_floors(caller, session))[1]["pages"][1:]

    for _ in range(5):
        answers = await asyncio.gather(
            *(caller.send("PATCH", f"/pages/{page['id']}/activate") for page in pages * 3)
        )
        assert {status for status, _ in answers} == {200}
        shown = (await read_floors(caller, session))[1]["pages"][1:]
        assert [page["is_active"] for page in shown].count(True) == 1


async def test_history_and_context_of_other_agents_skip_inactive_pages(
    caller: Caller, database: Database
) -> None:
    session = await import_lines(caller, CHAT)
    result = ["Welcome.", "one?", "one.", "two?", "two."]

    _, full = await caller.get("/api/v1/agent/history", threadId=session)
    _, day = await caller.get("/api/v1/agent/history", threadId=session, scope="history_day")
    async with database.connection() as tx:
        received = await sessions.read_answered(tx, SessionId(UUID(session)))

    assert [message["content"] for message in full["messages"]] == result
    assert [message["content"] for message in day["messages"]] == result
    assert [message.content for message in received] == result


async def test_latest_answer_is_the_active_page(caller: Caller) -> None:
    await import_lines(
        caller, [user_line("?"), reply_line("b", swipes=["a", "b", "c"], swipe_id=1)]
    )

    _, result = await caller.get("/api/v1/agent/history")

    assert [message["content"] for message in result["messages"]] == ["b"]


async def test_fork_continues_after_its_floor(caller: Caller) -> None:
    session = (await create_session(caller))["id"]
    for text in ("zero?", "one?", "two?"):
        await respond(caller, session, text)
    shown = await read_floors(caller, session)

    status, result = await caller.post(f"/floors/{shown[1]['id']}/branch", {"branch_id": "alt"})

    assert status == 201
    assert (result["data"]["branch_id"], result["data"]["parent_branch_id"]) == ("alt", "main")
    assert (result["data"]["source_floor_no"], result["data"]["materialized"]) == (1, False)
    on_alt = await read_floors(caller, session, "alt")
    assert [floor["id"] for floor in on_alt] == [shown[0]["id"], shown[1]["id"]]
    _, listed = await caller.get(f"/sessions/{session}/branches")
    assert [branch["branch_id"] for branch in listed["data"]] == ["main", "alt"]


async def test_a_fork_without_a_name_gets_one(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    floor = (await read_floors(caller, session))[-1]["id"]

    names = {(await caller.post(f"/floors/{floor}/branch"))[1]["data"]["id"] for _ in range(3)}

    assert len(names) == 3
    assert all(name.startswith("branch-") and len(name) == 15 for name in names)


async def test_branch_name_is_unique(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    floor = (await read_floors(caller, session))[-1]["id"]

    answers = await asyncio.gather(
        *(caller.post(f"/floors/{floor}/branch", {"branch_id": "b"}) for _ in range(8))
    )

    assert sorted(status for status, _ in answers) == [201] + [409] * 7
    status, result = await caller.post(f"/floors/{floor}/branch", {"branch_id": "main"})
    assert (status, result["error"]["code"]) == (409, "branch_exists")


async def test_a_branch_name_must_fit_into_an_address(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    floor = (await read_floors(caller, session))[-1]["id"]

    for name in ("", "a/b", " a", "a\nb", "x" * 129):
        status, result = await caller.post(f"/floors/{floor}/branch", {"branch_id": name})
        assert (status, result["error"]["code"]) == (400, "validation_error"), name


async def test_deleted_branch_takes_its_forks_along_and_frees_its_name(
    caller: Caller,
) -> None:
    session = await import_lines(caller, CHAT)
    shown = await read_floors(caller, session)
    await caller.post(f"/floors/{shown[-1]['id']}/branch", {"branch_id": "alt"})
    own = (await respond(caller, session, "three?", branch_id="alt"))["floor_id"]
    await caller.post(f"/floors/{own}/branch", {"branch_id": "child"})

    status, _ = await caller.send("DELETE", f"/sessions/{session}/branches/alt")

    assert status == 200
    _, listed = await caller.get(f"/sessions/{session}/branches")
    assert [branch["branch_id"] for branch in listed["data"]] == ["main"]
    assert (await caller.get(f"/floors/{own}"))[0] == 404
    assert len(await read_floors(caller, session)) == 3
    again, _ = await caller.post(f"/floors/{shown[-1]['id']}/branch", {"branch_id": "alt"})
    assert again == 201


async def test_a_fork_does_not_guess_the_state_of_an_imported_floor(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    floor = (await read_floors(caller, session))[1]["id"]

    status, result = await caller.post(f"/floors/{floor}/branch", {"branch_id": "alt"})

    assert (status, result["error"]["code"]) == (409, "branch_local_snapshot_missing")
    _, listed = await caller.get(f"/sessions/{session}/branches")
    assert [branch["branch_id"] for branch in listed["data"]] == ["main"]


async def test_main_is_not_deleted(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)

    status, result = await caller.send("DELETE", f"/sessions/{session}/branches/main")
    missing, other = await caller.send("DELETE", f"/sessions/{session}/branches/none")

    assert (status, result["error"]["code"]) == (400, "validation_error")
    assert (missing, other["error"]["code"]) == (404, "branch_not_found")


async def test_replaced_floor_is_hidden_and_can_still_be_read(
    caller: Caller, database: Database
) -> None:
    session = await import_lines(caller, CHAT)
    old = (await read_floors(caller, session))[2]
    new = await replace_turn(database, session, old["id"], "two, again.")

    shown = await read_floors(caller, session)

    assert [floor["id"] for floor in shown][2:] == [new]
    _, result = await caller.get(f"/floors/{old['id']}")
    assert result["data"]["superseded_by_floor_id"] == new
    assert texts(result["data"]) == ["two?", "two."]
    _, listed = await caller.get("/floors", session_id=session)
    assert old["id"] not in {floor["id"] for floor in listed["data"]}


async def test_a_fork_keeps_its_floor_when_the_parent_replaces_it(
    caller: Caller, database: Database
) -> None:
    session = await import_lines(caller, CHAT)
    old = (await read_floors(caller, session))[2]["id"]
    await caller.post(f"/floors/{old}/branch", {"branch_id": "alt"})
    await replace_turn(database, session, old, "two, again.")

    on_main, on_alt = await read_floors(caller, session), await read_floors(caller, session, "alt")

    assert texts(on_main[2]) == ["two, again."]
    assert texts(on_alt[2]) == ["two?", "two."]


async def test_replaced_floor_cannot_be_forked(caller: Caller, database: Database) -> None:
    session = await import_lines(caller, CHAT)
    old = (await read_floors(caller, session))[2]["id"]
    await replace_turn(database, session, old, "two, again.")

    status, result = await caller.post(f"/floors/{old}/branch", {})

    assert (status, result["error"]["code"]) == (409, "invalid_state")


async def test_message_is_hidden_with_its_alternatives_and_shown_again(caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    message = (await read_floors(caller, session))[1]["messages"][1]

    status, result = await caller.send(
        "PATCH", f"/messages/{message['id']}", json={"is_hidden": True}
    )

    assert (status, result["data"]["is_hidden"]) == (200, True)
    pages = (await read_floors(caller, session))[1]["pages"]
    assert [page["message"]["is_hidden"] for page in pages] == [False, True, True, True]
    await caller.send("PATCH", f"/messages/{message['id']}", json={"is_hidden": False})
    assert (await caller.get(f"/messages/{message['id']}"))[1]["data"]["is_hidden"] is False


async def test_many_messages_are_hidden_at_once(served: Served, caller: Caller) -> None:
    session = await import_lines(caller, CHAT)
    other = await served.account()
    foreign = (await read_floors(other, await import_lines(other, CHAT)))[0]["messages"][0]["id"]
    own = [(await read_floors(caller, session))[n]["messages"][0]["id"] for n in (0, 1)]

    _, result = await caller.post(
        "/messages/batch/visibility",
        {"ids": [*own, foreign, "m1", str(uuid4())], "is_hidden": True},
    )

    actions = [each["action"] for each in result["data"]["results"]]
    assert actions == ["updated", "updated", "not_found", "not_found", "not_found"]
    assert (await other.get(f"/messages/{foreign}"))[1]["data"]["is_hidden"] is False


async def test_messages_of_another_account_are_not_found(served: Served, caller: Caller) -> None:
    mira = await create_character(served, caller)
    session = await create_session(caller, character_id=str(mira.id))
    (floor,) = await read_floors(caller, session["id"])
    page = floor["pages"][1]["id"]
    other = await served.account()

    for method, path, body in [
        ("GET", f"/floors/{floor['id']}", None),
        ("POST", f"/floors/{floor['id']}/branch", {}),
        ("GET", f"/messages/{page}", None),
        ("PATCH", f"/messages/{page}", {"is_hidden": True}),
        ("PATCH", f"/pages/{page}/activate", None),
    ]:
        assert (await other.send(method, path, json=body))[0] == 404, path


async def grow(database: Database, session: str, branch: str, text: str) -> str:
    """One more answered turn on a branch, as a live turn would leave it."""
    async with database.transaction() as tx:
        turn: UUID = await tx.fetchval(
            "INSERT INTO turns (id, session_id, branch_id, seq, status) "
            "SELECT gen_random_uuid(), session_id, id, 1 + greatest(forked_after_seq, "
            "(SELECT max(seq) FROM turns t WHERE t.branch_id = b.id)), 'answered' "
            "FROM branches b WHERE session_id = $1 AND name = $2 RETURNING id",
            UUID(session),
            branch,
        )
        await say(tx, session, turn, text)
    return str(turn)


async def replace_turn(database: Database, session: str, old: str, text: str) -> str:
    """Another turn in the place of an old one, as a regeneration would leave it."""
    async with database.transaction() as tx:
        turn: UUID = await tx.fetchval(
            "WITH old AS (UPDATE turns SET status = 'superseded', live = FALSE, "
            "superseded_by = $2 WHERE id = $1 RETURNING *) SELECT $2::uuid FROM old",
            UUID(old),
            uuid4(),
        )
        await tx.execute(
            "INSERT INTO turns (id, session_id, branch_id, seq, status) "
            "SELECT $1, session_id, branch_id, seq, 'answered' FROM turns WHERE id = $2",
            turn,
            UUID(old),
        )
        await say(tx, session, turn, text)
    return str(turn)


async def say(tx, session: str, turn: UUID, text: str) -> None:
    await tx.execute(
        "INSERT INTO messages (session_id, turn_id, seq, role, content) "
        "SELECT $1, $2, 1 + max(seq), 'assistant', $3 FROM messages WHERE session_id = $1",
        UUID(session),
        turn,
        text,
    )
    await tx.execute(
        "UPDATE sessions SET message_count = message_count + 1 WHERE id = $1", UUID(session)
    )
