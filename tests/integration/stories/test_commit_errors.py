"""What a turn answers when it cannot be stored, or the database is away. Reference §3.7."""

import asyncio
from pathlib import Path

import asyncpg
from tests.cut_postgres import run_sql, serving_over_link
from tests.lossy_postgres import lossy_postgres
from tests.own_database import create_database
from tests.protocols.tavern.story_calls import create_session, read_floors
from tests.serving import serving
from tests.waiting import PATIENCE_S

from yarrow.llm.scripted import Say, ScriptedModel

REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'no'; END $$
LANGUAGE plpgsql;
CREATE TRIGGER refuse BEFORE INSERT ON turn_states FOR EACH ROW EXECUTE FUNCTION refuse();
"""


STORY = "/sessions/3f0c7d52-0e3a-4a53-9d37-6f4b1f0f3a01"
FLOOR = "/floors/3f0c7d52-0e3a-4a53-9d37-6f4b1f0f3a02"
MESSAGE = "/messages/3f0c7d52-0e3a-4a53-9d37-6f4b1f0f3a03"
SIDE = {"floor_id": "3f0c7d52-0e3a-4a53-9d37-6f4b1f0f3a02"}
CHAT_CALLS: dict[tuple[str, str], object] = {
    # Seed 004: the page of the chat, with the routes that it points to.
    ("POST", f"{STORY}/respond"): {"message": "a"},
    ("POST", f"{STORY}/respond/stream"): {"message": "a"},
    ("POST", f"{STORY}/respond/dry-run"): {"message": "a"},
    ("POST", f"{STORY}/regenerate"): {},
    ("POST", f"{FLOOR}/retry"): {},
    ("POST", f"{MESSAGE}/edit-and-regenerate"): {"content": "a"},
    ("POST", f"{STORY}/prompt-runtime/preview"): {"text": "a"},
    ("POST", f"{STORY}/prompt-runtime/compare"): {"left": SIDE, "right": SIDE},
    ("GET", f"{FLOOR}/prompt-runtime/explain"): None,
    # Ours: a turn as it would be sent, and the run of a turn.
    ("POST", f"{STORY}/prompt-runtime/inspect"): {"message": "a"},
    ("GET", f"{STORY}/active-run"): None,
    ("GET", f"{FLOOR}/run"): None,
    ("GET", f"{FLOOR}/run/events"): None,
    ("GET", f"{FLOOR}/result"): None,
    ("POST", f"{FLOOR}/run/cancel"): None,
}
"""Every route of the chat, with a body that is valid."""


async def test_a_turn_that_cannot_be_stored_is_not_half_stored(
    postgres: str, tmp_path: Path
) -> None:
    dsn = await create_database(postgres)
    await run_sql(dsn, REFUSE)
    model = ScriptedModel([Say("one")], [Say("two")])
    async with serving(dsn, model=model, data_dir=tmp_path) as served:
        caller = await served.account()
        session = str((await create_session(caller))["id"])
        path = f"/sessions/{session}/respond"

        status, answer = await caller.post(path, {"message": "a"})

        assert (status, answer["error"]["code"]) == (500, "turn_commit_failed")
        assert await read_floors(caller, session) == []
        await run_sql(dsn, "DROP TRIGGER refuse ON turn_states")
        assert (await caller.post(path, {"message": "b"}))[0] == 200


async def test_session_state_that_cannot_be_staged_fails_its_turn_and_says_so(
    postgres: str, tmp_path: Path
) -> None:
    dsn = await create_database(postgres)
    await run_sql(dsn, REFUSE.replace("turn_states", "state_values"))
    model = ScriptedModel([Say("one")], [Say("two")], [Say("three")])
    async with serving(dsn, model=model, data_dir=tmp_path) as served:
        caller = await served.account()
        session = str((await create_session(caller))["id"])
        path, write = f"/sessions/{session}", {"namespace": "bag", "slot": "gold", "value": 1}
        body = {"namespace": "bag", "logical_owner_type": "app", "logical_owner_id": "x"}
        assert (await caller.post(f"{path}/state/namespaces", body))[0] == 201
        turn = {"message": "a", "session_state_writes": [write]}

        status, answer = await caller.post(f"{path}/respond", turn)

        assert (status, answer["error"]["code"]) == (500, "session_state_stage_failed")
        assert await read_floors(caller, session) == []
        assert (await caller.post(f"{path}/respond", {"message": "no state"}))[0] == 200
        await run_sql(dsn, "DROP TRIGGER refuse ON state_values")
        assert (await caller.post(f"{path}/respond", turn))[0] == 200
        state = await caller.get(f"{path}/state/resolve", namespace="bag")
        assert [each["value"] for each in state[1]["data"]] == [1]


async def test_a_database_that_is_away_is_a_busy_commit_for_turns(
    postgres: str, tmp_path: Path
) -> None:
    model = ScriptedModel([Say("one")])
    async with serving_over_link(postgres, tmp_path, model) as (served, link):
        caller = await served.account()
        session = str((await create_session(caller))["id"])
        path, body = f"/sessions/{session}/respond", {"message": "a"}
        await link.cut()

        turn_status, turn = await caller.post(path, body)
        link.connect()

        assert (turn_status, turn["error"]["code"]) == (503, "commit_busy")
        assert model.requests == []
        while (await caller.post(path, body))[0] == 503:
            await asyncio.sleep(0.1)
        assert len(await read_floors(caller, session)) == 1


async def test_a_busy_resource_is_told_by_no_route_of_the_chat(
    postgres: str, tmp_path: Path
) -> None:  # seed 004, and issue 14 §5
    async with serving_over_link(postgres, tmp_path, ScriptedModel()) as (served, link):
        caller = await served.account()
        await link.cut()

        answers = {call: await caller.send(*call, json=body) for call, body in CHAT_CALLS.items()}
        listed = await caller.get("/sessions")
        link.connect()

    codes = {call: (status, body["error"]["code"]) for call, (status, body) in answers.items()}
    assert codes == dict.fromkeys(CHAT_CALLS, (503, "commit_busy"))
    assert (listed[0], listed[1]["error"]["code"]) == (503, "resource_busy")


async def test_every_route_that_is_called_chat_documents_a_busy_commit(
    postgres: str, tmp_path: Path
) -> None:
    dsn = await create_database(postgres)
    async with serving(dsn, model=ScriptedModel(), data_dir=tmp_path) as served:
        _, document = await (await served.account()).get("/openapi.json")
    busy = {
        (method.upper(), path): operation["responses"].get("503", {}).get("description", "")
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "chat" in operation.get("tags", [])
    }
    named = {STORY: "/sessions/{id}", FLOOR: "/floors/{id}", MESSAGE: "/messages/{id}"}

    called = set()
    for method, path in CHAT_CALLS:
        start = next(start for start in named if path.startswith(start))
        called.add((method, path.replace(start, named[start])))
    assert busy.keys() == called
    assert all("`commit_busy`" in text and "resource_busy" not in text for text in busy.values())


async def test_a_turn_whose_acceptance_got_lost_on_the_way_back_keeps_its_branch(
    postgres: str, tmp_path: Path
) -> None:
    dsn = await create_database(postgres)
    model = ScriptedModel([Say("one")], [Say("two")])
    async with (
        lossy_postgres(dsn) as (lossy_dsn, proxy),
        serving(lossy_dsn, model=model, data_dir=tmp_path) as served,
    ):
        caller = await served.account()
        session = str((await create_session(caller))["id"])
        path = f"/sessions/{session}/respond"
        assert (await caller.post(path, {"message": "a"}))[0] == 200
        proxy.marker = b"on another branch"

        status, _ = await caller.post(path, {"message": "on another branch", "branch_id": "alt"})

        assert status == 503
        async with asyncio.timeout(PATIENCE_S):
            while (await read_statuses(dsn)) != ["succeeded", "succeeded"]:
                await asyncio.sleep(0.05)
        floors = await read_floors(caller, session, "alt")
        assert [floor["branch_id"] for floor in floors] == ["main", "alt"]


async def read_statuses(dsn: str) -> list[str]:
    connection = await asyncpg.connect(dsn)
    rows = await connection.fetch("SELECT status FROM runs ORDER BY id")
    await connection.close()
    return [row["status"] for row in rows]
