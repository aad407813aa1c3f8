"""Read stories, and the state of a branch that its next prompt is built from."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from yarrow.accounts.preferences import read_preferences
from yarrow.assets.model import SortOrder
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.sessions import turn_store
from yarrow.sessions.errors import BranchNotFound, SessionNotFound
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories import store, turn_state_store
from yarrow.stories.errors import SnapshotMissing
from yarrow.stories.history_store import ReadHistories
from yarrow.stories.model import (
    VARIABLES_ARE_CURRENT,
    StoryFilter,
    StorySession,
    StorySort,
    StoryState,
)
from yarrow.stories.prompt_input import cut_history, cut_history_at_turn
from yarrow.stories.story_access import require_story
from yarrow.stories.turn_state import EntryScope, VariableEntries, select_scope, undo_writes
from yarrow.variables import global_store
from yarrow.variables.model import Scope, ScopedVariables


async def require_own_story(tx: Tx, account_id: AccountId, session_id: SessionId) -> StorySession:
    """Read a story; raise if the account has no such story."""
    return require_story(session_id, await store.find_session(tx, account_id, session_id))


async def read_story(
    database: Database, account_id: AccountId, session_id: SessionId
) -> StorySession:
    """Read a story without its messages."""
    async with database.connection() as tx:
        return await require_own_story(tx, account_id, session_id)


async def list_stories(
    database: Database,
    account_id: AccountId,
    where: StoryFilter,
    *,
    sort: tuple[StorySort, SortOrder],
    limit: int,
    offset: int,
) -> tuple[tuple[StorySession, ...], int]:
    """List some of the account's stories, and count all that match."""
    async with database.connection() as tx:
        return await store.list_sessions(
            tx, account_id, where, sort=sort, limit=limit, offset=offset
        )


async def read_state(
    tx: Tx,
    account_id: AccountId,
    session_id: SessionId,
    branch: str = MAIN_BRANCH,
    *,
    histories: ReadHistories | None = None,
) -> StoryState:
    """Read all that the next prompt of a branch needs, in one statement. Archived stories too."""
    row = await store.find_story_row(tx, account_id, session_id, branch=branch, histories=histories)
    if row is None:
        raise SessionNotFound(str(session_id))
    if row.branch_id is None:
        raise BranchNotFound(branch)
    return StoryState(
        session=row.session,
        branch_id=row.branch_id,
        branch=branch,
        variables=row.variables,
        history=row.history,
        timezone=ZoneInfo(read_preferences(row.settings).timezone),
        timers=row.lore_timers,
        memories=row.memories,
        history_version=row.history_version,
    )


async def rewind_state(
    tx: Tx, state: StoryState, turn_id: TurnId, *, drops_later: bool = False
) -> StoryState:
    """Return the state as it was before a turn of its branch.

    Of the newest turn, what it wrote is undone and what a person set since stays. Of an older
    one, its own record is used; without a record the variables stay as they are. With
    `drops_later` the turns behind it are undone as well.
    """
    history = cut_history_at_turn(state.history, turn_id)
    read_before = _undo_later if drops_later else _read_earlier_state
    before = await read_before(tx, state.session.account_id, state.branch_id, turn_id)
    if before is None:
        return replace(state, history=history, timers=(), limitations=(VARIABLES_ARE_CURRENT,))
    scopes = dict(state.variables.by_scope)
    scopes[Scope.BRANCH] = select_scope(before.entries, EntryScope.BRANCH)
    if before.undone:
        present = state.variables.get(Scope.GLOBAL)
        scopes[Scope.GLOBAL] = await global_store.read_without(
            tx, state.session.account_id, present, undone=before.undone
        )
    variables = ScopedVariables(scopes)
    return replace(state, history=history, variables=variables, timers=before.timers)


async def move_state(tx: Tx, state: StoryState, turn_id: TurnId) -> StoryState:
    """Return the state that a branch would begin with after a turn of this branch's path.

    After the last turn that is the present state. Raise if the state after another turn is not
    known, as no branch can begin there.
    """
    history = cut_history(state.history, turn_id)
    if len(history) == len(state.history):
        return state
    record = await turn_state_store.find_state(tx, turn_id)
    if record is None:
        raise SnapshotMissing(str(turn_id))
    scopes = dict(state.variables.by_scope) | {Scope.BRANCH: record.variables}
    variables = ScopedVariables(scopes)
    return replace(state, history=history, variables=variables, timers=record.timers)


async def find_earlier_variables(
    tx: Tx, account_id: AccountId, branch_id: BranchId, turn_id: TurnId
) -> JsonObject | None:
    """Read the branch's variables as they were before a turn; None if they are not known."""
    before = await _read_earlier_state(tx, account_id, branch_id, turn_id)
    return None if before is None else select_scope(before.entries, EntryScope.BRANCH)


async def find_earlier_session_state(
    tx: Tx, account_id: AccountId, branch_id: BranchId, turn_id: TurnId
) -> JsonObject | None:
    """Read the branch's session state as it was before a turn; None if it is not known."""
    before = await _read_earlier_state(tx, account_id, branch_id, turn_id)
    return None if before is None else select_scope(before.entries, EntryScope.STATE)


class _StateBefore(Struct, frozen=True):
    entries: VariableEntries
    timers: Sequence[JsonObject]
    undone: Sequence[str] = ()
    """The replies whose writes of global variables do not count."""


async def _undo_later(
    tx: Tx, account_id: AccountId, branch_id: BranchId, turn_id: TurnId
) -> _StateBefore | None:
    """Undo what the turn and those behind it wrote."""
    turn = await turn_store.find_turn(tx, turn_id)
    record = await turn_state_store.find_last_state(tx, turn_id)
    if turn is None or record is None:
        return None
    entries: VariableEntries = await turn_state_store.read_entries(tx, account_id, branch_id)
    later = await turn_state_store.read_later_states(tx, branch_id, turn.seq - 1)
    for state in later:
        entries = undo_writes(entries, state)
    return _StateBefore(entries, record.timers_before, [state.reply_id for state in later])


async def _read_earlier_state(
    tx: Tx, account_id: AccountId, branch_id: BranchId, turn_id: TurnId
) -> _StateBefore | None:
    if await turn_state_store.is_newest_turn(tx, branch_id, turn_id):
        record = await turn_state_store.find_branch_state(tx, branch_id, turn_id)
        if record is not None:
            present = await turn_state_store.read_entries(tx, account_id, branch_id)
            entries = undo_writes(present, record)
            return _StateBefore(entries, record.timers_before, [record.reply_id])
    record = await turn_state_store.find_last_state(tx, turn_id)
    if record is None:
        return None
    return _StateBefore(record.entries_before(), record.timers_before)
