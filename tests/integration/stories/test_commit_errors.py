"""What a turn answers when it cannot be stored, or the database is away. Reference §3.7."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import asyncpg
from tests.lossy_postgres import SOCKET, lossy_postgres
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


END_CONNECTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"


class SocketLink:
    """A folder through which PostgreSQL is reached, until it is cut."""

    def __init__(self, folder: str, upstream: str) -> None:
        self._link, self._upstream = Path(folder, SOCKET), Path(upstream, SOCKET)

    def connect(self) -> None:
        self._link.symlink_to(self._upstream)

    def cut(self) -> None:
        self._link.unlink()


async def run_sql(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    await connection.execute(statement)
    await connection.close()


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


async def test_a_database_that_is_away_is_a_busy_commit_for_turns(
    postgres: str, tmp_path: Path
) -> None:
    own = urlsplit(await create_database(postgres))
    (upstream,) = parse_qs(own.query)["host"]
    with TemporaryDirectory() as folder:
        link = SocketLink(folder, upstream)
        link.connect()
        dsn = urlunsplit(own._replace(query=urlencode({"host": folder})))
        model = ScriptedModel([Say("one")])
        async with serving(dsn, model=model, data_dir=tmp_path) as served:
            caller = await served.account()
            session = str((await create_session(caller))["id"])
            path, body = f"/sessions/{session}/respond", {"message": "a"}
            link.cut()
            name = own.path.removeprefix("/")
            await run_sql(postgres, f"{END_CONNECTIONS} datname = '{name}'")

            turn_status, turn = await caller.post(path, body)
            list_status, listed = await caller.get("/sessions")
            link.connect()

            assert (turn_status, turn["error"]["code"]) == (503, "commit_busy")
            assert (list_status, listed["error"]["code"]) == (503, "resource_busy")
            assert model.requests == []
            while (await caller.post(path, body))[0] == 503:
                await asyncio.sleep(0.1)
            assert len(await read_floors(caller, session)) == 1


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
