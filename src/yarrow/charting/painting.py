"""The child that draws: orders come in on stdin, pictures go out on stdout."""

import sys
from enum import StrEnum
from typing import BinaryIO

import msgspec

from yarrow.charting.render import render_png, render_svg
from yarrow.json_values import decode_json


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


def main() -> None:
    """Draw until the other end closes the pipe."""
    out = sys.stdout.buffer
    while line := sys.stdin.buffer.readline():
        order = msgspec.json.decode(line, type=Order)
        picture = _painted(order, sys.stdin.buffer.read(order.size))
        _send(out, picture)


def _painted(order: Order, body: bytes) -> bytes | None:
    spec = decode_json(body)
    try:
        match order.picture:
            case Picture.SVG:
                return render_svg(spec).encode()
            case Picture.PNG:
                return render_png(spec, order.scale)
    except ValueError:
        return None


def _send(out: BinaryIO, picture: bytes | None) -> None:
    painted = Painted(drawn=picture is not None, size=len(picture or b""))
    out.write(msgspec.json.encode(painted) + b"\n" + (picture or b""))
    out.flush()


if __name__ == "__main__":
    main()
