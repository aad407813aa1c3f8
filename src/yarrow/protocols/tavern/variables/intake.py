"""From a scope in a body or query to a `ScopeSelector`."""

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonValue
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.variables.wire import ScopeBody, VariableBody
from yarrow.stories.variables import ScopeSelector
from yarrow.variables.model import GLOBAL_ID, Scope
from yarrow.variables.write_limits import require_key, require_value

BRANCH_PREFIX = "branch"


def parse_scope(body: ScopeBody) -> ScopeSelector:
    """Parse the scope that a client names; raises if an id is no UUID."""
    session_id = None if body.session_id is None else ids.parse_session_id(body.session_id)
    scope_id = body.scope_id
    match body.scope:
        case Scope.GLOBAL:
            if scope_id not in {None, GLOBAL_ID}:
                raise InvalidInput(f"scope_id must be {GLOBAL_ID} here", field="scope_id")
            return ScopeSelector(Scope.GLOBAL)
        case Scope.CHAT:
            if scope_id is None and session_id is None:
                raise InvalidInput("scope chat needs session_id", field="session_id")
            chat_id = session_id if scope_id is None else ids.parse_session_id(scope_id)
            _require_same(session_id, chat_id)
            return ScopeSelector(Scope.CHAT, chat_id)
        case Scope.BRANCH:
            return _parse_branch(body)
        case Scope.TURN:
            return ScopeSelector(
                Scope.TURN, session_id, target_id=ids.parse_turn_id(scope_id) if scope_id else None
            )
        case Scope.MESSAGE:
            return ScopeSelector(
                Scope.MESSAGE,
                session_id,
                target_id=ids.parse_message_id(scope_id) if scope_id else None,
            )


def parse_write(body: VariableBody) -> tuple[ScopeSelector, str, JsonValue]:
    """Parse a write of a batch; raises for what could not be stored."""
    scope = parse_scope(body)
    require_key(body.key)
    require_value(body.value)
    return scope, body.key, body.value


def _parse_branch(body: ScopeBody) -> ScopeSelector:
    """A branch by session and name, or by the `scope_id` that `encode_scope` writes."""
    session, name = body.session_id, body.branch_id
    if body.scope_id is not None:
        prefix, _, rest = body.scope_id.partition(":")
        scope_session, _, scope_branch = rest.partition(":")
        if prefix != BRANCH_PREFIX or not scope_branch:
            rule = f"scope_id must be {BRANCH_PREFIX}:SESSION:BRANCH here"
            raise InvalidInput(rule, field="scope_id")
        _require_same(session, scope_session)
        _require_same(name, scope_branch)
        session, name = scope_session, scope_branch
    return ScopeSelector(
        Scope.BRANCH, None if session is None else ids.parse_session_id(session), name
    )


def _require_same(one: object, other: object) -> None:
    if None not in {one, other} and one != other:
        raise InvalidInput("scope_id and the ids beside it name different things", field="scope_id")
