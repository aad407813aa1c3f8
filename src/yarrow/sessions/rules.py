"""Decisions about sessions, without I/O."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, tzinfo
from itertools import chain

from yarrow.errors import Forbidden, InvalidInput
from yarrow.ids import AccountId, MessageId, SessionId
from yarrow.sessions.errors import SessionNotFound
from yarrow.sessions.model import MessageVersion, NewMessage, Ownership, RecentSession

TITLE_LENGTH = 60
GIVEN_TITLE_LENGTH = 200

SEARCHED_SESSIONS = 200
SEARCHED_EACH = 300
"""Messages of one session, the newest."""
SEARCHED_MESSAGES = 3_000
"""A search reads the text of each message: about two microseconds. There is no index that finds
parts of Chinese words in every build of PostgreSQL that is supported."""


def make_title(text: str) -> str:
    """Make a session's title from its first message: one line, cut to `TITLE_LENGTH`."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


def require_title(text: str) -> str:
    """Check a title that a user gave to a session: one line, not blank."""
    title = text.strip()
    if not title or len(title) > GIVEN_TITLE_LENGTH or any(ord(sign) < ord(" ") for sign in title):
        raise InvalidInput(
            f"title must be one line of 1 to {GIVEN_TITLE_LENGTH} characters", field="title"
        )
    return title


def require_owner(session: SessionId, ownership: Ownership, *, caller: AccountId) -> None:
    """Raise unless the session exists, is not deleted and belongs to the caller."""
    if ownership.owner is None:
        raise SessionNotFound(str(session))
    if ownership.owner != caller:
        raise Forbidden
    if ownership.deleted:
        raise SessionNotFound(str(session))


def require_valid_usage(message: NewMessage) -> None:
    """Raise if tokens, cost or latency of a message are negative."""
    tokens = min(message.input_tokens, message.output_tokens)
    if tokens < 0 or message.cost < 0 or (message.latency_ms or 0) < 0:
        raise InvalidInput("tokens, cost and latency of a message must not be negative")


def find_day_start(day: date, zone: tzinfo) -> datetime:
    """Where a day of the history begins: at midnight in the user's time zone.

    It is the first moment of year 1 where UTC has no earlier one.
    """
    try:
        return datetime.combine(day, time.min, zone).astimezone(UTC)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def limit_searched_sessions(sessions: Sequence[RecentSession]) -> Sequence[RecentSession]:
    """Choose the sessions that one search looks into: the first ones, at least one."""
    budget = SEARCHED_MESSAGES
    for index, session in enumerate(sessions[:SEARCHED_SESSIONS]):
        if budget <= 0:
            return sessions[:index]
        budget -= min(session.message_count, SEARCHED_EACH)
    return sessions[:SEARCHED_SESSIONS]


def order_versions(versions: Iterable[MessageVersion]) -> tuple[MessageVersion, ...]:
    """Put the versions of a message together, where its first one stands."""
    slots: dict[MessageId, list[MessageVersion]] = {}
    for version in versions:
        slots.setdefault(version.slot_id, []).append(version)
    return tuple(chain.from_iterable(slots.values()))
