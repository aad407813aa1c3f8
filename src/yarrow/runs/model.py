"""The values of a run: its request, its stored form, its outcome."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec

from yarrow.ids import AccountId, RunId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.runs.events import FailureReason
from yarrow.sessions.model import Visibility

EVENTS_PER_ATTEMPT = 1_000_000
"""Each attempt numbers its events in a range of its own, so that a worker whose lease expired
can never use a sequence number of its successor."""


class RunStatus(StrEnum):
    """The state of a run; `transitions` draws how it changes."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self not in (RunStatus.QUEUED, RunStatus.RUNNING)


class ClientTool(msgspec.Struct, frozen=True):
    """A tool that the client executes itself; the agent may call it."""

    name: str
    description: str
    parameters: JsonObject


class ContextItem(msgspec.Struct, frozen=True):
    """Background information from the client for the agent."""

    description: str
    value: str


class ToolResult(msgspec.Struct, frozen=True):
    """The result of an earlier call of a client's tool."""

    call_id: str
    content: str


class InputImage(msgspec.Struct, frozen=True):
    """An image of the user: its path in our storage and its type."""

    path: str
    mime_type: str


class RunInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the client sent, without wire words; stored with the run so any worker can start it."""

    text: str
    images: tuple[InputImage, ...] = ()
    images_left_out: int = 0
    """Number of images at other servers' addresses: never fetched."""
    tool_results: tuple[ToolResult, ...] = ()
    tools: tuple[ClientTool, ...] = ()
    context: tuple[ContextItem, ...] = ()
    request_id: str = ""
    model: str = ""
    """A model the client brought, encrypted by `llm/brought.py`; empty: the server's."""
    model_left_out: bool = False
    """The client named a model that is not the server's, without its address."""
    options: JsonObject = {}
    """What one kind of agent needs beside the text; that agent's `input.py` parses it."""


class SessionPolicy(StrEnum):
    """What a run expects of its session."""

    NEW = "new"
    """Its id was made for this run, so it cannot exist yet."""
    CREATE = "create"
    MUST_EXIST = "must_exist"


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A validated request for a run, not yet accepted."""

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
class RunRef:
    """The ids that name a run."""

    id: RunId
    session_id: SessionId
    key: str


@dataclass(frozen=True, slots=True)
class AcceptedRun:
    """The answer to a request, the same however often it is repeated."""

    ref: RunRef
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RunRow:
    """A stored run as its account may ask for it."""

    ref: RunRef
    status: RunStatus
    agent: str


@dataclass(frozen=True, slots=True)
class ClaimedRun:
    """A run that this worker owns, for this attempt."""

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
        """The sequence number of this attempt's first event."""
        return (self.attempt - 1) * EVENTS_PER_ATTEMPT + 1


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The agent finished its answer."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The agent could not answer."""

    reason: FailureReason
    iteration: int | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The account cancelled the run."""


Outcome = Succeeded | Failed | Cancelled


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """What the engine needs to know of an agent, as data."""

    name: str
    price: int
    deadline_s: float
    turn_cap: int | None = None
    """How many answered turns a session may have."""
    visibility: Visibility = Visibility.BOTH
    """Who can read the turn later: the user's history, the model's prompts."""
