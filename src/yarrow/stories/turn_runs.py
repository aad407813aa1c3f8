"""Read the runs of a story's turns, and the results that are stored."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec import Struct
from msgspec.structs import replace

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.journal.events import RunUsage
from yarrow.journal.log import NumberedEvent
from yarrow.product_events.story import MEMORY_NOTED, STORY_REPLY, PromptSent
from yarrow.runs.model import RunRef
from yarrow.sessions.model import MessageVersion, TurnStatus, TurnView
from yarrow.stories import run_store, turn_state_store
from yarrow.stories.errors import TurnRunNotFound, WrongState
from yarrow.stories.story_state import require_own_story
from yarrow.stories.timeline import read_turn

NOT_COMMITTED = "Floor is not committed"


class StoredResult(Struct, frozen=True):
    """The reply of a committed turn, as its run left it."""

    run: RunRef
    text: str
    summaries: tuple[str, ...]
    usage: RunUsage
    memory_mode: str | None
    warnings: tuple[tuple[str, str], ...]
    """Codes and texts. Replies that were stored before there were any have none."""


async def read_turn_run(database: Database, account_id: AccountId, turn_id: TurnId) -> RunRef:
    """Read the newest run of a turn."""
    await read_turn(database, account_id, turn_id)
    async with database.connection() as tx:
        run = await run_store.find_turn_run(tx, account_id, turn_id)
    if run is None:
        raise TurnRunNotFound(str(turn_id))
    return run


async def find_active_run(
    database: Database, account_id: AccountId, session_id: SessionId, *, branch: str | None
) -> RunRef | None:
    """Find the newest unfinished run of a story, or of one of its branches."""
    async with database.connection() as tx:
        await require_own_story(tx, account_id, session_id)
        return await run_store.find_active_run(tx, session_id, branch)


async def read_result(database: Database, account_id: AccountId, turn_id: TurnId) -> StoredResult:
    """Read the result of a committed turn: that of its active reply."""
    turn = await read_turn(database, account_id, turn_id)
    if turn.status not in (TurnStatus.ANSWERED, TurnStatus.SUPERSEDED):
        raise WrongState(NOT_COMMITTED)
    reply = _find_reply(turn)
    if reply is None:
        raise TurnRunNotFound(str(turn_id))
    async with database.connection() as tx:
        run = await run_store.find_turn_run(tx, account_id, turn_id, reply.details.run_key)
        if run is None:
            raise TurnRunNotFound(str(turn_id))
        usage = await run_store.read_usage(tx, run.id, reply.id)
    stored = reply.details.products.get(STORY_REPLY)
    summaries = stored.get("summaries") if isinstance(stored, dict) else None
    noted = reply.details.products.get(MEMORY_NOTED)
    return StoredResult(
        run,
        reply.content,
        tuple(map(str, summaries)) if isinstance(summaries, list) else (),
        usage,
        str(noted["mode"]) if isinstance(noted, dict) and "mode" in noted else None,
        reply.details.warnings,
    )


async def restore_prompts(
    database: Database,
    run: RunRef,
    turn_id: TurnId,
    events: AsyncGenerator[list[NumberedEvent], None],
) -> AsyncGenerator[list[NumberedEvent], None]:
    """Add the stored prompt to the events of a settled run, whose journal does not have it."""
    async with aclosing(events):
        async for batch in events:
            yield [
                each._replace(event=await _restore_prompt(database, run, turn_id, each.event))
                if isinstance(each.event, PromptSent) and not each.event.record
                else each
                for each in batch
            ]


async def _restore_prompt(
    database: Database, run: RunRef, turn_id: TurnId, event: PromptSent
) -> PromptSent:
    async with database.connection() as tx:
        record = await turn_state_store.find_run_prompt(tx, turn_id, run.key)
    return replace(event, record=record or b"")


def _find_reply(turn: TurnView) -> MessageVersion | None:
    replies = [each for each in turn.versions if each.active and not each.is_input]
    return next((reply for reply in reversed(replies) if reply.details.run_key), None)
