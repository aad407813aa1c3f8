"""Find the turns that are to be answered again: regenerated, retried, or edited on a new branch.

The turn that is replaced stays as it is until the replacement commits (`runs/settle.py`,
`stories/commit.py`). Here nothing is written but the row of a branch that waits for its name.
"""

from collections.abc import Sequence

from msgspec import Struct

from yarrow.db import Database, Tx
from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchExists, BranchNotFound, TurnNotFound
from yarrow.sessions.model import MAIN_BRANCH, FoundMessage, Role, TurnRef, TurnStatus, TurnView
from yarrow.stories import session_state_store, store, turn_state_store
from yarrow.stories.branch_names import require_branch_name
from yarrow.stories.errors import (
    InputHidden,
    InputMissing,
    MessageRoleInvalid,
    MessageScopeInvalid,
    NoTurnToRegenerate,
    SnapshotMissing,
    WrongState,
)
from yarrow.stories.place_turns import (
    TurnPlace,
    create_branch,
    make_branch_name,
    make_fork,
)
from yarrow.stories.session_state import require_writable
from yarrow.stories.session_state_rules import StateWrite
from yarrow.stories.story_access import require_answerable
from yarrow.stories.story_state import (
    find_earlier_session_state,
    find_earlier_variables,
    require_own_story,
)
from yarrow.stories.timeline import find_own_message
from yarrow.stories.tools.replay_checks import require_replayable
from yarrow.stories.tools.replay_rules import NOTHING_CONFIRMED, ConfirmedEffects
from yarrow.stories.turn_runs import NOT_COMMITTED

REPLACED = "Floor is not committed any more: another one replaced it"

_INPUT_SEPARATOR = "\n\n"
"""Between the inputs of an imported turn that has several, as between those of a prompt."""


class ReplacedTurn(Struct, frozen=True):
    """A committed turn and its input, which is answered again."""

    id: TurnId
    branch: str
    text: str


class EditPlace(Struct, frozen=True):
    """The branch of an edited turn, the turn it replaces, and its input."""

    source_turn: TurnId
    text: str
    place: TurnPlace


async def find_turn_session(
    database: Database, account_id: AccountId, turn_id: TurnId
) -> SessionId:
    """Find the story of a turn; raise if the account has no such turn."""
    async with database.connection() as tx:
        return (await _find_own_turn(tx, account_id, turn_id)).session_id


async def find_message_session(
    database: Database, account_id: AccountId, message_id: MessageId
) -> SessionId:
    """Find the story of a message; raise if the account has no such message."""
    async with database.connection() as tx:
        return (await find_own_message(tx, account_id, message_id)).turn.session_id


async def find_regenerated_turn(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str | None,
    state_writes: Sequence[StateWrite] = (),
    confirmed: ConfirmedEffects = NOTHING_CONFIRMED,
) -> ReplacedTurn:
    """Find the last committed turn of a branch, which a new turn is to replace."""
    name = MAIN_BRANCH if branch is None else branch
    async with database.connection() as tx:
        require_answerable(await require_own_story(tx, account_id, session_id))
        await require_writable(tx, account_id, session_id, state_writes, branch=name)
        found = await branch_store.find_branch(tx, session_id, name)
        if found is None:
            raise BranchNotFound(name)
        turn_id = await turn_state_store.find_newest_turn(tx, found.id)
        if turn_id is None:
            raise NoTurnToRegenerate(name)
        replaced = await _read_replaced(tx, turn_id)
        await require_replayable(tx, session_id, turn_id, confirmed)
        return replaced


async def find_input_turn(
    database: Database, account_id: AccountId, session_id: SessionId, message_id: str
) -> ReplacedTurn | None:
    """Find the turn whose input is sent again, to replace it and those behind it.

    None if there is no such turn or story. Effects that are not safe to repeat cannot be confirmed
    here.
    """
    async with database.connection() as tx:
        if await store.find_session(tx, account_id, session_id) is None:
            return None
        turns = await turn_state_store.find_input_turns(tx, session_id, message_id)
        for turn_id, _ in turns:
            await require_replayable(tx, session_id, turn_id, NOTHING_CONFIRMED)
    return ReplacedTurn(*turns[0], text="") if turns else None


async def find_retried_turn(
    database: Database,
    account_id: AccountId,
    turn_id: TurnId,
    *,
    state_writes: Sequence[StateWrite] = (),
    confirmed: ConfirmedEffects = NOTHING_CONFIRMED,
) -> ReplacedTurn:
    """Find a committed turn whose reply is to be replaced."""
    async with database.connection() as tx:
        turn = await _find_own_turn(tx, account_id, turn_id)
        require_answerable(await require_own_story(tx, account_id, turn.session_id))
        await require_writable(tx, account_id, turn.session_id, state_writes, branch=turn.branch)
        if turn.status is not TurnStatus.ANSWERED:
            raise WrongState(REPLACED if turn.status is TurnStatus.SUPERSEDED else NOT_COMMITTED)
        replaced = await _read_replaced(tx, turn_id)
        await require_replayable(tx, turn.session_id, turn_id, confirmed)
        return replaced


