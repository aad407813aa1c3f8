"""Decisions about sessions: values in, a value or an error out."""

from yarrow.errors import Forbidden, InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.sessions.errors import SessionNotFound
from yarrow.sessions.model import NewMessage, Ownership

TITLE_LENGTH = 60


def title_of(text: str) -> str:
    """A session's title: the first words of its first question, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


def require_owner(session: SessionId, ownership: Ownership, *, caller: AccountId) -> None:
    """The session exists, is not deleted and is the caller's own."""
    if ownership.owner is None:
        raise SessionNotFound(str(session))
    if ownership.owner != caller:
        raise Forbidden
    if ownership.deleted:
        raise SessionNotFound(str(session))


def require_sound(message: NewMessage) -> None:
    """The figures of a message are possible: nothing took less than nothing."""
    tokens = min(message.input_tokens, message.output_tokens)
    if tokens < 0 or message.cost < 0 or (message.latency_ms or 0) < 0:
        raise InvalidInput("tokens, cost and latency of a message must not be negative")
