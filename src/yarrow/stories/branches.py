"""Fork and delete branches, choose message versions, hide messages from prompts."""

from collections.abc import Sequence

from yarrow.db import Database, Tx
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId, new_uuid
from yarrow.runs.errors import SessionBusy
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchExists, BranchNotFound, MessageNotFound
from yarrow.sessions.model import MAIN_BRANCH, Branch, FoundMessage, NewBranch, TurnRef, TurnStatus
from yarrow.sessions.read import find_own_turn
from yarrow.stories import store, turn_state_store
from yarrow.stories.branch_names import require_branch_name
from yarrow.stories.errors import SnapshotMissing, WrongState
from yarrow.stories.lock import lock_open_story
from yarrow.stories.story_access import require_open
from yarrow.stories.timeline import find_own_message
from yarrow.stories.turn_state import choose_version
from yarrow.variables import global_store
from yarrow.variables import store as variables
from yarrow.variables.model import GLOBAL_SCOPE, Scope, ScopeRef


async def fork_branch(
    database: Database, account_id: AccountId, turn_id: TurnId, *, name: str | None
) -> tuple[SessionId, Branch]:
    """Create a branch that continues after a turn, with the state that the turn left."""
    branch_id = BranchId(new_uuid())
    name = f"branch-{branch_id.hex[-8:]}" if name is None else name
    require_branch_name(name)
    async with database.transaction() as tx:
        turn = await _lock_turn(tx, account_id, turn_id)
        if turn.status is not TurnStatus.ANSWERED:
            raise WrongState("a branch can only start after a turn that is committed and live")
        if (state := await turn_state_store.find_state(tx, turn_id)) is None:
            raise SnapshotMissing(str(turn_id))
        new = NewBranch(branch_id, name, turn.branch_id, after=turn_id, after_seq=turn.seq)
        is_free = await branch_store.reserve_name(tx, turn.session_id, name)
        if not is_free or not await branch_store.insert_branch(tx, turn.session_id, new):
            raise BranchExists(name)
        scope = ScopeRef(Scope.BRANCH, str(branch_id), turn.session_id)
        await variables.write_variables(tx, account_id, scope, state.variables)
        await turn_state_store.continue_new_branch(tx, branch_id, turn_id)
        (branch,) = await branch_store.read_branches(tx, turn.session_id, name)
    return turn.session_id, branch


async def delete_branch(
    database: Database, account_id: AccountId, session_id: SessionId, *, name: str
) -> None:
    """Soft-delete a branch, all branches forked from it, their messages and variables."""
    if name == MAIN_BRANCH:
        raise InvalidInput("the branch main cannot be deleted", field="branch_id")
    async with database.transaction() as tx:
        await lock_open_story(tx, account_id, session_id)
        branch = await branch_store.find_branch(tx, session_id, name)
        if branch is None:
            raise BranchNotFound(name)
        branch_ids, is_active = await branch_store.read_descendants(tx, branch.id)
        if is_active:
            raise WrongState("a turn of this branch is still running; wait for it or cancel it")
        await branch_store.delete_branches(tx, session_id, branch_ids)
        await variables.delete_branches(tx, account_id, session_id, branches=branch_ids)


async def activate_version(
    database: Database, account_id: AccountId, message_id: MessageId
) -> FoundMessage:
    """Choose this version of a message among its alternatives.

    On the newest turn of a branch that is also the choice of the version's state.
    """
    async with database.transaction() as tx:
        found = await find_own_message(tx, account_id, message_id)
        await lock_open_story(tx, account_id, found.turn.session_id)
        found = await find_own_message(tx, account_id, message_id)
        if found.version.is_input:
            raise InvalidInput("an input message cannot be activated: it has no alternates")
        if found.turn.status is not TurnStatus.ANSWERED:
            raise WrongState("this turn is not committed or was replaced; its messages stay")
        if await branch_store.has_active_run(tx, found.turn.branch_id):
            raise SessionBusy(found.turn.branch)
        await turn_store.activate_version(tx, found.version)
        await _switch_state(tx, found.turn, found.version.id)
        return await find_own_message(tx, account_id, message_id)


async def _switch_state(tx: Tx, turn: TurnRef, reply_id: MessageId) -> None:
    """Undo what the reply wrote that the branch continues from, and redo what the chosen one did.

    Turns that follow have read the earlier state, so on an older turn nothing changes.
    """
    if not await turn_state_store.is_newest_turn(tx, turn.branch_id, turn.id):
        return
    for scope in (ScopeRef(Scope.BRANCH, str(turn.branch_id), turn.session_id), GLOBAL_SCOPE):
        await variables.lock_scope(tx, turn.account_id, scope)
    chosen = await turn_state_store.find_reply_state(tx, reply_id)
    if chosen is None:
        return
    present = await turn_state_store.read_entries(tx, turn.account_id, turn.branch_id)
    current = await turn_state_store.find_branch_state(tx, turn.branch_id, turn.id)
    await turn_state_store.change_entries(
        tx,
        turn.account_id,
        turn.session_id,
        turn.branch_id,
        old=present,
        new=choose_version(present, chosen, current=current),
    )
    undone = [] if current is None else [current.reply_id]
    await global_store.undo_and_redo_writes(
        tx, turn.account_id, undone=undone, redone=[chosen.reply_id]
    )
    await turn_state_store.continue_from_reply(tx, turn.branch_id, reply_id)


async def hide_message(
    database: Database, account_id: AccountId, message_id: MessageId, *, hidden: bool
) -> FoundMessage:
    """Hide a message and its alternatives from prompts, or show them again."""
    async with database.transaction() as tx:
        if not await _set_hidden(tx, account_id, [message_id], hidden=hidden):
            raise MessageNotFound(str(message_id))
        return await find_own_message(tx, account_id, message_id)


async def hide_messages(
    database: Database, account_id: AccountId, message_ids: Sequence[MessageId], *, hidden: bool
) -> frozenset[MessageId]:
    """Hide or show several messages; returns those that belong to the account."""
    async with database.transaction() as tx:
        return await _set_hidden(tx, account_id, message_ids, hidden=hidden)


async def _set_hidden(
    tx: Tx, account_id: AccountId, message_ids: Sequence[MessageId], *, hidden: bool
) -> frozenset[MessageId]:
    found = await turn_store.find_messages(tx, message_ids)
    own = [message for message in found if message.turn.account_id == account_id]
    session_ids = {message.turn.session_id for message in own}
    await store.lock_sessions(tx, list(session_ids))
    stories: set[SessionId] = set()
    for session_id in session_ids:
        story = await store.find_session(tx, account_id, session_id)
        if story is not None:
            require_open(story)
            stories.add(session_id)
    versions = [message.version for message in own if message.turn.session_id in stories]
    await turn_store.set_hidden(tx, [version.slot_id for version in versions], hidden=hidden)
    return frozenset(version.id for version in versions)


async def _lock_turn(tx: Tx, account_id: AccountId, turn_id: TurnId) -> TurnRef:
    """Lock the story of a turn, and read the turn again under the lock."""
    turn = await find_own_turn(tx, account_id, turn_id)
    await lock_open_story(tx, account_id, turn.session_id)
    return await find_own_turn(tx, account_id, turn_id)
