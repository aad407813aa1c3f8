"""The tree a client draws: a closed union of nodes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Status(StrEnum):
    """How things stand, for a whole card or a badge."""

    INFO = "info"
    SUCCESS = "success"
    WARNING = "warning"
    ERROR = "error"
    PENDING = "pending"


class Appearance(StrEnum):
    """Whether a stack has a frame."""

    CARD = "card"
    PLAIN = "plain"


class StackDirection(StrEnum):
    """Which way a stack lays out its children."""

    VERTICAL = "vertical"
    HORIZONTAL = "horizontal"


class TextRole(StrEnum):
    """What a text is in its stack."""

    TITLE = "title"
    SUBTITLE = "subtitle"
    BODY = "body"


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text; clients must not read it as markup."""

    content: str
    role: TextRole


@dataclass(frozen=True, slots=True)
class Badge:
    """A word in a coloured frame."""

    label: str
    status: Status


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A line of a list; the detail may be empty."""

    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class BulletList:
    """Lines, one below the other."""

    items: tuple[ListEntry, ...]


@dataclass(frozen=True, slots=True)
class KeyValue:
    """Named figures or words, in order."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TableNode:
    """Columns with their names, and rows as wide as they."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of this server; `src` is a path on it."""

    src: str
    alt: str


@dataclass(frozen=True, slots=True)
class SendMessage:
    """The client sends this text as the user's next message."""

    text: str


@dataclass(frozen=True, slots=True)
class OpenLink:
    """The client opens this https address, outside of itself."""

    href: str


Action: TypeAlias = SendMessage | OpenLink


@dataclass(frozen=True, slots=True)
class Button:
    """What a user may press, and what it does."""

    label: str
    action: Action


@dataclass(frozen=True, slots=True)
class Divider:
    """A line between what is above and what is below."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of something is done, from 0 to 1; the label may be empty."""

    value: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """Nodes beside or below each other."""

    children: tuple["Node", ...]
    appearance: Appearance = Appearance.PLAIN
    direction: StackDirection = StackDirection.VERTICAL


Node: TypeAlias = (
    Stack | Text | Badge | BulletList | KeyValue | TableNode | Image | Button | Divider | Progress
)
