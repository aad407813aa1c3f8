"""The child that draws: orders come in on stdin, pictures go out on stdout."""

import sys
from typing import BinaryIO

import msgspec

from yarrow.charting.painting_orders import Order, Painted, Picture
from yarrow.charting.render import render_png, render_svg
from yarrow.json_values import decode_json


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
