"""Read and write the session state of a story."""

from collections.abc import Sequence

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, SessionId, TurnId
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchNotFound, TurnNotFound
from yarrow.sessions.model import MAIN_BRANCH, TurnRef
from yarrow.sessions.read import find_own_turn
from yarrow.stories import session_state_store, turn_state_store
from yarrow.stories.errors import SnapshotMissing, StateLimitExceeded
from yarrow.stories.session_state_rules import (
    BUILTIN,
    LIMITS,
    ReplaySafety,
    StateChange,
    StateMutation,
    StateNamespace,
    StateValue,
    StateWrite,
    compare_values,
    list_mutations,
    list_values,
    require_client_namespace,
    require_registered,
    require_room,
)
from yarrow.stories.story_access import require_open
from yarrow.stories.story_state import require_own_story
from yarrow.stories.turn_state import EntryScope, TurnState
from yarrow.stories.void_write_store import void_writes
from yarrow.variables import store as variables
from yarrow.variables.model import Scope, ScopeRef


async def register_namespace(
    database: Database, account_id: AccountId, session_id: SessionId, namespace: StateNamespace
) -> tuple[StateNamespace, bool]:
    """Register a namespace, or read the one of this name; the flag says whether it is new."""
    require_client_namespace(namespace.name)
    async with database.transaction() as tx:
        require_open(await require_own_story(tx, account_id, session_id))
        is_new = await session_state_store.insert_namespace(tx, session_id, namespace)
        count = await session_state_store.count_account_namespaces(tx, account_id)
        if is_new and count > LIMITS.account_namespaces:
            raise StateLimitExceeded(limit=LIMITS.account_namespaces)
        stored = await session_state_store.read_namespaces(tx, session_id)
    return next(each for each in stored if each.name == namespace.name), is_new


async def list_namespaces(
    database: Database, account_id: AccountId, session_id: SessionId
) -> tuple[StateNamespace, ...]:
    """The namespaces of a story: the built-in one, then those that were registered."""
    async with database.connection() as tx:
        await require_own_story(tx, account_id, session_id)
        return (BUILTIN, *await session_state_store.read_namespaces(tx, session_id))


async def require_writable(
    tx: Tx,
    account_id: AccountId,
    session_id: SessionId,
    writes: Sequence[StateWrite],
    *,
    branch: str | None = None,
) -> None:
    """Raise unless a turn may write this state: namespaces and room. Reads nothing without any."""
    if not writes:
        return
    registered = await session_state_store.read_namespaces(tx, session_id)
    require_registered(writes, [each.name for each in registered])
    branches = await branch_store.read_branches(tx, session_id, branch or MAIN_BRANCH)
    branch_id = branches[0].id if branches else None
    require_room(writes, await session_state_store.read_usage(tx, account_id, branch_id))


async def write_value(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    write: StateWrite,
    *,
    branch: str,
) -> StateValue:
    """Write or delete a value directly. It belongs to no turn, so it survives replaced turns."""
    async with database.transaction() as tx:
        require_open(await require_own_story(tx, account_id, session_id))
        branch_id = await _find_branch(tx, session_id, branch)
        scope = ScopeRef(Scope.BRANCH, str(branch_id), session_id)
        await variables.lock_scope(tx, account_id, scope)
        await require_writable(tx, account_id, session_id, [write], branch=branch)
        await void_writes(tx, branch_id, [(EntryScope.STATE, write.key)])
        return await session_state_store.write_value(tx, session_id, branch_id, write)


async def resolve_values(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str,
    namespace: str | None = None,
    slot: str | None = None,
    source: TurnId | None = None,
) -> tuple[StateValue, ...]:
    """The values of a branch now, or as a turn left them."""
    async with database.connection() as tx:
        await require_own_story(tx, account_id, session_id)
        if source is not None:
            values = list_values((await _find_state(tx, session_id, source)).session_state)
            matching = [each for each in values if namespace in (None, each.namespace)]
            return tuple(each for each in matching if slot in (None, each.slot))
        branch_id = await _find_branch(tx, session_id, branch)
        return await session_state_store.read_values(tx, branch_id, namespace=namespace, slot=slot)


async def read_snapshot(
    database: Database, account_id: AccountId, turn_id: TurnId, session_id: SessionId | None = None
) -> tuple[TurnRef, tuple[StateValue, ...]]:
    """The values that a turn left."""
    async with database.connection() as tx:
        turn = await _find_own_turn(tx, account_id, turn_id, session_id)
        state = await _find_state(tx, turn.session_id, turn_id)
    return turn, list_values(state.session_state)


async def compare_snapshots(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    turn_id: TurnId,
    *,
    against: TurnId | None,
) -> tuple[StateChange, ...]:
    """What differs between the values that a turn left and those of another turn, or of now."""
    turn, left = await read_snapshot(database, account_id, turn_id, session_id)
    if against is not None:
        _, right = await read_snapshot(database, account_id, against, session_id)
        return compare_values(left, right)
    async with database.connection() as tx:
        return compare_values(left, await session_state_store.read_values(tx, turn.branch_id))


async def list_turn_mutations(
    database: Database, account_id: AccountId, turn_id: TurnId
) -> tuple[StateMutation, ...]:
    """The state writes of a committed turn, those of its active reply."""
    async with database.connection() as tx:
        turn = await _find_own_turn(tx, account_id, turn_id, None)
        return await read_mutations(tx, turn.session_id, turn_id)


async def read_mutations(
    tx: Tx, session_id: SessionId, turn_id: TurnId
) -> tuple[StateMutation, ...]:
    """The state writes of a turn with their replay safety; none if its state is not known."""
    state = await turn_state_store.find_state(tx, turn_id)
    if state is None or all(each.scope is not EntryScope.STATE for each in state.writes):
        return ()
    return list_mutations(state, await _read_safeties(tx, session_id))


async def list_branch_mutations(
    database: Database, account_id: AccountId, session_id: SessionId, *, branch: str
) -> tuple[tuple[TurnId, StateMutation], ...]:
    """The state writes of a branch's own turns, newest first."""
    async with database.connection() as tx:
        await require_own_story(tx, account_id, session_id)
        branch_id = await _find_branch(tx, session_id, branch)
        turns = await session_state_store.read_branch_writes(tx, session_id, branch_id)
        safeties = await _read_safeties(tx, session_id)
    return tuple((turn, each) for turn, state in turns for each in list_mutations(state, safeties))


async def _read_safeties(tx: Tx, session_id: SessionId) -> dict[str, ReplaySafety]:
    namespaces = await session_state_store.read_namespaces(tx, session_id)
    return {each.name: each.replay_safety for each in namespaces}


async def _find_branch(tx: Tx, session_id: SessionId, name: str) -> BranchId:
    branch = await branch_store.find_branch(tx, session_id, name)
    if branch is None:
        raise BranchNotFound(name)
    return branch.id


async def _find_own_turn(
    tx: Tx, account_id: AccountId, turn_id: TurnId, session_id: SessionId | None
) -> TurnRef:
    turn = await find_own_turn(tx, account_id, turn_id)
    if session_id not in (None, turn.session_id):
        raise TurnNotFound(str(turn_id))
    await require_own_story(tx, account_id, turn.session_id)
    return turn


async def _find_state(tx: Tx, session_id: SessionId, turn_id: TurnId) -> TurnState:
    turn = await turn_store.find_turn(tx, turn_id)
    if turn is None or turn.session_id != session_id:
        raise TurnNotFound(str(turn_id))
    state = await turn_state_store.find_state(tx, turn_id)
    if state is None:
        raise SnapshotMissing(str(turn_id))
    return state
