"""Values of conversations: sessions, branches, turns, messages and their versions."""

from datetime import datetime
from decimal import Decimal
from enum import IntFlag, StrEnum
from typing import TypeAlias

from msgspec import Struct

from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId
from yarrow.kit.json import JsonObject


class Role(StrEnum):
    """The author of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Visibility(IntFlag):
    """Who sees a message: the bits of the column `visibility_mask`."""

    NOBODY = 0
    USER = 1
    MODEL = 2
    BOTH = 3


class SessionStatus(StrEnum):
    """The state that a session's last run left it in."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class TurnStatus(StrEnum):
    """The state of a turn."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"
    SUPERSEDED = "superseded"


class MessageImage(Struct, frozen=True, array_like=True):
    """An image of a user's message: its path in our storage."""

    path: str
    mime_type: str


class MessageToolCall(Struct, frozen=True, array_like=True):
    """A tool call of the model, its arguments as JSON text."""

    id: str
    name: str
    arguments: str


class MessageToolResult(Struct, frozen=True, array_like=True):
    """The result of a client's tool, sent as input of a turn."""

    call_id: str
    content: str


class OpenCalls(Struct, frozen=True):
    """The calls of client tools that the newest turn ends with."""

    turn_id: TurnId
    call_ids: frozenset[str]
    answered_ids: frozenset[str]
    """The turn's calls of our own tools: their results are stored."""
    question: str
    """The text that the turn began with."""
    continuations: int
    """How many runs have continued the turn."""


MAIN_BRANCH = "main"
NARRATOR = "narrator"

_STORED_NAMES = {
    "run_key": "run_id",
    "output": "agent_output",
    "products": "produced",
    "call_text": "said",
    "speaker": "name",
    "shown_role": "role",
}


class MessageDetails(Struct, frozen=True, omit_defaults=True, rename=_STORED_NAMES):
    """What is stored beside the text of a message, in the column `metadata`.

    Fields at their default are not stored. The names on disk are those of `_STORED_NAMES`.
    """

    run_key: str = ""
    client_id: str = ""
    """The client's own id of the message."""
    from_client: bool = False
    """Brought by the client with its conversation: no run of this server made it."""
    images: tuple[MessageImage, ...] = ()
    options: JsonObject = {}
    """`RunInput.options` of the run that the message started."""
    tool_results: tuple[MessageToolResult, ...] = ()
    tool_calls: tuple[MessageToolCall, ...] = ()
    """Calls of client tools that an assistant message ends with."""
    tool_call: MessageToolCall | None = None
    """The call that a tool message answers."""
    answer_id: str = ""
    """The assistant message that made `tool_call`; the same for all calls of one model reply."""
    call_text: str = ""
    """Text of the model reply that made `tool_call`."""
    reasoning: str | None = None
    output: JsonObject | None = None
    """The agent's structured answer."""
    private: JsonObject = {}
    """What later runs of the agent read; it stays on the server, no encoder sends it."""
    products: JsonObject = {}
    """What a run made beside its answer, by name."""
    warnings: tuple[tuple[str, str], ...] = ()
    """Code and text of each warning of the run that gave the answer."""
    greeting: bool = False
    """A greeting of the character card: macros in its text are expanded."""
    speaker: str = ""
    """The speaker's name in an imported chat."""
    shown_role: str = ""
    """`NARRATOR` for a narrator's text, which is stored with the role assistant."""
    extra: JsonObject = {}
    """`extra` of an imported chat line, stored before lines were kept whole."""
    line: JsonObject = {}
    """The line of an imported chat without its texts, for export; of the first version only."""

    @property
    def is_narrator(self) -> bool:
        return self.shown_role == NARRATOR


NO_DETAILS = MessageDetails()


class Message(Struct, frozen=True):
    """A stored message."""

    id: MessageId
    session_id: SessionId
    seq: int
    role: Role
    content: str
    tool_name: str | None
    details: MessageDetails
    created_at: datetime
    model_code: str | None = None
    """The model that wrote it."""


class Ownership(Struct, frozen=True):
    """The owner of a session; None when the session does not exist."""

    owner: AccountId | None
    deleted: bool


class TurnStart(Struct, frozen=True):
    """A turn to start: its session, created if missing, and its input message."""

    account_id: AccountId
    session_id: SessionId
    turn_id: TurnId
    message_id: MessageId
    role: Role
    text: str
    details: MessageDetails
    title: str
    visibility: Visibility = Visibility.BOTH


