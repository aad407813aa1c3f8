"""Who may read and change a session."""

from yarrow.errors import Forbidden
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.errors import SessionNotFound
from yarrow.sessions.model import Ownership


def require_owner(session: SessionId, ownership: Ownership, *, caller: AccountId) -> None:
    """Raise unless the session exists, is not deleted and belongs to the caller."""
    if ownership.owner is None:
        raise SessionNotFound(str(session))
    if ownership.owner != caller:
        raise Forbidden
    if ownership.deleted:
        raise SessionNotFound(str(session))
