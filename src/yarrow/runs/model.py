"""The values of a run: its request, its stored form, its outcome."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from yarrow.db import Tx
from yarrow.ids import AccountId, BranchId, RunId, SessionId, TurnId
from yarrow.journal.events import FailureReason, RunEvent
from yarrow.journal.snapshot import Snapshot
from yarrow.kit.json import JsonObject
from yarrow.sessions.model import NewMessageVersions, Visibility
from yarrow.sessions.run_targets import END_OF_MAIN_BRANCH, RunTarget

JOB_ENTRYPOINT = "run"
"""The name of our jobs in PgQueuer's table."""

CANCEL_CHANNEL = "yarrow_cancel"
"""NOTIFY payload: the id of a run that is to be cancelled."""
FINISH_CHANNEL = "yarrow_finish"
"""NOTIFY payload: the id of a run that is to end its answer early."""


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


class DisconnectPolicy(StrEnum):
    """What happens to the run when its client disconnects."""

    CONTINUE = "continue"
    CANCEL = "cancel"


class ClientTool(Struct, frozen=True):
    """A tool that the client executes itself; the agent may call it."""

    name: str
    description: str
    parameters: JsonObject


class ContextItem(Struct, frozen=True):
    """Background information from the client for the agent."""

    description: str
    value: str


class ToolResult(Struct, frozen=True):
    """The result of an earlier call of a client's tool."""

    call_id: str
    content: str


class LastAnswer(Struct, frozen=True):
    """The last assistant message of a client that sends the whole conversation."""

    id: str
    text_start: str


class InputImage(Struct, frozen=True):
    """An image of the user: its path in our storage and its type."""

    path: str
    mime_type: str


class RunInput(Struct, frozen=True, omit_defaults=True):
    """What the client sent, without wire words; stored with the run so any worker can start it."""

    text: str
    images: tuple[InputImage, ...] = ()
    images_left_out: int = 0
    """Number of images at other servers' addresses: never fetched."""
    tool_results: tuple[ToolResult, ...] = ()
    tools: tuple[ClientTool, ...] = ()
    context: tuple[ContextItem, ...] = ()
    instructions: tuple[str, ...] = ()
    """System and developer messages of the client."""
    message_id: str = ""
    """The client's own id of the message; posting it again replaces the turn."""
    last_answer: LastAnswer | None = None
    is_continuation: bool = False
    """The results answer open calls of the run's turn; set when the run is accepted."""
    replaces_later: bool = False
    """The turns behind the replaced one are superseded too; set when the run is accepted."""
    on_disconnect: DisconnectPolicy = DisconnectPolicy.CONTINUE
    """What happens when the last stream of the run is left."""
    history_left_out: bool = False
    """The client brought a conversation that the agent does not use."""
    request_id: str = ""
    model: str = ""
    """The client's own model, encrypted by `llm/client_models.py`; empty: the server's."""
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


class ReplaceInput(Struct, frozen=True):
    """Replace the turn whose input is `RunInput.message_id`, and all later ones; a new turn on the
    main branch if there is none. Accepting the request finds the turn."""

    question: str = ""
    """The text of that input, if the request has none of its own but results of tools: only a turn
    that failed is asked again."""


RequestTarget = RunTarget | ReplaceInput


class RejectWhenBusy(Struct, frozen=True):
    """Refuse a request whose branch has an active run."""


class QueueWhenBusy(Struct, frozen=True):
    """Wait for the branch, first come, first served, until the client leaves."""

    timeout_s: float
    has_left: Callable[[], bool] = lambda: False


BusyPolicy = RejectWhenBusy | QueueWhenBusy


class RunRequest(Struct, frozen=True):
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
    target: RequestTarget = END_OF_MAIN_BRANCH
    history: tuple[tuple[NewMessageVersions, ...], ...] = ()
    """The client's conversation by turns; stored if the session is new."""
    when_busy: BusyPolicy = RejectWhenBusy()
    on_disconnect: DisconnectPolicy = DisconnectPolicy.CONTINUE


class RunRef(Struct, frozen=True):
    """The ids that name a run."""

    id: RunId
    session_id: SessionId
    key: str


class AcceptedRun(Struct, frozen=True):
    """The answer to a request, the same however often it is repeated."""

    ref: RunRef
    created_at: datetime


class RunRow(Struct, frozen=True):
    """A stored run as its account may ask for it."""

    ref: RunRef
    status: RunStatus
    agent: str
    turn_id: TurnId
    on_disconnect: DisconnectPolicy


class ClaimedRun(Struct, frozen=True):
    """A run that this worker owns, for this attempt."""

    id: RunId
    account_id: AccountId
    session_id: SessionId
    branch_id: BranchId
    turn_id: TurnId
    turn_seq: int
    is_retry: bool
    """The turn has a reply already, which this run's reply replaces."""
    replaces: TurnId | None
    """The turn whose place this run's turn takes."""
    key: str
    agent: str
    input: RunInput
    price: int
    attempt: int
    cancel_requested: bool
    preferences: JsonObject
    """The account's profile settings."""


class Succeeded(Struct, frozen=True):
    """The agent finished its answer."""


class Failed(Struct, frozen=True):
    """The agent could not answer."""

    reason: FailureReason
    iteration: int | None = None


class Cancelled(Struct, frozen=True):
    """The account cancelled the run."""


Outcome = Succeeded | Failed | Cancelled

Commit: TypeAlias = Callable[[Tx, ClaimedRun, Snapshot], Awaitable[None]]
"""Writes what an agent's domain keeps of a successful run, inside transaction 2."""


class CommitPart(Struct, frozen=True):
    """CTEs that are added to the statement that completes a run and do what `commit` does; they
    begin with a comma and write nothing without the row of `ended`. `values` are their own."""

    sql: str = ""
    values: dict[str, object] = {}


MakeCommitPart: TypeAlias = Callable[[ClaimedRun, Snapshot], CommitPart | None]

Discard: TypeAlias = Callable[[Tx, ClaimedRun, Sequence[RunEvent]], Awaitable[None]]
"""Removes what a run stored outside the journal, such as tables, and these events do not show."""


class AgentSpec(Struct, frozen=True):
    """What the engine needs to know of an agent, as data."""

    name: str
    price: int
    deadline_s: float
    turn_cap: int | None = None
    """How many answered turns a session may have."""
    visibility: Visibility = Visibility.BOTH
    """Who can read the turn later: the user's history, the model's prompts."""
    commit: Commit | None = None
    commit_part: MakeCommitPart | None = None
    """Makes the part that replaces `commit`; None for a run that needs `commit` itself."""
    discard: Discard | None = None
    """Called when a run is taken over, and when it fails or is cancelled."""
    commit_timeout: timedelta | None = None
    """When an answer that a lost database cannot store becomes a failure; None: never. Requests of
    accepted runs wait as long for the database; None: not at all."""
    answers_stories: bool = False
    """Answers stories, and nothing else."""
    is_free: Callable[[RunInput], bool] | None = None
    """Whether an input costs nothing, although a model is configured."""
    takes_client_messages: bool = False
    """Whether instructions and a conversation that the client brings are used."""
    history_turns: int | None = None
    """How many turns `RunContext.history` has, the newest; None: all."""
