"""Rendering processes: isolated, limited, and shared fairly."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.loose_json import JsonObject
from tests.waiting import PATIENCE_S

from yarrow.kit.json import encode_json
from yarrow.rendering.errors import ChartUndrawable
from yarrow.rendering.messages import ChildExit, ImageFormat, RenderIsolation, RenderRequest
from yarrow.rendering.process import RenderProcess
from yarrow.rendering.renderer import Renderer

pytestmark = pytest.mark.slow

BAR: JsonObject = {
    "data": {"values": [{"a": "甲", "b": 2}, {"a": "乙", "b": 3}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "a", "type": "nominal"},
        "y": {"field": "b", "type": "quantitative"},
    },
}
POINT: JsonObject = {"mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}
ENDLESS: JsonObject = {
    "data": {"values": [{"a": 1}] * 3000},
    "transform": [{"calculate": "sequence(0, 1e6)", "as": "b"}, {"flatten": ["b"]}],
    **POINT,
}
LOCKED_UP = """
import os, socket
from yarrow.rendering.isolate import isolate_renderer
from yarrow.rendering.messages import ChildExit, RenderIsolation
from yarrow.isolation.namespaces import fork_inside, enter_namespaces

def tried(what):
    try:
        what()
    except OSError as refused:
        return type(refused).__name__
    return "done"

def inside():
    try:
        isolate_renderer(RenderIsolation.FULL, lambda: None)
    except OSError:
        os._exit(ChildExit.NO_NAMESPACES)
    print(
        tried(lambda: open("/etc/passwd")),
        tried(lambda: open("/lib/x", "w")),
        tried(lambda: socket.socket()),
        tried(lambda: os.fork()),
        os.getpid(),
        os.path.exists("/proc/self"),
        flush=True,
    )

try:
    enter_namespaces()
except OSError:
    raise SystemExit(ChildExit.NO_NAMESPACES)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(fork_inside(inside), 0)[1]))
"""

NO_NAMESPACES = """
import asyncio
from yarrow.rendering.process import RenderProcess
from yarrow.rendering.messages import ImageFormat, RenderRequest
from yarrow.isolation.syscalls import forbid_new_privileges, install_filter, make_bpf_program

LOAD, EQUAL, RETURN, UNSHARE, REFUSE, ALLOW = 0x20, 0x15, 0x06, 272, 0x50001, 0x7FFF0000
forbid_new_privileges()
steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, UNSHARE), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
install_filter(make_bpf_program(steps))

async def main():
    process, spec = RenderProcess(), b'{"data": {"values": [{}]}, "mark": "point"}'
    svg = await process.render(RenderRequest(ImageFormat.SVG, 1), spec, timeout_s=30)
    print(svg[:4].decode(), process.isolation)
    await process.close()