async def place_edit(
    database: Database,
    account_id: AccountId,
    message_id: MessageId,
    *,
    content: str,
    branch: str | None,
    state_writes: Sequence[StateWrite] = (),
    confirmed: ConfirmedEffects = NOTHING_CONFIRMED,
) -> EditPlace:
    """Make the branch of an edited turn. It begins where the edited turn began, with the state
    before that turn, and appears when the edit commits."""
    name = make_branch_name() if branch is None else branch
    require_branch_name(name)
    async with database.transaction() as tx:
        found = await find_own_message(tx, account_id, message_id)
        session_id = found.turn.session_id
        await store.lock_sessions(tx, [session_id])
        require_answerable(await require_own_story(tx, account_id, session_id))
        await require_writable(tx, account_id, session_id, state_writes, branch=found.turn.branch)
        found = await find_own_message(tx, account_id, message_id)
        _require_editable(found)
        if await branch_store.read_branches(tx, session_id, name):
            raise BranchExists(name)
        await require_replayable(tx, session_id, found.turn.id, confirmed)
        view = await turn_store.read_turn(tx, found.turn.id)
        assert view is not None
        parent = None if view.parent_id is None else await _find_turn(tx, view.parent_id)
        values = await _find_earlier_values(tx, found.turn, parent)
        fork = await make_fork(tx, session_id, name, parent)
        place = await create_branch(tx, account_id, session_id, fork, values)
        await _give_state(tx, found.turn, fork.id)
        return EditPlace(found.turn.id, _join_inputs(view, {message_id: content}), place)


async def _give_state(tx: Tx, source: TurnRef, branch_id: BranchId) -> None:
    """Give the branch of an edit the session state as it was before the edited turn."""
    entries = await find_earlier_session_state(tx, source.account_id, source.branch_id, source.id)
    if entries is not None:
        await session_state_store.replace_values(tx, source.session_id, branch_id, entries)


def _require_editable(found: FoundMessage) -> None:
    """Raise unless the message is the active input of a committed turn."""
    if found.version.role is not Role.USER:
        raise MessageRoleInvalid(found.version.details.shown_role or found.version.role)
    if not found.version.active:
        raise MessageScopeInvalid(str(found.version.id))
    if found.turn.status not in (TurnStatus.ANSWERED, TurnStatus.SUPERSEDED):
        raise WrongState(NOT_COMMITTED)


async def _find_own_turn(tx: Tx, account_id: AccountId, turn_id: TurnId) -> TurnRef:
    turn = await turn_store.find_turn(tx, turn_id)
    if turn is None or await store.find_session(tx, account_id, turn.session_id) is None:
        raise TurnNotFound(str(turn_id))
    return turn


async def _find_turn(tx: Tx, turn_id: TurnId) -> TurnRef:
    turn = await turn_store.find_turn(tx, turn_id)
    assert turn is not None
    return turn


async def _read_replaced(tx: Tx, turn_id: TurnId) -> ReplacedTurn:
    view = await turn_store.read_turn(tx, turn_id)
    assert view is not None
    if not (text := _join_inputs(view)):
        hidden = any(each.is_input and each.active and each.hidden for each in view.versions)
        raise InputHidden(str(turn_id)) if hidden else InputMissing(str(turn_id))
    return ReplacedTurn(turn_id, view.branch, text)


def _join_inputs(turn: TurnView, edited: dict[MessageId, str] | None = None) -> str:
    """The input of a turn as prompts have it, with other text for the message that was edited."""
    edited = edited or {}
    inputs = [version for version in turn.versions if version.is_input and version.active]
    shown = [each for each in inputs if each.id in edited or not each.hidden]
    return _INPUT_SEPARATOR.join(edited.get(each.id, each.content) for each in shown)


async def _find_earlier_values(tx: Tx, source: TurnRef, parent: TurnRef | None) -> JsonObject:
    """The branch's variables before a turn: of its own record, else those after its parent."""
    values = await find_earlier_variables(tx, source.account_id, source.branch_id, source.id)
    if values is not None:
        return values
    if parent is None:
        return {}
    state = await turn_state_store.find_state(tx, parent.id)
    if state is None:
        raise SnapshotMissing(str(parent.id))
    return state.variables
