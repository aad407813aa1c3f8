"""Bodies of the operations routes. None of them has words of a session."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from yarrow.protocols.account.strict_request import StrictRequest

TICKET_MAX = 64


class GrantBody(StrictRequest):
    """Points for an account. A repeated ticket is ignored."""

    amount: int = Field(ge=1, le=10**12)
    ticket_id: str = Field(min_length=1, max_length=TICKET_MAX)


class OperatedRunOut(BaseModel):
    """A run of any account. `own` if the operator is its owner and may open its session.

    Nobody may open a session that was deleted; its run can still be read and cancelled.
    """

    id: UUID
    account_id: UUID
    session_id: UUID
    session_deleted: bool
    agent: str
    status: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    failure: str | None
    attempt: int
    worker_id: UUID | None
    cancel_requested: bool
    own: bool
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class OperatedRunListOut(BaseModel):
    """Active runs oldest first, others newest first."""

    runs: list[OperatedRunOut]


class RunSearchOut(BaseModel):
    """Newest first. `next` is present if there are more runs to look at: send it as `after`."""

    runs: list[OperatedRunOut]
    next: UUID | None = None


class EventGroupOut(BaseModel):
    """Neighbouring events of one kind. A gap in the numbers is another attempt.

    Times are exact to a quarter of a second, and null in runs of older versions; a pause of a
    second begins another group.
    """

    kind: str
    first_seq: int
    last_seq: int
    first_at: datetime | None
    last_at: datetime | None
    count: int
    text_chars: int


class RunDetailOut(BaseModel):
    """A run and its events."""

    run: OperatedRunOut
    events: list[EventGroupOut]


class CancelOut(BaseModel):
    """Whether the cancel was accepted; false if the run had ended."""

    accepted: bool


class WorkerOut(BaseModel):
    """A registered worker."""

    id: UUID
    started_at: datetime
    seen_at: datetime
    alive: bool
    runs: int


class AgentLoadOut(BaseModel):
    """The last hour of one agent; seconds from acceptance to the end of succeeded runs."""

    agent: str
    runs: int
    failed: int
    median_s: float | None
    p95_s: float | None
    input_tokens: int
    output_tokens: int


class FindingOut(BaseModel):
    """One check of the running server; `finding` and `facts` are the parts of its message."""

    name: str
    works: bool
    message: str
    finding: str
    facts: dict[str, str]


class CheckOut(FindingOut):
    """One check of `yarrow doctor`. What is not `needed` may be off: the server works without."""

    needed: bool


class DiagnosisOut(BaseModel):
    """All checks of `yarrow doctor`, in its order."""

    checks: list[CheckOut]


class OverviewOut(BaseModel):
    """The state of the server. `sampled` if the last hour had more runs than were counted."""

    queued: int
    running: int
    workers: list[WorkerOut]
    last_hour: list[AgentLoadOut]
    sampled: bool
    findings: list[FindingOut]


class FoundAccountOut(BaseModel):
    """An account with its points."""

    id: UUID
    email: str | None
    balance: int
    held: int
    available: int
