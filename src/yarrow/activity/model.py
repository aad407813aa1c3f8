"""Rows of the lists of sessions and runs."""

from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from yarrow.ids import MessageId, RunId, SessionId
from yarrow.runs.model import RunStatus
from yarrow.sessions.model import Role


class SessionSummary(Struct, frozen=True):
    """A session in a list over all agents."""

    id: SessionId
    title: str
    agent: str
    """The agent of its first run; empty while it has none."""
    active_key: str | None
    """The key of its newest active run."""
    message_count: int
    tokens: int
    cost: Decimal
    created_at: datetime
    last_activity_at: datetime


class SessionList(Struct, frozen=True):
    """Some sessions of a longer list."""

    sessions: tuple[SessionSummary, ...]
    next_after: SessionId | None
    """The last session that was looked at, if there are more."""


class FoundSession(Struct, frozen=True):
    """A session with the newest of its messages that has all the words of a search."""

    id: SessionId
    title: str
    agent: str
    role: Role
    snippet: str
    """The text around the first of the words."""
    created_at: datetime
    """When the message was written."""


class FoundSessions(Struct, frozen=True):
    """What a search found, and how far it looked."""

    sessions: tuple[FoundSession, ...]
    searched_until: datetime | None
    """Sessions that were last active before this were not looked at; None if all were."""
    cut_sessions: int
    """Sessions of which only the newest messages were looked at."""


class RunSummary(Struct, frozen=True):
    """A run in a list: what became of it, and what it used."""

    id: RunId
    session_id: SessionId
    key: str
    agent: str
    status: RunStatus
    failure: str | None
    attempt: int
    points: int
    """What it cost; 0 unless it succeeded."""
    held_points: int
    """What is held for it until it ends."""
    message_id: MessageId | None
    """Its answer; None unless it succeeded."""
    model: str | None
    input_tokens: int
    output_tokens: int
    cost: Decimal
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
