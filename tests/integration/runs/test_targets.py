"""What a run is for: a new turn, a retry of a turn, the replacement of a turn.

The old turn stays live until the new run commits, and a failed attempt changes nothing.
"""

import asyncio
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from msgspec import Struct
from msgspec.structs import replace
from tests.protocols.fixtures import served, shared_model, shared_served, switchable
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Served, broken_rules_of
from tests.waiting import PATIENCE_S, hold_open, wait_for_lock_waiter

from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.llm.errors import ModelFailed
from yarrow.llm.scripted import Fail, Hold, Say, ScriptedModel
from yarrow.runs.accept import _make_start, accept
from yarrow.runs.cancel import cancel
from yarrow.runs.errors import BranchQueueTimeout, SessionBusy, TurnNotLive
from yarrow.runs.model import (
    AcceptedRun,
    BusyPolicy,
    QueueWhenBusy,
    RejectWhenBusy,
    RunInput,
    RunRequest,
)
from yarrow.runs.transitions import start_run
from yarrow.sessions.errors import BranchNotFound
from yarrow.sessions.run_targets import ContinueTurn, NewTurn, ReplaceTurn, RetryTurn, RunTarget
from yarrow.sessions.supersede_store import supersede_turn

__all__ = ["served", "shared_model", "shared_served", "switchable"]

MAIN = NewTurn()
REJECT = RejectWhenBusy()


class Story(Struct):
    """One session of one account, driven without a protocol."""

    served: Served
    model: ScriptedModel
    account_id: AccountId
    session_id: SessionId

    async def accept(
        self,
        text: str,
        target: RunTarget = MAIN,
        when_busy: BusyPolicy = REJECT,
        key: str = "",
    ) -> AcceptedRun:
        product = self.served.product
        request = self.request(text, target, when_busy, key)
        return await accept(product.engine, product.executions, request)

    def request(
        self,
        text: str,
        target: RunTarget = MAIN,
        when_busy: BusyPolicy = REJECT,
        key: str = "",
    ) -> RunRequest:
        return RunRequest(
            self.account_id,
            self.session_id,
            key or f"run-{uuid4().hex[:8]}",
            "assistant",
            RunInput(text),
            digest=text.encode(),
            target=target,
            when_busy=when_busy,
        )

    async def end(self, run: AcceptedRun) -> str:
        """Wait for the end of a run; gives the name of its last event."""
        async for batch in self.served.product.engine.journal.follow(run.ref.id, after=0):
            if batch:
                last = batch[-1].event
        return type(last).__name__

    async def answer(self, text: str, target: RunTarget = MAIN) -> str:
        return await self.end(await self.accept(text, target))

    async def timeline(self) -> list[tuple[int, str, list[str]]]:
        """The live turns: number, status, active messages."""
        async with self.served.product.database.connection() as tx:
            rows = await tx.fetch(
                "SELECT t.seq, t.status, array_agg(m.content ORDER BY m.seq) AS texts "
                "FROM turns t LEFT JOIN messages m ON m.turn_id = t.id "
                "AND m.page_active AND m.deleted_at IS NULL "
                "WHERE t.session_id = $1 AND t.live GROUP BY t.id ORDER BY t.seq",
                self.session_id,
            )
        return [(row["seq"], row["status"], row["texts"]) for row in rows]

    async def turn(self, seq: int) -> TurnId:
        async with self.served.product.database.connection() as tx:
            found = await tx.fetchval(
                "SELECT id FROM turns WHERE session_id = $1 AND seq = $2 AND live",
                self.session_id,
                seq,
            )
        return TurnId(found)

    def play(self, *answers: str) -> None:
        self.model.play(*([Say(text)] for text in answers))


@pytest.fixture
async def story(served: Served, switchable: SwitchableModel) -> Story:
    caller = await served.account(points=1_000)
    return Story(served, switchable.script(), AccountId(UUID(caller.id)), SessionId(uuid4()))


TWO_TURNS = [(1, "answered", ["one", "first"]), (2, "answered", ["two", "second"])]


async def tell_two_turns(story: Story) -> None:
    story.play("first", "second")
    await story.answer("one")
    await story.answer("two")


