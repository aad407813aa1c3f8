"""Store what a story's turn made beside its messages, in the transaction that settles its run."""

from uuid import UUID

from yarrow.db import Tx
from yarrow.ids import MessageId
from yarrow.journal.snapshot import Snapshot
from yarrow.product_events.story import (
    MEMORY_NOTED,
    PROMPT_SENT,
    STORY_REPLY,
    MemoryNoted,
    PromptSent,
    StagedWrite,
    StoryReply,
)
from yarrow.runs.model import ClaimedRun
from yarrow.sessions import branch_store
from yarrow.stories import state_store
from yarrow.stories.memory_commit import TurnReply, commit_memory
from yarrow.stories.state_values import stage_writes
from yarrow.stories.turn_input import PENDING, parse_turn_input
from yarrow.stories.turn_state import EntryScope, TurnState, apply_writes, select_scope, undo_writes
from yarrow.variables import store as variables
from yarrow.variables.model import GLOBAL_SCOPE, Scope, ScopeRef


async def commit_turn(tx: Tx, run: ClaimedRun, snapshot: Snapshot) -> None:
    """Store input, variables, timers and prompt of a turn. The session is locked."""
    prompt = snapshot.products[PROMPT_SENT]
    assert isinstance(prompt, PromptSent)
    reply_id = MessageId(UUID(next(reversed(snapshot.message_order))))
    if parse_turn_input(run.input.options).branch.startswith(PENDING):
        await branch_store.establish_branch(tx, run.branch_id)
    if not run.is_retry:
        await state_store.update_input(tx, run.turn_id, prompt.user_text)
    await state_store.insert_prompt(tx, run.turn_id, reply_id, prompt.record)
    noted, reply = snapshot.products.get(MEMORY_NOTED), snapshot.products.get(STORY_REPLY)
    if isinstance(noted, MemoryNoted) and isinstance(reply, StoryReply):
        await commit_memory(tx, run, noted, TurnReply(reply_id, reply.summaries))
    if await state_store.is_newest_turn(tx, run.branch_id, run.turn_id):
        await _commit_newest(tx, run, prompt, reply_id)
    else:
        await _commit_older(tx, run, prompt, reply_id)


def list_writes(run: ClaimedRun, prompt: PromptSent) -> tuple[StagedWrite, ...]:
    """What the turn writes: the variables of its macros, and the session state of its request."""
    return (*prompt.writes, *stage_writes(parse_turn_input(run.input.options).state_writes))


async def _commit_newest(tx: Tx, run: ClaimedRun, prompt: PromptSent, reply_id: MessageId) -> None:
    """Change the variables that the branch has now, without the writes of a replaced reply."""
    branch = ScopeRef(Scope.BRANCH, str(run.branch_id), run.session_id)
    await variables.lock_scope(tx, run.account_id, branch)
    replaced, old_turn = None, run.turn_id if run.is_retry else run.replaces
    if old_turn is not None:
        replaced = await state_store.find_branch_state(tx, run.branch_id, old_turn)
    if replaced is not None or any(each.scope == GLOBAL_SCOPE.scope for each in prompt.writes):
        await variables.lock_scope(tx, run.account_id, GLOBAL_SCOPE)
    present = await state_store.read_entries(tx, run.account_id, run.branch_id)
    before = present if replaced is None else undo_writes(present, replaced)
    after, writes = apply_writes(before, list_writes(run, prompt), str(reply_id))
    await state_store.change_entries(
        tx, run.account_id, run.session_id, run.branch_id, old=present, new=after
    )
    state = TurnState(
        reply_id=str(reply_id),
        variables=select_scope(after, EntryScope.BRANCH),
        session_state=select_scope(after, EntryScope.STATE),
        writes=writes,
        timers=prompt.timers,
        timers_before=prompt.timers_before,
    )
    await state_store.insert_state(tx, run.turn_id, state, continues=run.branch_id)


async def _commit_older(tx: Tx, run: ClaimedRun, prompt: PromptSent, reply_id: MessageId) -> None:
    """Record the state of a retried turn that others follow; the branch keeps its own."""
    earlier = await state_store.find_last_state(tx, run.turn_id)
    if earlier is None:
        return
    after, writes = apply_writes(earlier.entries_before(), list_writes(run, prompt), str(reply_id))
    state = TurnState(
        reply_id=str(reply_id),
        variables=select_scope(after, EntryScope.BRANCH),
        session_state=select_scope(after, EntryScope.STATE),
        writes=writes,
        timers=prompt.timers,
        timers_before=prompt.timers_before,
    )
    await state_store.insert_state(tx, run.turn_id, state, continues=None)
