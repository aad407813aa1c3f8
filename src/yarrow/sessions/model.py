"""The values of a conversation: sessions, messages, turns."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import IntFlag, StrEnum

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


@dataclass(frozen=True, slots=True)
class Message:
    """One stored utterance."""

    id: MessageId
    session_id: SessionId
    seq: int
    role: Role
    content: str
    tool_name: str | None
    metadata: JsonObject
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
    metadata: JsonObject
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
    metadata: JsonObject = field(default_factory=dict)


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