async def test_a_retry_makes_the_old_reply_an_inactive_version(story: Story) -> None:
    await tell_two_turns(story)
    story.play("better")

    assert await story.answer("two", RetryTurn(await story.turn(2))) == "RunSucceeded"

    assert await story.timeline() == [TWO_TURNS[0], (2, "answered", ["two", "better"])]
    async with story.served.product.database.connection() as tx:
        versions = await tx.fetch(
            "SELECT content, page_no, page_active FROM messages WHERE session_id = $1 "
            "AND page_slot IS NOT NULL ORDER BY page_no",
            story.session_id,
        )
    assert [tuple(row) for row in versions] == [("second", 0, False), ("better", 1, True)]


async def test_a_replacement_supersedes_the_old_turn_in_its_place(story: Story) -> None:
    await tell_two_turns(story)
    old = await story.turn(2)
    story.play("other")

    assert await story.answer("zwei", ReplaceTurn(old)) == "RunSucceeded"

    assert await story.timeline() == [TWO_TURNS[0], (2, "answered", ["zwei", "other"])]
    async with story.served.product.database.connection() as tx:
        (row,) = await tx.fetch("SELECT status, superseded_by FROM turns WHERE id = $1", old)
    assert tuple(row) == ("superseded", await story.turn(2))


@pytest.mark.parametrize("kind", [RetryTurn, ReplaceTurn])
async def test_the_model_sees_nothing_of_the_turn_that_is_replaced(
    story: Story, kind: type[RetryTurn | ReplaceTurn]
) -> None:
    await tell_two_turns(story)
    story.play("new")

    await story.answer("two again", kind(await story.turn(2)))

    texts = [message.text for message in story.model.requests[-1].messages]
    assert "second" not in texts
    assert {"one", "first", "two again"} <= set(texts)


@pytest.mark.parametrize("kind", [RetryTurn, ReplaceTurn])
async def test_a_failed_attempt_loses_nothing(
    story: Story, kind: type[RetryTurn | ReplaceTurn]
) -> None:
    await tell_two_turns(story)
    story.model.play([Say("hal"), Fail(ModelFailed(500))])

    assert await story.answer("two", kind(await story.turn(2))) == "RunFailed"

    assert await story.timeline() == TWO_TURNS
    assert await broken_rules_of(story.served.product.database) == []


@pytest.mark.parametrize("kind", [RetryTurn, ReplaceTurn])
async def test_the_old_turn_is_live_while_its_replacement_is_made(
    story: Story, kind: type[RetryTurn | ReplaceTurn]
) -> None:
    await tell_two_turns(story)
    hold = Hold()
    story.model.play([hold, Say("new")])

    run = await story.accept("two", kind(await story.turn(2)))
    meanwhile = await story.timeline()
    product = story.served.product
    await cancel(
        product.engine,
        product.executions,
        story.account_id,
        session_id=story.session_id,
        key=run.ref.key,
    )

    assert meanwhile == TWO_TURNS
    assert await story.end(run) == "RunCancelled"
    assert await story.timeline() == TWO_TURNS


async def test_a_replacement_of_a_turn_that_is_gone_meanwhile_fails(story: Story) -> None:
    await tell_two_turns(story)
    hold, old = Hold(), await story.turn(2)
    story.model.play([hold, Say("too late")])
    run = await story.accept("zwei", ReplaceTurn(old))
    await hold.reached.wait()

    async with story.served.product.database.transaction() as tx:
        await tx.execute("UPDATE turns SET live = false WHERE id = $1", old)
    hold.release.set()

    assert await story.end(run) == "RunFailed"
    assert await story.timeline() == TWO_TURNS[:1]


async def test_a_turn_that_was_replaced_is_no_target(story: Story) -> None:
    await tell_two_turns(story)
    old = await story.turn(2)
    story.play("other")
    await story.answer("zwei", ReplaceTurn(old))

    with pytest.raises(TurnNotLive):
        await story.accept("two", RetryTurn(old))
    with pytest.raises(BranchNotFound):
        await story.accept("two", NewTurn("nowhere"))


def continue_after(turn_id: TurnId) -> NewTurn:
    return NewTurn(after=turn_id)


@pytest.mark.parametrize("kind", [continue_after, RetryTurn, ReplaceTurn, ContinueTurn])
async def test_a_target_that_is_replaced_before_the_run_is_stored_changes_nothing(
    story: Story, kind: Callable[[TurnId], RunTarget]
) -> None:
    await tell_two_turns(story)
    old, product = await story.turn(2), story.served.product
    story.play("other")
    await story.answer("zwei", ReplaceTurn(old))
    request = story.request("two")
    start = _make_start(product.engine, request, 20, can_start=False)

    async with product.database.connection() as tx:
        started = await start_run(tx, request, start, target=kind(old))
        status = await tx.fetchval("SELECT status FROM sessions WHERE id = $1", story.session_id)

    assert (started, status) == (None, "completed")
    assert await broken_rules_of(product.database) == []