asyncio.run(main())
"""


@pytest.fixture
async def renderer() -> AsyncIterator[Renderer]:
    renderer = Renderer(timeout_s=30)
    yield renderer
    await renderer.close()


async def test_children_render_one_chart_after_the_other(renderer: Renderer) -> None:
    drawings = (renderer.svg(BAR | {"title": f"图{n}"}, owner=f"{n}") for n in range(4))
    svgs = await asyncio.gather(*drawings)

    assert [f"图{n}" in svg for n, svg in enumerate(svgs)] == [True] * 4
    assert (await renderer.png(BAR, owner="a")).startswith(b"\x89PNG")


async def test_an_invalid_spec_is_refused_and_the_next_is_rendered(
    renderer: Renderer,
) -> None:
    with pytest.raises(ChartUndrawable):
        await renderer.svg({"foo": 1}, owner="a")

    assert (await renderer.svg(BAR, owner="a")).startswith("<svg")


async def test_a_picture_that_takes_too_long_is_given_up() -> None:
    renderer = Renderer(timeout_s=0.001)

    with pytest.raises(ChartUndrawable, match="too long"):
        await renderer.svg(BAR, owner="a")

    await renderer.close()


async def test_what_grows_without_end_is_ended_and_the_next_is_drawn() -> None:
    renderer = Renderer(timeout_s=5)

    with pytest.raises(ChartUndrawable):
        await renderer.svg(ENDLESS, owner="a")

    assert (await renderer.svg(BAR, owner="a")).startswith("<svg")
    await renderer.close()


async def test_without_namespaces_the_limits_still_hold() -> None:
    renderer = Renderer(timeout_s=5, isolation=RenderIsolation.LANDLOCK)

    assert (await renderer.svg(BAR, owner="a")).startswith("<svg")
    with pytest.raises(ChartUndrawable):
        await renderer.svg(ENDLESS, owner="a")

    await renderer.close()


@pytest.mark.parametrize(
    "spec",
    [
        {"data": {"sequence": {"start": 0, "stop": 1e9, "as": "a"}}, **POINT},
        {"data": {"sequence": {"start": 0, "stop": 1, "step": 1e-9}}, **POINT},
        {"layer": [{"data": {"sequence": {"start": 0, "stop": {"signal": "1e9"}}}, **POINT}]},
        {"data": {"graticule": {"step": [0.001, 0.001]}}, "mark": "geoshape"},
        BAR | {"transform": [{"density": "b", "steps": 10_001}]},
        BAR | {"width": 20_000, "height": 20_000},
        BAR | {"width": 4_001},
        {"data": {"values": [{"a": 1}] * 50_001}, **POINT},
        {"datasets": {"t": [{"a": 1}] * 50_001}, "data": {"name": "t"}, **POINT},
        BAR | {"description": "x" * 5 * 1024 * 1024},
    ],
)
async def test_what_would_be_too_much_is_refused_before_a_child_is_started(
    spec: JsonObject,
) -> None:
    renderer = Renderer(timeout_s=0)

    with pytest.raises(ChartUndrawable, match=r"more than|at most|at least"):
        await renderer.svg(spec, owner="a")


async def test_a_scale_counts_as_size(renderer: Renderer) -> None:
    with pytest.raises(ChartUndrawable, match="pixels"):
        await renderer.png(BAR | {"width": 1_500}, owner="a", scale=4)

    assert await renderer.png(BAR | {"width": 1_500}, owner="a", scale=2)


async def test_panels_that_are_too_large_together_become_no_pixels(renderer: Renderer) -> None:
    panels = {"column": {"field": "c", "type": "nominal"}}
    rows = [{"a": "甲", "b": 1, "c": n} for n in range(30)]
    spec = {**BAR, "data": {"values": rows}, "width": 200}
    spec["encoding"] = {**BAR["encoding"], **panels}

    with pytest.raises(ChartUndrawable, match="pixels"):
        await renderer.png(spec, owner="a")


async def test_many_pictures_of_one_owner_do_not_hold_up_another(renderer: Renderer) -> None:
    await asyncio.gather(renderer.svg(BAR, owner="a"), renderer.svg(BAR, owner="b"))
    done: list[str] = []
    many = {**POINT, "data": {"values": [{"a": n} for n in range(10_000)]}}

    async def draw(spec: JsonObject, owner: str) -> None:
        await renderer.svg(spec, owner=owner)
        done.append(owner)

    await asyncio.gather(*(draw(many, "a") for _ in range(4)), draw(BAR, "b"))

    assert done.index("b") <= 1


async def test_a_child_has_none_of_the_servers_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("YARROW_LLM_API_KEY", "sk-secret")
    process = RenderProcess()

    await process.render(RenderRequest(ImageFormat.SVG, 1), encode_json(BAR), timeout_s=30)

    names = _environment_of(process)
    await process.close()
    known = (b"LANG=", b"TZ=", b"PYTHON", b"HOME=", b"LC_CTYPE=")
    assert [name for name in names if name and not name.startswith(known)] == []


def _environment_of(process: RenderProcess) -> list[bytes]:
    return Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")


def test_a_child_reaches_no_file_no_network_and_no_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOCKED_UP],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    if done.returncode == ChildExit.NO_NAMESPACES:
        pytest.skip("no user namespaces here")
    refused = "FileNotFoundError OSError PermissionError PermissionError 1 False"
    assert done.stdout.strip() == refused


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of the call is of x86-64")
def test_a_machine_that_refuses_namespaces_still_draws_behind_landlock() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_NAMESPACES],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )

    assert done.stdout.split() == ["<svg", "landlock"]