class NewMessage(Struct, frozen=True):
    """A message to insert at the end of a turn."""

    id: MessageId
    role: Role
    content: str
    tool_name: str | None = None
    model_code: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    latency_ms: int | None = None
    visibility: Visibility = Visibility.BOTH
    details: MessageDetails = NO_DETAILS


ListPosition: TypeAlias = tuple[datetime, SessionId]
"""A place in a list of sessions, the most recently active first."""


class HistorySlice(Struct, frozen=True):
    """Some messages of a longer list."""

    messages: tuple[Message, ...]
    has_more: bool


class RecentSession(Struct, frozen=True):
    """A session that a search may look into."""

    id: SessionId
    title: str
    last_activity_at: datetime
    message_count: int


class SearchHit(Struct, frozen=True):
    """A message that a search found, and its session."""

    session_id: SessionId
    title: str
    role: Role
    content: str
    created_at: datetime


class SearchResult(Struct, frozen=True):
    """The hits of a search, and how far it looked."""

    hits: tuple[SearchHit, ...]
    sessions_found: int
    """Sessions with a hit among those that were looked at; `hits` has the most recent ones."""
    searched_until: datetime | None
    """Sessions that were last active before this were not looked at; None if all were."""
    cut_sessions: int
    """Sessions of which only the newest messages were looked at."""
    found_all: bool
    """Whether `sessions_found` counts all of the account's sessions."""


class Branch(Struct, frozen=True):
    """A line of turns in a session, forked from another branch unless it is the main one."""

    id: BranchId
    name: str
    parent: str | None
    forked_after: TurnId | None
    forked_after_seq: int | None
    own_turns: int
    """Live turns on this branch after the fork."""
    created_at: datetime


class NewBranch(Struct, frozen=True):
    """A branch to insert; `after` is None if it shares no turn with its parent."""

    id: BranchId
    name: str
    parent_id: BranchId
    after: TurnId | None
    after_seq: int
    wanted_name: str | None = None
    """The name that the branch gets with its first answer; readers do not see it until then."""


class TurnRef(Struct, frozen=True):
    """The branch, session and owner of a turn."""

    id: TurnId
    account_id: AccountId
    session_id: SessionId
    branch_id: BranchId
    branch: str
    seq: int
    status: TurnStatus


class MessageVersion(Struct, frozen=True):
    """A message of a turn, or one of several alternatives for the same place in the turn."""

    id: MessageId
    turn_id: TurnId
    slot_id: MessageId
    """The id of the first of its alternatives; its own id if it is the first, or the only one."""
    number: int
    """Counted from zero among the alternatives."""
    active: bool
    """Whether it is the chosen alternative; a message without alternatives always is."""
    seq: int
    role: Role
    content: str
    visibility: Visibility
    details: MessageDetails
    tokens: tuple[int, int]
    """Input and output."""
    model: str | None
    latency_ms: int | None
    created_at: datetime

    @property
    def is_input(self) -> bool:
        return self.role is Role.USER

    @property
    def hidden(self) -> bool:
        """Left out of prompts."""
        return Visibility.MODEL not in self.visibility


class FoundMessage(Struct, frozen=True):
    """A message version and its turn."""

    version: MessageVersion
    turn: TurnRef


class TurnView(Struct, frozen=True):
    """A turn with all versions of its messages."""

    id: TurnId
    session_id: SessionId
    branch: str
    seq: int
    status: TurnStatus
    parent_id: TurnId | None
    superseded_by: TurnId | None
    created_at: datetime
    updated_at: datetime
    versions: tuple[MessageVersion, ...]

    @property
    def number(self) -> int:
        """Counted from zero; `seq` counts from one."""
        return self.seq - 1


class VersionMetadata(Struct, frozen=True):
    """What is known of the making of a message version; None as its time: now."""

    created_at: datetime | None = None
    model: str | None = None
    output_tokens: int = 0


class NewMessageVersions(Struct, frozen=True):
    """A message to insert with its alternatives; `active` is the index of the chosen one."""

    role: Role
    texts: tuple[str, ...]
    active: int = 0
    visibility: Visibility = Visibility.BOTH
    details: MessageDetails = NO_DETAILS
    """Of all versions, but `line`, which the first one keeps."""
    facts: tuple[VersionMetadata, ...] = ()
    """Of each version; without any all were made now."""
    ids: tuple[MessageId, ...] = ()
    """Of each version; made up without any."""


class AnsweredTurn(Struct, frozen=True):
    """A turn to insert complete, without a run: greetings and imported chats."""

    id: TurnId
    seq: int
    slots: tuple[NewMessageVersions, ...]
