"""Calls whose database is lost, or loses their run, while the accepted run is looked up."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from uuid import UUID

import pytest
from msgspec.structs import replace
from starlette.requests import Request
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.turn_calls import respond
from tests.protocols.tavern.story_calls import create_session, parse_account_id
from tests.serving import Caller, Served

from yarrow.db import Database, Tx
from yarrow.db.errors import DatabaseUnavailable
from yarrow.ids import AccountId, SessionId
from yarrow.llm.scripted import Say
from yarrow.protocols.tavern.generation.intake import TurnCall
from yarrow.protocols.tavern.generation.start_turns import PreparedTurn, TurnGeneration
from yarrow.protocols.tavern.generation.wire import TurnDebug
from yarrow.runs.model import DisconnectPolicy, RejectWhenBusy
from yarrow.runs.read import read_own_run


class LosingDatabase(Database):
    """Another database that loses the turns of a session after its first statement."""

    def __init__(self, database: Database, session: str) -> None:
        self._database, self._session = database, session
        self.dsn = database.dsn
        self._disk_waits = {}
        self._has_lost = False

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Tx]:
        async with self._database.connection() as tx:
            yield tx
            if not self._has_lost:
                self._has_lost = True
                await tx.execute("DELETE FROM turns WHERE session_id = $1", UUID(self._session))

    def reserved_connection(self) -> AbstractAsyncContextManager[Tx]:
        return self._database.reserved_connection()


async def test_a_repeated_call_whose_run_is_lost_stores_no_turn(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session, product = (await create_session(caller))["id"], served.product
    switchable.script([Say("whole")])
    url = f"{caller.url}/sessions/{session}/respond"
    headers = caller.headers | {"Idempotency-Key": "again"}
    async with caller.http.post(url, json={"message": "x"}, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
    async with product.database.connection() as tx:
        [first] = await tx.fetch("SELECT * FROM runs WHERE session_id = $1", UUID(session))
    engine = replace(product.engine, database=LosingDatabase(product.database, session))
    generation = TurnGeneration(engine, product.executions, RejectWhenBusy(), product.story_tools)
    call = TurnCall(
        AccountId(parse_account_id(caller)),
        SessionId(UUID(session)),
        first["key"],
        is_keyed=True,
        digest=bytes(first["digest"]),
        on_disconnect=DisconnectPolicy.CANCEL,
    )

    with pytest.raises(DatabaseUnavailable):
        await generation.prepare_and_start(
            Request({"type": "http"}), call, refuse_to_prepare, TurnDebug()
        )

    async with product.database.connection() as tx:
        turns = "SELECT count(*) FROM turns WHERE session_id = $1"
        assert await tx.fetchval(turns, UUID(session)) == 0


class AwayDatabase(Database):
    """Another database that cannot be reached at first."""

    def __init__(self, database: Database, failures: int) -> None:
        self._database, self._failures = database, failures

    def connection(self) -> AbstractAsyncContextManager[Tx]:
        self._failures -= 1
        if self._failures >= 0:
            raise DatabaseUnavailable
        return self._database.connection()


async def test_an_accepted_turn_is_found_when_the_database_is_back(
    served: Served, caller: Caller, switchable: SwitchableModel
) -> None:
    session, product = (await create_session(caller))["id"], served.product
    switchable.script([Say("whole")])
    await respond(caller, session, "x")
    account_id, session_id = AccountId(parse_account_id(caller)), SessionId(UUID(session))
    run = await read_own_run(product.engine, account_id, session_id=session_id, key=None)
    engine = replace(product.engine, database=AwayDatabase(product.database, failures=2))
    generation = TurnGeneration(engine, product.executions, RejectWhenBusy(), product.story_tools)

    running = await generation.open(run.ref, TurnDebug())

    assert running.progress.turn.turn_id == run.turn_id


async def refuse_to_prepare() -> PreparedTurn:
    raise AssertionError("a repeated call is not prepared")
