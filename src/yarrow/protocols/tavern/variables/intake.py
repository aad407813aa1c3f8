"""From the wire to values."""

from yarrow.errors import InvalidInput
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.variables.wire import PlaceBody
from yarrow.stories.variables import ScopeSelector
from yarrow.variables.model import GLOBAL_ID, Scope

BRANCH_PREFIX = "branch"


def scope_selector(body: PlaceBody) -> ScopeSelector:
    """Parse the scope that a client names; raises if an id is no UUID."""
    session_id = None if body.session_id is None else ids.session_id(body.session_id)
    given = body.scope_id
    match body.scope:
        case Scope.GLOBAL:
            if given not in {None, GLOBAL_ID}:
                raise InvalidInput(f"scope_id must be {GLOBAL_ID} here", field="scope_id")
            return ScopeSelector(Scope.GLOBAL)
        case Scope.CHAT:
            if given is None and session_id is None:
                raise InvalidInput("scope chat needs session_id", field="session_id")
            named = session_id if given is None else ids.session_id(given)
            _require_same(session_id, named)
            return ScopeSelector(Scope.CHAT, named)
        case Scope.BRANCH:
            return _branch(body)
        case Scope.TURN:
            return ScopeSelector(
                Scope.TURN, session_id, target_id=ids.turn_id(given) if given else None
            )
        case Scope.MESSAGE:
            return ScopeSelector(
                Scope.MESSAGE, session_id, target_id=ids.message_id(given) if given else None
            )


def _branch(body: PlaceBody) -> ScopeSelector:
    """A branch by its session and name, or by the `scope_id` we write for it."""
    session, name = body.session_id, body.branch_id
    if body.scope_id is not None:
        prefix, _, rest = body.scope_id.partition(":")
        of_session, _, named = rest.partition(":")
        if prefix != BRANCH_PREFIX or not named:
            rule = f"scope_id must be {BRANCH_PREFIX}:SESSION:BRANCH here"
            raise InvalidInput(rule, field="scope_id")
        _require_same(session, of_session)
        _require_same(name, named)
        session, name = of_session, named
    return ScopeSelector(Scope.BRANCH, None if session is None else ids.session_id(session), name)


def _require_same(one: object, other: object) -> None:
    if None not in {one, other} and one != other:
        raise InvalidInput("scope_id and the ids beside it name different things", field="scope_id")
