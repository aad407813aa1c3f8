"""The child process that renders: specs come in on stdin, images go out on stdout.

Started as `python -m yarrow.rendering.child ISOLATION`. With full isolation it enters new
namespaces; a small outer process only waits for it.
"""

import os
import sys

import msgspec

from yarrow.isolation.cpu_time import limit_cpu_time
from yarrow.isolation.namespaces import enter_namespaces, fork_inside
from yarrow.kit.frames import read_frame, write_frame
from yarrow.kit.json import JsonObject
from yarrow.rendering.isolate import isolate_renderer
from yarrow.rendering.limits import is_size_allowed
from yarrow.rendering.messages import (
    READY,
    ChildExit,
    ImageFormat,
    RenderIsolation,
    RenderRequest,
    RenderResult,
    RenderStatus,
)
from yarrow.rendering.render import rasterise_svg, render_svg

CPU_S = 20
"""Processor time of all threads together, for one chart."""

_spec_decoder = msgspec.json.Decoder(JsonObject)
FIRST_SPEC: JsonObject = {"data": {"values": [{"a": "字"}]}, "mark": "text"}


def main(isolation: RenderIsolation) -> None:
    """Render until stdin is closed."""
    match isolation:
        case RenderIsolation.FULL:
            try:
                enter_namespaces()
            except OSError:
                sys.exit(ChildExit.NO_NAMESPACES)
            _, status = os.waitpid(fork_inside(lambda: _serve_requests(isolation)), 0)
            sys.exit(os.waitstatus_to_exitcode(status))
        case RenderIsolation.LANDLOCK:
            _serve_requests(isolation)


def _serve_requests(isolation: RenderIsolation) -> None:
    try:
        isolate_renderer(isolation, _warm_up)
    except OSError:
        os._exit(ChildExit.NO_NAMESPACES)
    out = sys.stdout.buffer
    out.write(READY)
    out.flush()
    while (frame := read_frame(sys.stdin.buffer, RenderRequest)) is not None:
        limit_cpu_time(CPU_S)
        status, image = _render_image(*frame)
        write_frame(out, RenderResult(status), image)


def _warm_up() -> None:
    rasterise_svg(render_svg(FIRST_SPEC))


def _render_image(request: RenderRequest, spec: bytes) -> tuple[RenderStatus, bytes]:
    try:
        svg = render_svg(_spec_decoder.decode(spec))
        if not is_size_allowed(svg, request.scale):
            return RenderStatus.TOO_LARGE, b""
        match request.format:
            case ImageFormat.SVG:
                return RenderStatus.RENDERED, svg.encode()
            case ImageFormat.PNG:
                return RenderStatus.RENDERED, rasterise_svg(svg, request.scale)
    except ValueError:
        return RenderStatus.INVALID_SPEC, b""


if __name__ == "__main__":
    main(RenderIsolation(sys.argv[1]))