@pytest.mark.parametrize("kind", [continue_after, ReplaceTurn])
async def test_a_target_that_goes_while_the_run_is_stored_is_refused(
    story: Story, kind: Callable[[TurnId], RunTarget]
) -> None:
    await tell_two_turns(story)
    old, database = await story.turn(2), story.served.product.database

    async with database.transaction() as tx:
        await hold_open(tx)
        await tx.execute("SELECT FROM sessions WHERE id = $1 FOR UPDATE", story.session_id)
        accepting = asyncio.create_task(story.accept("three", kind(old)))
        await wait_for_lock_waiter(database)
        await supersede_turn(tx, old, by=await story.turn(1))

    with pytest.raises(TurnNotLive):
        await accepting
    assert await story.timeline() == TWO_TURNS[:1]
    assert await broken_rules_of(database) == []


async def test_a_cap_that_was_reached_before_the_run_is_stored_holds(story: Story) -> None:
    await tell_two_turns(story)
    product, request = story.served.product, story.request("three")
    start = replace(_make_start(product.engine, request, 20, can_start=False), turn_cap=2)

    async with product.database.connection() as tx:
        assert await start_run(tx, request, start, target=MAIN) is None

    assert await broken_rules_of(product.database) == []


async def test_branches_of_one_session_do_not_wait_for_each_other(story: Story) -> None:
    await tell_two_turns(story)
    async with story.served.product.database.transaction() as tx:
        for name in ("a", "b", "c"):
            await tx.execute(
                "INSERT INTO branches (id, session_id, name) VALUES (gen_random_uuid(), $1, $2)",
                story.session_id,
                name,
            )
    hold = Hold()
    story.model.play([hold, Say("a")], [hold, Say("b")], [hold, Say("c")])

    runs = [await story.accept("go", NewTurn(name)) for name in ("a", "b", "c")]
    with pytest.raises(SessionBusy):
        await story.accept("again", NewTurn("a"))
    hold.release.set()

    assert await asyncio.gather(*map(story.end, runs)) == ["RunSucceeded"] * 3
    assert await broken_rules_of(story.served.product.database) == []


async def test_requests_that_queue_are_answered_in_their_order(story: Story) -> None:
    hold = Hold()
    story.model.play([hold, Say("0")], [Say("1")], [Say("2")], [Say("3")])
    first = await story.accept("q0")
    queued = []
    for n in (1, 2, 3):
        queued.append(asyncio.create_task(story.accept(f"q{n}", when_busy=QueueWhenBusy(30))))
        await story_waiters(story, n)

    hold.release.set()
    runs = [first, *await asyncio.gather(*queued)]
    await asyncio.gather(*map(story.end, runs))

    assert [texts for _, _, texts in await story.timeline()] == [
        [f"q{n}", str(n)] for n in range(4)
    ]
    await story_waiters(story, 0)


async def test_a_queue_that_takes_too_long_gives_up_without_a_run(story: Story) -> None:
    hold = Hold()
    story.model.play([hold, Say("0")])
    first = await story.accept("q0")

    with pytest.raises(BranchQueueTimeout):
        await story.accept("q1", when_busy=QueueWhenBusy(0.3))
    hold.release.set()

    assert await story.end(first) == "RunSucceeded"
    assert await story.timeline() == [(1, "answered", ["q0", "0"])]
    await story_waiters(story, 0)


async def test_a_repeated_request_does_not_queue_behind_itself(story: Story) -> None:
    hold = Hold()
    story.model.play([hold, Say("0")])
    first = await story.accept("q0", key="same", when_busy=QueueWhenBusy(30))

    again = await story.accept("q0", key="same", when_busy=QueueWhenBusy(30))
    hold.release.set()

    assert again == first
    assert await story.end(first) == "RunSucceeded"


async def story_waiters(story: Story, count: int) -> None:
    """Wait until so many requests queue for the story."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            async with story.served.product.database.connection() as tx:
                waiting = await tx.fetchval(
                    "SELECT count(*) FROM branch_waiters WHERE session_id = $1", story.session_id
                )
            if waiting == count:
                return
            await asyncio.sleep(0.01)
