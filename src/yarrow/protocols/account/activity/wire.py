"""Response bodies of the lists of sessions and runs."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from yarrow.protocols.account.strict_request import StrictRequest


class SessionOut(BaseModel):
    """A session of any agent."""

    id: UUID
    title: str
    agent: str
    running: bool
    run_id: str | None
    """The `runId` of its active run."""
    message_count: int
    tokens: int
    cost: str
    created_at: datetime
    last_activity_at: datetime


class SessionListOut(BaseModel):
    """The most recently active first. `next` is present if there are more: send it as `after`."""

    sessions: list[SessionOut]
    next: UUID | None = None


class FoundSessionOut(BaseModel):
    """A session, and the newest of its messages that has all the words."""

    id: UUID
    title: str
    agent: str
    role: Literal["user", "assistant"]
    snippet: str
    created_at: datetime


class FoundSessionsOut(BaseModel):
    """The newest message first.

    `searched_until` is null if all sessions were looked at; else send it as `before`, to look at
    older ones. Of `sessions_searched_in_part` sessions only the newest messages were looked at.
    """

    sessions: list[FoundSessionOut]
    searched_until: datetime | None
    sessions_searched_in_part: int


class SessionPatchBody(StrictRequest):
    """The new title: one line of 1 to 200 characters."""

    title: str


class BegunSessionOut(BaseModel):
    """A session that can be written to; its first run sets title and agent."""

    id: UUID


class SessionTitleOut(BaseModel):
    """A session after its title was changed."""

    id: UUID
    title: str


class RunOut(BaseModel):
    """A run: what became of it, and what it used."""

    id: UUID
    session_id: UUID
    run_id: str
    agent: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    failure: str | None
    attempt: int
    points: int
    held_points: int
    message_id: UUID | None
    model: str | None
    input_tokens: int
    output_tokens: int
    cost: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class RunListOut(BaseModel):
    """Newest first."""

    runs: list[RunOut]
