"""What the server and the child that draws say to each other; neither needs the other's imports."""

from enum import IntEnum, StrEnum

import msgspec

READY = b"ready\n"


class Lock(StrEnum):
    """How a child is kept in: away from the host, or only by limits and a filter of calls."""

    FULL = "full"
    LIMITS = "limits"


class Exit(IntEnum):
    """Why a child ended before it was ready."""

    UNLOCKABLE = 71
    """The machine has no namespaces for it."""


class Picture(StrEnum):
    SVG = "svg"
    PNG = "png"


class Order(msgspec.Struct, frozen=True):
    """One line before each spec."""

    picture: Picture
    scale: float
    size: int


class Fate(StrEnum):
    """What became of an order."""

    DRAWN = "drawn"
    UNDRAWABLE = "undrawable"
    TOO_LARGE = "too large"


class Painted(msgspec.Struct, frozen=True):
    """One line before each picture; an empty one if there is none."""

    fate: Fate
    size: int
