"""Record tool calls and list them."""

from collections.abc import Sequence

from yarrow.db import Database, Tx
from yarrow.db.list_total import ListTotal
from yarrow.ids import AccountId, MessageId, TurnId
from yarrow.journal.events import RunEvent
from yarrow.product_events.story import StoryReply
from yarrow.product_events.story_tools import StoryToolFinished
from yarrow.runs.model import ClaimedRun
from yarrow.stories.story_state import require_own_story
from yarrow.stories.timeline import read_turn
from yarrow.stories.tools import store
from yarrow.stories.tools.replay_rules import (
    CallFilter,
    CommitOutcome,
    ToolExecution,
)


async def record_calls(
    tx: Tx, run: ClaimedRun, calls: Sequence[StoryToolFinished], reply: StoryReply, *, by: MessageId
) -> None:
    """Record the calls of a committed turn; those of rejected replies have no effects."""
    owner = store.CallOwner(run.id, run.session_id, run.turn_id, run.account_id)
    committed = [call for call in calls if call.attempt == reply.attempt]
    rejected = [call for call in calls if call.attempt != reply.attempt]
    await store.insert_calls(tx, owner, committed, outcome=CommitOutcome.COMMITTED, reply_id=by)
    await store.insert_calls(tx, owner, rejected, outcome=CommitOutcome.DISCARDED)


async def record_discarded(tx: Tx, run: ClaimedRun, events: Sequence[RunEvent]) -> None:
    """Record the calls of a run that failed or was cancelled; a takeover discards nothing."""
    calls = [event for event in events if isinstance(event, StoryToolFinished)]
    if calls and await store.has_ended_badly(tx, run.id):
        owner = store.CallOwner(run.id, run.session_id, run.turn_id, run.account_id)
        await store.insert_calls(tx, owner, calls, outcome=CommitOutcome.DISCARDED)


async def list_turn_calls(
    database: Database, account_id: AccountId, turn_id: TurnId
) -> tuple[ToolExecution, ...]:
    """The recorded calls of a turn in their order."""
    await read_turn(database, account_id, turn_id)
    async with database.connection() as tx:
        return await store.read_turn_calls(tx, turn_id)


async def list_calls(
    database: Database,
    account_id: AccountId,
    where: CallFilter,
    *,
    limit: int,
    offset: int,
) -> tuple[tuple[ToolExecution, ...], ListTotal]:
    """List some recorded calls of the account, newest first, and count those that match."""
    async with database.connection() as tx:
        if where.session_id is not None:
            await require_own_story(tx, account_id, where.session_id)
        return await store.list_calls(tx, account_id, where, limit=limit, offset=offset)
