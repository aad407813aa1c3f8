"""What the server and the child that draws say to each other; neither needs the other's imports."""

from enum import StrEnum

import msgspec


class Picture(StrEnum):
    SVG = "svg"
    PNG = "png"


class Order(msgspec.Struct, frozen=True):
    """One line before each spec."""

    picture: Picture
    scale: float
    size: int


class Painted(msgspec.Struct, frozen=True):
    """One line before each picture; an empty one if the spec cannot be drawn."""

    drawn: bool
    size: int
