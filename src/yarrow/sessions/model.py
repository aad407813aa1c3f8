"""The values of a conversation: sessions, messages, turns."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import IntFlag, StrEnum

import msgspec

from yarrow.ids import AccountId, MessageId, SessionId, TurnId
from yarrow.kit.json import JsonObject


class Role(StrEnum):
    """Who said a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Visibility(IntFlag):
    """Who gets to see a message: the bits of `visibility_mask`."""

    NOBODY = 0
    USER = 1
    MODEL = 2
    BOTH = 3


class SessionStatus(StrEnum):
    """What the session's last run left it in."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class TurnStatus(StrEnum):
    """Where an exchange stands."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"
    SUPERSEDED = "superseded"


class MessageImage(msgspec.Struct, frozen=True, array_like=True):
    """An image of a user's message: its path in our storage."""

    path: str
    mime_type: str


class MessageToolCall(msgspec.Struct, frozen=True, array_like=True):
    """A tool call of the model, its arguments as JSON text."""

    id: str
    name: str
    arguments: str


class MessageToolResult(msgspec.Struct, frozen=True, array_like=True):
    """The result of a client's tool, sent as input of a turn."""

    call_id: str
    content: str


NARRATOR = "narrator"

_STORED_NAMES = {
    "run_key": "run_id",
    "output": "agent_output",
    "products": "produced",
    "call_text": "said",
    "speaker": "name",
    "shown_role": "role",
}


class MessageDetails(msgspec.Struct, frozen=True, omit_defaults=True, rename=_STORED_NAMES):
    """What is stored beside the text of a message, in the column `metadata`.

    Fields at their default are not stored. The names on disk are those of `_STORED_NAMES`.
    """

    run_key: str = ""
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
    reasoning: str = ""
    output: JsonObject | None = None
    """The agent's structured answer."""
    products: JsonObject = {}
    """What a run made beside its answer, by name."""
    greeting: bool = False
    """A greeting of the character card: macros in its text are expanded."""
    speaker: str = ""
    """The speaker's name in an imported chat."""
    shown_role: str = ""
    """`NARRATOR` for a narrator's text, which is stored with the role assistant."""
    extra: JsonObject = {}
    """`extra` of an imported chat line, kept for export."""

    @property
    def is_narrator(self) -> bool:
        return self.shown_role == NARRATOR


NO_DETAILS = MessageDetails()


@dataclass(frozen=True, slots=True)
class Message:
    """One stored utterance."""

    id: MessageId
    session_id: SessionId
    seq: int
    role: Role
    content: str
    tool_name: str | None
    details: MessageDetails
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Ownership:
    """Whose a session is, if it is anyone's."""

    owner: AccountId | None
    deleted: bool


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn to begin: its session (made if missing) and its input message."""

    account_id: AccountId
    session_id: SessionId
    turn_id: TurnId
    message_id: MessageId
    role: Role
    text: str
    details: MessageDetails
    title: str
    visibility: Visibility = Visibility.BOTH


@dataclass(frozen=True, slots=True)
class NewMessage:
    """An utterance to store at the end of a turn."""

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


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Some messages, and whether there are more beyond them."""

    messages: tuple[Message, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that a search found, and the title of its session."""

    title: str
    role: Role
    content: str
    said_at: datetime
