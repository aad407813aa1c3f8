"""The values of a run: what is asked, what is stored, how it ends."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec

from yarrow.ids import AccountId, RunId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.runs.events import FailureReason
from yarrow.sessions.model import Visibility

EVENTS_PER_ATTEMPT = 1_000_000
"""Each attempt numbers its events in a range of its own, so that a worker that comes back
from the dead can never take a number of its successor's."""

MAX_ATTEMPTS = 5
"""A run that was begun this often, by crashes, hand-backs or a database that went away, is
failed instead of begun again."""


class RunStatus(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self not in (RunStatus.QUEUED, RunStatus.RUNNING)


class ClientTool(msgspec.Struct, frozen=True):
    """A tool the client runs itself; the agent may ask for it."""

    name: str
    description: str
    parameters: JsonObject


class ContextItem(msgspec.Struct, frozen=True):
    """Something the client wants the agent to know."""

    description: str
    value: str


class ToolResult(msgspec.Struct, frozen=True):
    """What a client's tool answered to an earlier call."""

    call_id: str
    content: str


class InputImage(msgspec.Struct, frozen=True):
    """A picture the user sent: where it lies in our storage, and what it is."""

    path: str
    mime_type: str


class RunInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the client sent, in our words; kept with the run so that any worker can start it."""

    text: str
    images: tuple[InputImage, ...] = ()
    images_left_out: int = 0
    """Pictures at other servers' addresses: never fetched, so the run goes on without them."""
    tool_results: tuple[ToolResult, ...] = ()
    tools: tuple[ClientTool, ...] = ()
    context: tuple[ContextItem, ...] = ()
    request_id: str = ""
    model: str = ""
    """A model the client brought, sealed by `llm/brought.py`; empty: the server's."""
    model_left_out: bool = False
    """The client named a model that is not the server's, and no address of it."""
    options: JsonObject = {}
    """What an agent of its own kind needs beside the text; that agent's `input.py` reads it."""


class SessionPolicy(StrEnum):
    """What a run expects of its session."""

    NEW = "new"
    """Its id was made for this run, so nothing can be known of it."""
    CREATE = "create"
    MUST_EXIST = "must_exist"


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A wish for a run, checked for form, not yet accepted."""

    account_id: AccountId
    session_id: SessionId
    key: str
    """The client's own id of the run; unique within its session."""
    agent: str
    input: RunInput
    digest: bytes
    """A hash of the whole body: the same key with another digest is a conflict."""
    session_policy: SessionPolicy = SessionPolicy.CREATE


@dataclass(frozen=True, slots=True)
class AcceptedRun:
    """The answer to a request, the same however often it is repeated."""

    id: RunId
    session_id: SessionId
    key: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ClaimedRun:
    """A run in the hands of this worker, for this attempt."""

    id: RunId
    account_id: AccountId
    session_id: SessionId
    turn_id: TurnId
    turn_seq: int
    key: str
    agent: str
    input: RunInput
    price: int
    attempt: int
    cancel_requested: bool
    preferences: JsonObject
    """The account's profile settings."""

    @property
    def first_seq(self) -> int:
        """The number of this attempt's first event."""
        return first_seq(self.attempt)


def first_seq(attempt: int) -> int:
    """The number of an attempt's first event."""
    return (attempt - 1) * EVENTS_PER_ATTEMPT + 1


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The agent answered."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The agent could not answer."""

    reason: FailureReason
    iteration: int | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The account stopped it."""


Outcome = Succeeded | Failed | Cancelled


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What the engine must know of an agent, as data."""

    name: str
    price: int
    deadline_s: float
    turn_cap: int | None = None
    """How many answered turns a session may have."""
    visibility: Visibility = Visibility.BOTH
    """Who sees what is asked and answered later on, in histories and prompts."""
