"""The child that draws: orders come in on stdin, pictures go out on stdout.

Started as `python -m yarrow.rendering.child LOCK`. With the lock `full` it moves out of the host
first; a light process stays behind only to wait for it.
"""

import os
import signal
import sys
from typing import BinaryIO

import msgspec

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.namespaces import fork_inside, leave_the_host
from yarrow.kit.json import JsonObject, decode_json
from yarrow.rendering.isolate import confine, limit_time
from yarrow.rendering.limits import is_modest_size
from yarrow.rendering.protocol import READY, Exit, Fate, Lock, Order, Painted, Picture
from yarrow.rendering.render import rasterised, render_svg

FIRST: JsonObject = {"data": {"values": [{"a": "字"}]}, "mark": "text"}


def main(lock: Lock) -> None:
    """Draw until the other end closes the pipe."""
    sys_.die_with_parent(signal.SIGKILL)
    match lock:
        case Lock.FULL:
            try:
                leave_the_host()
            except OSError:
                sys.exit(Exit.UNLOCKABLE)
            _, status = os.waitpid(fork_inside(lambda: _serve(lock)), 0)
            sys.exit(os.waitstatus_to_exitcode(status))
        case Lock.LIMITS:
            _serve(lock)


def _serve(lock: Lock) -> None:
    try:
        confine(lock, _warm_up)
    except OSError:
        os._exit(Exit.UNLOCKABLE)
    out = sys.stdout.buffer
    out.write(READY)
    out.flush()
    while line := sys.stdin.buffer.readline():
        order = msgspec.json.decode(line, type=Order)
        limit_time()
        _send(out, *_painted(order, sys.stdin.buffer.read(order.size)))


def _warm_up() -> None:
    rasterised(render_svg(FIRST))


def _painted(order: Order, body: bytes) -> tuple[Fate, bytes]:
    try:
        svg = render_svg(decode_json(body))
        if not is_modest_size(svg, order.scale):
            return Fate.TOO_LARGE, b""
        match order.picture:
            case Picture.SVG:
                return Fate.DRAWN, svg.encode()
            case Picture.PNG:
                return Fate.DRAWN, rasterised(svg, order.scale)
    except ValueError:
        return Fate.UNDRAWABLE, b""


def _send(out: BinaryIO, fate: Fate, picture: bytes) -> None:
    out.write(msgspec.json.encode(Painted(fate, len(picture))) + b"\n" + picture)
    out.flush()


if __name__ == "__main__":
    main(Lock(sys.argv[1]))
