"""Take turns off the end of a branch: reset it to an earlier turn, or delete its last one.

The turns are superseded, so they stay readable by id, and what they wrote is undone, newest first.
What a person set since stays (decision 0028).
"""

from collections.abc import Sequence

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.runs.errors import SessionBusy
from yarrow.sessions import branch_store, supersede_store, turn_store
from yarrow.sessions.errors import BranchNotFound, TurnNotFound
from yarrow.sessions.model import Branch, TurnRef, TurnStatus
from yarrow.sessions.read import find_own_turn
from yarrow.stories import turn_state_store
from yarrow.stories.branch_names import require_branch_name
from yarrow.stories.errors import BranchHeadMoved, ResetTargetInvalid, WrongState
from yarrow.stories.lock import lock_open_story
from yarrow.stories.turn_runs import NOT_COMMITTED
from yarrow.stories.turn_state import (
    EntryScope,
    TurnState,
    VariableEntries,
    select_scope,
    switch_version,
    undo_writes,
)
from yarrow.variables import global_store
from yarrow.variables import store as variables
from yarrow.variables.model import GLOBAL_SCOPE, Scope, ScopeRef

NOT_LAST = "only the last floor of a branch can be deleted; reset the branch to take more away"


async def reset_branch(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str,
    target: TurnId,
    expected_last: TurnId,
) -> tuple[TurnId, ...]:
    """Take away all turns of a branch after `target`, its own or the one it was forked after.

    Returns the turns that were taken away, oldest first.
    """
    require_branch_name(branch)
    async with database.transaction() as tx:
        await lock_open_story(tx, account_id, session_id)
        found = await branch_store.find_branch(tx, session_id, branch)
        if found is None:
            raise BranchNotFound(branch)
        target_turn = await _find_target(tx, session_id, found, target)
        last = await turn_store.find_last_answered(tx, session_id, branch)
        if last != expected_last:
            raise BranchHeadMoved(branch, None if last is None else str(last))
        is_own = target_turn.branch_id == found.id
        after_seq = target_turn.seq if is_own else found.forked_after_seq or 0
        return await _take_away(tx, target_turn, BranchId(found.id), after_seq=after_seq)


async def delete_last_turn(database: Database, account_id: AccountId, turn_id: TurnId) -> TurnRef:
    """Take away the last turn of a branch; returns it as it was."""
    async with database.transaction() as tx:
        turn = await find_own_turn(tx, account_id, turn_id)
        await lock_open_story(tx, account_id, turn.session_id)
        view = await turn_store.read_turn(tx, turn_id)
        if view is None:
            raise TurnNotFound(str(turn_id))
        if view.status is not TurnStatus.ANSWERED:
            raise WrongState(NOT_COMMITTED)
        if not await turn_state_store.is_newest_turn(tx, turn.branch_id, turn_id):
            raise WrongState(NOT_LAST)
        parent = None if view.parent_id is None else await turn_store.find_turn(tx, view.parent_id)
        await _take_away(tx, parent, turn.branch_id, after_seq=turn.seq - 1, owner=turn)
        return turn


async def _find_target(tx: Tx, session_id: SessionId, branch: Branch, target: TurnId) -> TurnRef:
    turn = await turn_store.find_turn(tx, target)
    if turn is None or turn.session_id != session_id:
        raise TurnNotFound(str(target))
    if turn.id == branch.forked_after:
        return turn
    if turn.branch_id != branch.id:
        raise ResetTargetInvalid(str(target), branch.name)
    if turn.status is not TurnStatus.ANSWERED:
        raise WrongState(NOT_COMMITTED)
    return turn


async def _take_away(
    tx: Tx,
    target: TurnRef | None,
    branch_id: BranchId,
    *,
    after_seq: int,
    owner: TurnRef | None = None,
) -> tuple[TurnId, ...]:
    """Supersede the turns of a branch after a number, and undo what they wrote."""
    if await branch_store.has_active_run(tx, branch_id):
        raise SessionBusy(str(branch_id))
    turn = target or owner
    assert turn is not None
    for scope in (ScopeRef(Scope.BRANCH, str(branch_id), turn.session_id), GLOBAL_SCOPE):
        await variables.lock_scope(tx, turn.account_id, scope)
    removed = await turn_state_store.read_later_states(tx, branch_id, after_seq)
    present = await turn_state_store.read_entries(tx, turn.account_id, branch_id)
    before: VariableEntries = present
    for state in removed:
        before = undo_writes(before, state)
    await global_store.undo_and_redo_writes(
        tx, turn.account_id, undone=[state.reply_id for state in removed]
    )
    if removed and target is not None and target.branch_id == branch_id:
        before = await _switch_to_active(tx, target, before, next_turn=removed[-1])
    await turn_state_store.change_entries(
        tx, turn.account_id, turn.session_id, branch_id, old=present, new=before
    )
    turn_ids = await supersede_store.supersede_later_turns(
        tx, branch_id, after_seq, by=None if target is None else target.id
    )
    await _continue_branch(
        tx,
        target,
        branch_id,
        known=TurnState(
            reply_id="",
            variables=select_scope(before, EntryScope.BRANCH),
            session_state=select_scope(before, EntryScope.STATE),
            timers=_find_earliest_timers(removed),
        ),
    )
    return turn_ids


async def _switch_to_active(
    tx: Tx, turn: TurnRef, entries: VariableEntries, *, next_turn: TurnState
) -> VariableEntries:
    """Take the writes of the turn's active version: another one may have been generated or chosen
    while turns followed, which kept the state of the version before."""
    versions = await turn_state_store.read_versions(tx, turn.id)
    active = await turn_state_store.find_state(tx, turn.id)
    if active is None or len(versions) == 1:
        return entries
    await global_store.undo_and_redo_writes(
        tx,
        turn.account_id,
        undone=[state.reply_id for state in versions],
        redone=[active.reply_id],
    )
    return switch_version(entries, versions, active, next_turn=next_turn)


def _find_earliest_timers(removed: Sequence[TurnState]) -> Sequence[JsonObject]:
    """The timers before the oldest of the removed turns; `removed` begins with the newest."""
    return removed[-1].timers_before if removed else ()


async def _continue_branch(
    tx: Tx, target: TurnRef | None, branch_id: BranchId, *, known: TurnState
) -> None:
    """Let the branch continue from the state after the target.

    An imported turn gets the present state as its own: it is the last one of its chat now.
    """
    if target is None:
        await turn_state_store.continue_from_reply(tx, branch_id, None)
        return
    if await turn_state_store.find_state(tx, target.id) is None:
        await turn_state_store.insert_first_state(
            tx,
            branch_id,
            target.id,
            variables=known.variables,
            timers=known.timers,
            session_state=known.session_state,
        )
        return
    await turn_state_store.continue_from_turn(tx, branch_id, target.id)
