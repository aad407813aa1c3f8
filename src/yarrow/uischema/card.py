"""The envelope around a tree: language, status, theme and origin."""

from enum import StrEnum

from msgspec import Struct

from yarrow.uischema.hints import Meta
from yarrow.uischema.nodes import CardStatus, Stack


class Theme(StrEnum):
    """Which colours a card asks for; ours ask for the client's own."""

    DEFAULT = "default"
    LIGHT = "light"
    DARK = "dark"


class UiSchema(Struct, frozen=True):
    """A whole card."""

    locale: str
    status: CardStatus
    root: Stack
    meta: Meta
    theme: Theme = Theme.DEFAULT
