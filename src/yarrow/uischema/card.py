"""The envelope around a tree: language, status, theme and origin."""

from dataclasses import dataclass
from enum import StrEnum

from yarrow.uischema.hints import Meta
from yarrow.uischema.nodes import Stack, Status


class Theme(StrEnum):
    """Which colours a card asks for; ours ask for the client's own."""

    DEFAULT = "default"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class UiSchema:
    """A whole card."""

    locale: str
    status: Status
    root: Stack
    meta: Meta
    theme: Theme = Theme.DEFAULT
