"""The tree a client draws: a closed union of nodes."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct


class CardStatus(StrEnum):
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


class TextNode(Struct, frozen=True):
    """Plain text; clients must not read it as markup."""

    content: str
    role: TextRole


class Badge(Struct, frozen=True):
    """A word in a coloured frame."""

    label: str
    status: CardStatus


class ListEntry(Struct, frozen=True):
    """A line of a list; the detail may be empty."""

    title: str
    detail: str = ""


class BulletList(Struct, frozen=True):
    """Lines, one below the other."""

    items: tuple[ListEntry, ...]


class KeyValue(Struct, frozen=True):
    """Named figures or words, in order."""

    entries: tuple[tuple[str, str], ...]


class TableNode(Struct, frozen=True):
    """Columns with their names, and rows as wide as they."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class ImageNode(Struct, frozen=True):
    """A picture of this server; `src` is a path on it."""

    src: str
    alt: str


class SendMessage(Struct, frozen=True):
    """The client sends this text as the user's next message."""

    text: str


class OpenLink(Struct, frozen=True):
    """The client opens this https address, outside of itself."""

    href: str


Action: TypeAlias = SendMessage | OpenLink


class Button(Struct, frozen=True):
    """What a user may press, and what it does."""

    label: str
    action: Action


class Divider(Struct, frozen=True):
    """A line between what is above and what is below."""


class Progress(Struct, frozen=True):
    """How much of something is done, from 0 to 1; the label may be empty."""

    value: float
    label: str = ""


class Stack(Struct, frozen=True):
    """Nodes beside or below each other."""

    children: tuple["Node", ...]
    appearance: Appearance = Appearance.PLAIN
    direction: StackDirection = StackDirection.VERTICAL


Node: TypeAlias = (
    Stack
    | TextNode
    | Badge
    | BulletList
    | KeyValue
    | TableNode
    | ImageNode
    | Button
    | Divider
    | Progress
)
