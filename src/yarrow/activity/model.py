"""Rows of the lists of sessions and runs."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from yarrow.ids import RunId, SessionId
from yarrow.runs.model import RunStatus


@dataclass(frozen=True, slots=True)
class SessionSummary:
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


@dataclass(frozen=True, slots=True)
class SessionList:
    """Some sessions of a longer list."""

    sessions: tuple[SessionSummary, ...]
    next_after: SessionId | None
    """The last session that was looked at, if there are more."""


@dataclass(frozen=True, slots=True)
class RunSummary:
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
    model: str | None
    input_tokens: int
    output_tokens: int
    cost: Decimal
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
