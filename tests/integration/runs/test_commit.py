"""What an agent's domain writes is part of the settlement: all of it or nothing."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace
from tests.serving import Served, broken_rules_of

from yarrow.db import Tx
from yarrow.ids import AccountId, SessionId
from yarrow.journal.events import MessageFinished, MessageStarted, RunEvent, TextDelta
from yarrow.journal.snapshot import Snapshot
from yarrow.runs.accept import accept
from yarrow.runs.agent import RunContext
from yarrow.runs.execute import Executor
from yarrow.runs.executions import Executions
from yarrow.runs.model import AgentSpec, ClaimedRun, RunInput, RunRequest


class Broken(Exception):
    """The domain cannot keep what the run made."""


async def set_title(tx: Tx, run: ClaimedRun, snapshot: Snapshot) -> None:
    title = "".join(message.text for message in snapshot.messages.values())
    await tx.execute("UPDATE sessions SET title = $2 WHERE id = $1", run.session_id, title)


async def set_title_and_break(tx: Tx, run: ClaimedRun, snapshot: Snapshot) -> None:
    await set_title(tx, run, snapshot)
    raise Broken


class TitleAgent:
    """Answers, and keeps its answer as the title of the session."""

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        message_id = str(context.new_id())
        yield MessageStarted(message_id)
        yield TextDelta(message_id, "a title")
        yield MessageFinished(message_id)


async def run_to_end(served: Served, spec: AgentSpec) -> tuple[str, str, int]:
    """Gives the last event, the session's title and how many answers are stored."""
    caller = await served.account()
    product = served.product
    engine = replace(product.engine, agents={spec.name: TitleAgent(spec)})
    request = RunRequest(
        AccountId(UUID(caller.id)), SessionId(uuid4()), "r1", spec.name, RunInput("hello"), b"1"
    )
    run = await accept(engine, Executions(Executor(engine), size=1), request)
    async for batch in engine.journal.follow(run.ref.id, after=0):
        if batch:
            last = type(batch[-1].event).__name__
    async with product.database.connection() as tx:
        title = await tx.fetchval("SELECT title FROM sessions WHERE id = $1", request.session_id)
        answers = await tx.fetchval(
            "SELECT count(*) FROM messages WHERE session_id = $1 AND role = 'assistant'",
            request.session_id,
        )
    return last, title, answers


@pytest.mark.parametrize("price", [0, 20])
async def test_the_commit_of_an_agent_lands_with_its_answer(served: Served, price: int) -> None:
    spec = AgentSpec("title", price=price, deadline_s=10, commit=set_title)

    assert await run_to_end(served, spec) == ("RunSucceeded", "a title", 1)


@pytest.mark.parametrize("price", [0, 20])
async def test_a_commit_that_fails_leaves_nothing_behind(served: Served, price: int) -> None:
    spec = AgentSpec("title", price=price, deadline_s=10, commit=set_title_and_break)

    assert await run_to_end(served, spec) == ("RunFailed", "hello", 0)
    assert await broken_rules_of(served.product.database) == []
