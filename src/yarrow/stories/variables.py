"""Read and write variables of stories, in scopes that clients name by their own ids."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias
from uuid import UUID

from msgspec import Struct

from yarrow.db import Database, Tx
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sessions import branch_store, turn_store
from yarrow.sessions.errors import BranchNotFound, MessageNotFound, TurnNotFound
from yarrow.sessions.model import MAIN_BRANCH, FoundMessage, TurnRef
from yarrow.stories.story_access import require_open
from yarrow.stories.story_state import require_own_story
from yarrow.stories.turn_state import EntryScope
from yarrow.stories.void_write_store import void_writes
from yarrow.variables import global_store, store
from yarrow.variables.errors import VariableNotFound
from yarrow.variables.model import (
    GLOBAL_SCOPE,
    ResolvedVariable,
    Scope,
    ScopeRef,
    Variable,
)
from yarrow.variables.scope_precedence import resolve_precedence
from yarrow.variables.write_limits import require_distinct, require_key, require_room, require_value


class ScopeSelector(Struct, frozen=True):
    """A scope as a client names it; `target_id` is the id of the message, turn or session."""

    scope: Scope
    session_id: SessionId | None = None
    branch: str | None = None
    target_id: UUID | None = None


class ResolvedScope(Struct, frozen=True):
    """A scope that was looked up, and the name of its branch."""

    ref: ScopeRef
    branch: str | None


class WrittenVariable(Struct, frozen=True):
    """A variable after a write."""

    variable: Variable
    scope: ResolvedScope
    created: bool


class VariableView(Struct, frozen=True):
    """The position from which variables are resolved."""

    session_id: SessionId | None = None
    branch: str | None = None
    turn_id: TurnId | None = None
    message_id: MessageId | None = None


_Written: TypeAlias = dict[tuple[ScopeRef, str], tuple[Variable, bool]]


async def put_variables(
    database: Database,
    account_id: AccountId,
    items: Sequence[tuple[ScopeSelector, str, JsonValue]],
) -> tuple[WrittenVariable, ...]:
    """Write all values, or none."""
    for _, key, value in items:
        require_key(key)
        require_value(value)
    async with database.transaction() as tx:
        scopes = await _resolve_writable(tx, account_id, [selector for selector, _, _ in items])
        require_distinct([(scopes[selector].ref, key) for selector, key, _ in items])
        values: dict[ScopeRef, JsonObject] = {}
        for selector, key, value in items:
            values.setdefault(scopes[selector].ref, {})[key] = value
        written = await _write_scopes(tx, account_id, values)
    return tuple(_find_written(written, scopes[selector], key) for selector, key, _ in items)


async def _write_scopes(
    tx: Tx, account_id: AccountId, values: dict[ScopeRef, JsonObject]
) -> _Written:
    """Write scope by scope, in one order, so that two batches cannot deadlock."""
    written: _Written = {}
    for ref in sorted(values, key=lambda ref: (ref.scope, ref.scope_id)):
        await store.lock_scope(tx, account_id, ref)
        if ref.scope is Scope.GLOBAL:
            await global_store.forget_writes(tx, account_id, list(values[ref]))
        if ref.scope is Scope.BRANCH:
            await _void_writes(tx, ref, values[ref])
        stored = await store.write_variables(tx, account_id, ref, values[ref])
        require_room(ref, await store.count_variables(tx, account_id, ref))
        written |= {(ref, key): variable for key, variable in stored.items()}
    return written


async def _void_writes(tx: Tx, branch: ScopeRef, keys: Iterable[str]) -> None:
    entries = [(EntryScope.BRANCH, key) for key in keys]
    await void_writes(tx, BranchId(UUID(branch.scope_id)), entries)


def _find_written(written: _Written, scope: ResolvedScope, key: str) -> WrittenVariable:
    variable, created = written[scope.ref, key]
    return WrittenVariable(variable, scope, created)


async def read_variables(
    database: Database, account_id: AccountId, selector: ScopeSelector
) -> tuple[ResolvedScope, tuple[Variable, ...]]:
    """Read all variables of one scope."""
    async with database.connection() as tx:
        scope = await _resolve_scope(tx, account_id, selector)
        return scope, await store.read_scopes(tx, account_id, [scope.ref])


async def delete_variable(
    database: Database, account_id: AccountId, selector: ScopeSelector, *, key: str
) -> ResolvedScope:
    async with database.transaction() as tx:
        scope = (await _resolve_writable(tx, account_id, [selector]))[selector]
        await store.lock_scope(tx, account_id, scope.ref)
        if scope.ref.scope is Scope.GLOBAL:
            await global_store.forget_writes(tx, account_id, [key])
        if not await store.delete_variable(tx, account_id, scope.ref, key=key):
            raise VariableNotFound(key)
        if scope.ref.scope is Scope.BRANCH:
            await _void_writes(tx, scope.ref, [key])
    return scope


async def resolve_variables(
    database: Database, account_id: AccountId, view: VariableView
) -> tuple[ResolvedVariable, ...]:
    """Read for each key the value in the narrowest scope that is visible from a position."""
    async with database.connection() as tx:
        refs = await _list_visible_scopes(tx, account_id, view)
        return resolve_precedence(await store.read_scopes(tx, account_id, refs))


async def _list_visible_scopes(tx: Tx, account_id: AccountId, view: VariableView) -> list[ScopeRef]:
    """The global scope and those that the view names. A message implies its turn."""
    refs = [GLOBAL_SCOPE]
    session_id, branch, turn_id = view.session_id, view.branch, view.turn_id
    if view.message_id is not None:
        message = await _find_message(tx, account_id, view.message_id, session_id)
        refs.append(_make_message_scope(message))
        turn_id = turn_id or message.turn.id
    if turn_id is not None:
        turn = await _find_turn(tx, account_id, turn_id, session_id)
        refs.append(_make_turn_scope(turn))
        session_id, branch = turn.session_id, branch or turn.branch
    if session_id is not None:
        selectors = [
            ScopeSelector(Scope.CHAT, session_id),
            ScopeSelector(Scope.BRANCH, session_id, branch or MAIN_BRANCH),
        ]
        refs += [(await _resolve_scope(tx, account_id, each)).ref for each in selectors]
    return refs


async def _resolve_writable(
    tx: Tx, account_id: AccountId, selectors: Sequence[ScopeSelector]
) -> dict[ScopeSelector, ResolvedScope]:
    """Look up scopes to write to; raises if one belongs to an archived story."""
    scopes = {each: await _resolve_scope(tx, account_id, each) for each in dict.fromkeys(selectors)}
    for session_id in {scope.ref.session_id for scope in scopes.values()}:
        if session_id is not None:
            require_open(await require_own_story(tx, account_id, session_id))
    return scopes


async def _resolve_scope(tx: Tx, account_id: AccountId, selector: ScopeSelector) -> ResolvedScope:
    match selector.scope:
        case Scope.GLOBAL:
            return ResolvedScope(GLOBAL_SCOPE, None)
        case Scope.CHAT:
            session_id = selector.session_id or SessionId(_require_target(selector))
            await require_own_story(tx, account_id, session_id)
            return ResolvedScope(ScopeRef(Scope.CHAT, str(session_id), session_id), None)
        case Scope.BRANCH:
            return await _resolve_branch(tx, account_id, selector)
        case Scope.TURN:
            turn_id = TurnId(_require_target(selector))
            turn = await _find_turn(tx, account_id, turn_id, selector.session_id)
            return ResolvedScope(_make_turn_scope(turn), turn.branch)
        case Scope.MESSAGE:
            message_id = MessageId(_require_target(selector))
            message = await _find_message(tx, account_id, message_id, selector.session_id)
            return ResolvedScope(_make_message_scope(message), None)


def _require_target(selector: ScopeSelector) -> UUID:
    if selector.target_id is None:
        raise InvalidInput(f"scope {selector.scope} needs scope_id", field="scope_id")
    return selector.target_id


async def _resolve_branch(tx: Tx, account_id: AccountId, selector: ScopeSelector) -> ResolvedScope:
    if selector.session_id is None:
        raise InvalidInput("scope branch needs session_id", field="session_id")
    await require_own_story(tx, account_id, selector.session_id)
    name = selector.branch or MAIN_BRANCH
    branch = await branch_store.find_branch(tx, selector.session_id, name)
    if branch is None:
        raise BranchNotFound(name)
    return ResolvedScope(ScopeRef(Scope.BRANCH, str(branch.id), selector.session_id), name)


async def _find_turn(
    tx: Tx, account_id: AccountId, turn_id: TurnId, session_id: SessionId | None
) -> TurnRef:
    turn = await turn_store.find_turn(tx, turn_id)
    if turn is None or not _is_own(turn, account_id, session_id):
        raise TurnNotFound(str(turn_id))
    return turn


async def _find_message(
    tx: Tx, account_id: AccountId, message_id: MessageId, session_id: SessionId | None
) -> FoundMessage:
    message = next(iter(await turn_store.find_messages(tx, [message_id])), None)
    if message is None or not _is_own(message.turn, account_id, session_id):
        raise MessageNotFound(str(message_id))
    return message


def _is_own(turn: TurnRef, account_id: AccountId, session_id: SessionId | None) -> bool:
    return turn.account_id == account_id and session_id in {None, turn.session_id}


def _make_turn_scope(turn: TurnRef) -> ScopeRef:
    return ScopeRef(Scope.TURN, str(turn.id), turn.session_id)


def _make_message_scope(message: FoundMessage) -> ScopeRef:
    return ScopeRef(Scope.MESSAGE, str(message.version.id), message.turn.session_id)
