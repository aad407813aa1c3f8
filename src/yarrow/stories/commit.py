"""Store what a story's turn made beside its messages, in the transaction that settles its run."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from yarrow.db import Tx
from yarrow.ids import MessageId, TurnId
from yarrow.journal.snapshot import Snapshot
from yarrow.product_events.story import (
    MEMORY_NOTED,
    PROMPT_SENT,
    STORY_REPLY,
    MemoryNoted,
    PromptSent,
    StoryReply,
)
from yarrow.product_events.story_tools import StagedWrite, StoryToolFinished
from yarrow.runs.model import ClaimedRun, CommitPart
from yarrow.sessions import branch_store
from yarrow.settings import MemoryMode
from yarrow.stories import commit_store, turn_state_store
from yarrow.stories.kept_lines import copy_lines
from yarrow.stories.memory_commit import TurnReply, commit_memory
from yarrow.stories.session_state_rules import stage_writes
from yarrow.stories.tools.asset_changes import apply_changes
from yarrow.stories.tools.executions import record_calls
from yarrow.stories.turn_input import PENDING, TurnInput, TurnKind, parse_turn_input
from yarrow.stories.turn_state import (
    EntryScope,
    TurnState,
    VariableEntries,
    apply_writes,
    name_writers,
    select_scope,
    undo_writes,
)
from yarrow.variables import global_store
from yarrow.variables.model import Scope


class TurnCommit(Struct, frozen=True):
    """A turn that is being committed: its prompt, its reply and all that it writes."""

    run: ClaimedRun
    turn: TurnInput
    prompt: PromptSent
    reply: StoryReply
    reply_id: MessageId
    calls: tuple[StoryToolFinished, ...]
    noted: MemoryNoted | None
    """What it remembers; None if memory is off."""
    writes: tuple[StagedWrite, ...]
    """The variables of the branch that its macros and tools wrote, and the session state of its
    request."""
    global_writes: tuple[StagedWrite, ...]
    """The last one of each variable."""

    @property
    def accepted_calls(self) -> tuple[StoryToolFinished, ...]:
        """The calls of the attempt that gave the reply."""
        return tuple(call for call in self.calls if call.attempt == self.reply.attempt)

    @property
    def is_plain(self) -> bool:
        """Whether it only adds a turn to its branch and sets variables of the branch."""
        run, noted = self.run, self.noted
        is_added = run.replaces is None and not run.is_retry and not self.makes_branch
        is_remembered = noted is not None and (
            noted.mode == MemoryMode.ASYNC
            or bool(self.reply.summaries or noted.notes or noted.deprecates)
        )
        if not is_added or is_remembered or self.calls or self.global_writes:
            return False
        is_set = all(each.scope == Scope.BRANCH and not each.is_deleted for each in self.writes)
        return is_set and not self.changes_input

    @property
    def makes_branch(self) -> bool:
        return self.turn.branch.startswith(PENDING)

    @property
    def changes_input(self) -> bool:
        """Whether scripts changed the text of the user."""
        return not self.run.is_retry and self.prompt.user_text != self.run.input.text


def make_commit_part(run: ClaimedRun, snapshot: Snapshot) -> CommitPart | None:
    """What most turns commit, as part of the statement that settles the run; None for the others,
    which `commit_turn` stores."""
    commit = _collect_commit(run, snapshot)
    if not commit.is_plain:
        return None
    values = {write.name: write.value for write in commit.writes}
    return commit_store.build_new_turn(run, commit.reply_id, commit.prompt, values)


async def commit_turn(tx: Tx, run: ClaimedRun, snapshot: Snapshot) -> None:
    """Store input, variables, timers, prompt and tool effects of a turn. The session is locked."""
    commit = _collect_commit(run, snapshot)
    if commit.makes_branch:
        await branch_store.establish_branch(tx, run.branch_id)
    if commit.noted is not None:
        reply = TurnReply(commit.reply_id, commit.reply.summaries)
        await commit_memory(tx, run, commit.noted, reply)
    if commit.changes_input:
        await commit_store.change_input(tx, run, commit.prompt.user_text)
    await _keep_lines(tx, commit)
    replaces = run.is_retry or run.replaces is not None
    is_newest, present = await commit_store.lock_entries(
        tx, run, with_globals=replaces or bool(commit.global_writes)
    )
    replaced = await _read_replaced(tx, run)
    if is_newest:
        await _commit_newest(tx, commit, present, replaced)
    else:
        await _commit_older(tx, commit, present)
    if commit.global_writes:
        await _add_global_writes(tx, commit, stands=is_newest)
    if commit.calls:
        changes = [change for call in commit.accepted_calls for change in call.changes]
        await apply_changes(tx, run.account_id, changes)
        await record_calls(tx, run, commit.calls, commit.reply, by=commit.reply_id)


async def _keep_lines(tx: Tx, commit: TurnCommit) -> None:
    """Keep who said the input of a replaced or edited turn, and when, and the lines beside the
    reply of a replaced one."""
    turn, source = commit.turn, commit.run.replaces
    if turn.source_turn:
        source = TurnId(UUID(turn.source_turn))
    if source is None:
        return
    edited = MessageId(UUID(turn.source_message)) if turn.source_message else None
    await commit_store.keep_line(
        tx,
        commit.run,
        source,
        message=edited,
        text=commit.prompt.user_text,
        keeps_time=turn.kind is TurnKind.REGENERATE,
    )
    if commit.run.replaces is not None:
        await copy_lines(tx, commit.run, commit.run.replaces)


def _collect_commit(run: ClaimedRun, snapshot: Snapshot) -> TurnCommit:
    products = snapshot.products
    prompt, reply = products[PROMPT_SENT], products[STORY_REPLY]
    assert isinstance(prompt, PromptSent)
    assert isinstance(reply, StoryReply)
    noted, turn = products.get(MEMORY_NOTED), parse_turn_input(run.input.options)
    calls = tuple(each for each in products.values() if isinstance(each, StoryToolFinished))
    accepted = (call for call in calls if call.attempt == reply.attempt)
    writes = (*prompt.writes, *(write for call in accepted for write in call.writes))
    own = (write for write in writes if write.scope != Scope.GLOBAL)
    last = {write.name: write for write in writes if write.scope == Scope.GLOBAL}
    return TurnCommit(
        run,
        turn,
        prompt,
        reply,
        reply_id=MessageId(UUID(next(reversed(snapshot.message_order)))),
        calls=calls,
        noted=noted if isinstance(noted, MemoryNoted) else None,
        writes=(*own, *stage_writes(turn.state_writes)),
        global_writes=tuple(last.values()),
    )


async def _commit_newest(
    tx: Tx, commit: TurnCommit, present: VariableEntries, replaced: Sequence[TurnState]
) -> None:
    """Change the variables that the branch has now, without the writes of a replaced reply."""
    before = present
    for old in replaced:
        before = undo_writes(before, old)
    if replaced:
        undone = [state.reply_id for state in replaced]
        await global_store.undo_and_redo_writes(tx, commit.run.account_id, undone=undone)
    state, after = _build_state(commit, before)
    record = commit.prompt.record
    await commit_store.store_state(tx, commit.run, state, record, old=present, new=after)


async def _read_replaced(tx: Tx, run: ClaimedRun) -> Sequence[TurnState]:
    """The states whose writes the commit undoes, newest first."""
    if run.input.replaces_later:
        return await turn_state_store.read_superseded_states(tx, run.turn_id)
    old_turn = run.turn_id if run.is_retry else run.replaces
    if old_turn is None:
        return ()
    state = await turn_state_store.find_branch_state(tx, run.branch_id, old_turn)
    return () if state is None else (state,)


async def _commit_older(tx: Tx, commit: TurnCommit, present: VariableEntries) -> None:
    """Record prompt and state of a retried turn that others follow; the branch keeps its own until
    they are taken away."""
    run = commit.run
    await commit_store.store_prompt(tx, run, commit.reply_id, commit.prompt.record)
    earlier = await turn_state_store.find_last_state(tx, run.turn_id)
    if earlier is None:
        return
    before: VariableEntries = earlier.entries_before()
    if commit.writes:
        known = present
        for later in await turn_state_store.read_later_states(tx, run.branch_id, run.turn_seq - 1):
            known = undo_writes(known, later)
        before = name_writers(before, known)
    state, _ = _build_state(commit, before)
    await commit_store.store_past_state(tx, run, state)


async def _add_global_writes(tx: Tx, commit: TurnCommit, *, stands: bool) -> None:
    """Add the writes of global variables."""
    writes = commit.global_writes
    await global_store.add_writes(
        tx,
        commit.run.account_id,
        commit.reply_id,
        {write.name: write.value for write in writes if not write.is_deleted},
        deleted=[write.name for write in writes if write.is_deleted],
        stands=stands,
    )


def _build_state(commit: TurnCommit, before: VariableEntries) -> tuple[TurnState, VariableEntries]:
    """The state that the turn leaves, and the entries behind it."""
    after, writes = apply_writes(before, commit.writes, str(commit.reply_id))
    state = TurnState(
        reply_id=str(commit.reply_id),
        variables=select_scope(after, EntryScope.BRANCH),
        session_state=select_scope(after, EntryScope.STATE),
        writes=writes,
        timers=commit.prompt.timers,
        timers_before=commit.prompt.timers_before,
        global_writes=commit.global_writes,
    )
    return state, after
