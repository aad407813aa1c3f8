"""Executions that end otherwise than by an answer, and claims that came to nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import asyncpg
import pytest
from msgspec import Struct
from msgspec.structs import replace
from tests.integration.runs.claims import cancel_unfinished_runs, claim_run, submit_run
from tests.serving import Served, broken_rules_of, serving

from yarrow.db import Tx
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import RunFenced
from yarrow.ids import AccountId, SessionId
from yarrow.journal import Journal, NumberedEvent
from yarrow.journal.events import FailureReason, Progressed, RunEvent, RunFailed, RunSucceeded
from yarrow.journal.snapshot import Snapshot
from yarrow.llm.scripted import ScriptedModel
from yarrow.runs.accept import accept
from yarrow.runs.agent import RunContext
from yarrow.runs.engine import Engine
from yarrow.runs.execute import MAX_EVENTS, Executor
from yarrow.runs.executions import ExecutionResult, Executions, StopSignal
from yarrow.runs.model import (
    AcceptedRun,
    AgentSpec,
    Cancelled,
    ClaimedRun,
    Failed,
    Outcome,
    RunInput,
    RunRequest,
)
from yarrow.runs.settle import settle

PRICE = 20


@pytest.fixture
async def api(dsn: str, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Served]:
    """A process without a worker: what a test does not execute stays as it is."""
    async with serving(dsn, model=model, data_dir=tmp_path, slots=0) as served:
        yield served
        await cancel_unfinished_runs(served)


class ScriptedAgent(Struct, frozen=True):
    """Yields what a function gives."""

    spec: AgentSpec
    events: Callable[[], AsyncIterator[RunEvent]]

    def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        return self.events()


class Submitted(Struct, frozen=True):
    """A run of a scripted agent, and the engine and executions that know the agent."""

    engine: Engine
    executions: Executions
    account_id: AccountId
    run: AcceptedRun

    async def last_event(self) -> RunEvent:
        async for batch in self.engine.journal.follow(self.run.ref.id, after=0):
            if batch:
                last = batch[-1].event
        return last

    async def points(self) -> tuple[int, int]:
        async with self.engine.database.connection() as tx:
            row = await tx.fetchrow(
                "SELECT balance, frozen_balance FROM user_points WHERE user_id = $1",
                self.account_id,
            )
        assert row is not None
        return row["balance"], row["frozen_balance"]


async def submit(
    api: Served,
    events: Callable[[], AsyncIterator[RunEvent]],
    *,
    deadline_s: float = 600,
    commit: Callable[[Tx, ClaimedRun, Snapshot], object] | None = None,
) -> Submitted:
    account_id = AccountId(UUID((await api.account()).id))
    spec = AgentSpec("scripted", price=PRICE, deadline_s=deadline_s, commit=commit)  # type: ignore[arg-type]
    engine = replace(api.product.engine, agents={spec.name: ScriptedAgent(spec, events)})
    executions = Executions(Executor(engine), size=1)
    request = RunRequest(account_id, SessionId(uuid4()), "r1", spec.name, RunInput("hello"), b"1")
    run = await accept(engine, executions, request)
    return Submitted(engine, executions, account_id, run)


async def say_nothing() -> AsyncIterator[RunEvent]:
    return
    yield


async def never_end() -> AsyncIterator[RunEvent]:
    await asyncio.Event().wait()
    yield Progressed("never")


async def time_out() -> AsyncIterator[RunEvent]:
    raise TimeoutError("a socket of the agent")
    yield


async def never_stop() -> AsyncIterator[RunEvent]:
    event = Progressed("again")
    while True:
        yield event


async def assert_failed(submitted: Submitted, reason: FailureReason) -> None:
    last = await submitted.last_event()

    assert isinstance(last, RunFailed)
    assert last.reason is reason
    assert await submitted.points() == (100, 0)
    assert await broken_rules_of(submitted.engine.database) == []


async def test_a_run_beyond_its_deadline_fails_and_costs_nothing(api: Served) -> None:
    submitted = await submit(api, never_end, deadline_s=0.1)

    await assert_failed(submitted, FailureReason.DEADLINE)


async def test_a_timeout_of_the_agents_own_is_not_the_deadline(api: Served) -> None:
    submitted = await submit(api, time_out)

    await assert_failed(submitted, FailureReason.INTERNAL)


async def test_an_agent_that_never_stops_is_stopped(api: Served) -> None:
    submitted = await submit(api, never_stop)

    await assert_failed(submitted, FailureReason.MODEL_BROKEN)
    stored = await submitted.engine.journal.read(submitted.run.ref.id)
    assert len(stored) == MAX_EVENTS + 1


async def test_an_agent_without_a_database_releases_its_run(api: Served) -> None:
    attempts: list[str] = []
    is_joined = asyncio.Event()

    async def lose_the_database_once() -> AsyncIterator[RunEvent]:
        attempts.append("begun")
        if len(attempts) == 1:
            await is_joined.wait()
            raise DatabaseUnavailable
        async for event in say_nothing():
            yield event

    submitted = await submit(api, lose_the_database_once)
    run_id = submitted.run.ref.id
    first = submitted.executions.start(run_id)
    is_joined.set()
    assert first is not None
    assert await first is ExecutionResult.RELEASED
    assert await submitted.points() == (100, PRICE)

    submitted.executions.start(run_id)

    assert isinstance(await submitted.last_event(), RunSucceeded)
    assert await submitted.points() == (80, 0)


async def test_a_name_that_the_domain_has_already_fails_the_run(api: Served) -> None:
    async def insert_twice(tx: Tx, run: ClaimedRun, snapshot: Snapshot) -> None:
        raise asyncpg.UniqueViolationError("a rule of the agent's own tables")

    submitted = await submit(api, say_nothing, commit=insert_twice)

    await assert_failed(submitted, FailureReason.INTERNAL)


async def execute(api: Served, run: ClaimedRun, claimed: ClaimedRun | None) -> ExecutionResult:
    return await Executor(api.product.engine)(run.id, claimed, StopSignal())


async def test_a_run_of_a_living_worker_is_left_to_it_until_it_ends(api: Served) -> None:
    run = await claim_run(api, await submit_run(api))
    assert run is not None

    assert await execute(api, run, None) is ExecutionResult.NOT_CLAIMED
    log = api.product.engine.journal.open(run.id, attempt=run.attempt)
    await settle(api.product.engine, run, log, Cancelled())

    assert await execute(api, run, None) is ExecutionResult.NOT_CLAIMED
    assert api.model.requests == []


async def test_an_execution_that_lost_its_run_settles_nothing(api: Served) -> None:
    run_id = await submit_run(api)
    lost = await claim_run(api, run_id, alive=False)
    owner = await claim_run(api, run_id)
    assert lost is not None
    assert owner is not None

    await execute(api, lost, lost)

    async with api.product.database.connection() as tx:
        row = await tx.fetchrow("SELECT status, attempt FROM runs WHERE id = $1", run_id)
    assert row is not None
    assert (row["status"], row["attempt"]) == ("running", owner.attempt)
    assert await api.product.engine.journal.read(run_id) == []
    assert await broken_rules_of(api.product.database) == []


@pytest.mark.parametrize("outcome", [Failed(FailureReason.INTERNAL), Cancelled()])
async def test_no_outcome_of_a_lost_attempt_gives_points_back_twice(
    api: Served, outcome: Outcome
) -> None:
    run_id, engine = await submit_run(api), api.product.engine
    lost = await claim_run(api, run_id, alive=False)
    owner = await claim_run(api, run_id, lease=timedelta(seconds=4))
    assert lost is not None
    assert owner is not None

    with pytest.raises(RunFenced):
        await settle(engine, lost, engine.journal.open(run_id, attempt=1), outcome)

    async with api.product.database.connection() as tx:
        frozen = await tx.fetchval(
            "SELECT frozen_balance FROM user_points WHERE user_id = $1", owner.account_id
        )
    assert frozen == PRICE


class PersistingAgent(Struct, frozen=True):
    """Persists its first event, and keeps what the journal's table has then."""

    spec: AgentSpec
    journal: Journal
    stored: list[NumberedEvent]

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        yield Progressed("before the effect")
        await context.persist()
        self.stored.extend(await self.journal.read(context.run.id))


async def test_persisted_events_are_stored_before_the_agent_continues(api: Served) -> None:
    spec = AgentSpec("scripted", price=0, deadline_s=60)
    agent = PersistingAgent(spec, api.product.engine.journal, [])
    engine = replace(api.product.engine, agents={spec.name: agent})
    account_id = AccountId(UUID((await api.account()).id))
    request = RunRequest(account_id, SessionId(uuid4()), "r1", spec.name, RunInput("hello"), b"1")
    executions = Executions(Executor(engine), size=1)
    run = await accept(engine, executions, request)

    await Submitted(engine, executions, account_id, run).last_event()

    assert [each.event for each in agent.stored][1:] == [Progressed("before the effect")]
