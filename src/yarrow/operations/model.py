"""Rows of the operations lists. None of them has words of a session."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from msgspec import Struct

from yarrow.ids import AccountId, RunId, SessionId
from yarrow.operations.findings import Finding
from yarrow.points.model import Balance
from yarrow.runs.model import RunStatus


class RunGroup(StrEnum):
    """Which runs are listed."""

    ACTIVE = "active"
    FAILED = "failed"
    RECENT = "recent"


class RunOverview(Struct, frozen=True):
    """A run of any account."""

    id: RunId
    account_id: AccountId
    session_id: SessionId
    is_session_deleted: bool
    key: str
    agent: str
    status: RunStatus
    failure: str | None
    attempt: int
    worker_id: UUID | None
    is_cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class RunSearch(Struct, frozen=True):
    """The runs that a search found among those it looked at, the newest first."""

    runs: tuple[RunOverview, ...]
    next_after: RunId | None
    """The last run that was looked at, if there are more."""


class WorkerSummary(Struct, frozen=True):
    """A registered worker; `is_alive` while its lease is valid."""

    id: UUID
    started_at: datetime
    seen_at: datetime
    is_alive: bool
    run_count: int


class AgentStatistics(Struct, frozen=True):
    """What the runs of one agent did in the last hour; times are those of succeeded runs."""

    agent: str
    run_count: int
    failed_count: int
    median_s: float | None
    p95_s: float | None
    input_tokens: int
    output_tokens: int


class OperationsOverview(Struct, frozen=True):
    """The state of the server; `is_sampled` if the last hour had more runs than are counted."""

    queued: int
    running: int
    workers: tuple[WorkerSummary, ...]
    last_hour: tuple[AgentStatistics, ...]
    is_sampled: bool


class EventGroup(Struct, frozen=True):
    """Neighbouring events of one kind: their numbers, times and size, not their content.

    A pause of a second begins another group. Times are None where the journal has none.
    """

    kind: str
    first_number: int
    last_number: int
    first_at: datetime | None
    last_at: datetime | None
    count: int
    text_chars: int


class AccountOverview(Struct, frozen=True):
    """An account that an operator looked up."""

    id: AccountId
    email: str | None
    balance: Balance


class CheckResult(Struct, frozen=True):
    """One check of the server. If a `needed` one fails, the server does not work."""

    name: str
    works: bool
    finding: Finding
    facts: Mapping[str, str] = {}
    needed: bool = False

    @property
    def message(self) -> str:
        return self.finding.format(**self.facts)
