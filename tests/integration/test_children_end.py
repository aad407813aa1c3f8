"""Child processes end with the server, whatever kills it and whatever they are doing.

The children are stopped before the server is killed: a stopped process cannot notice that a pipe
was closed, so only the kernel can end it.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.waiting import PATIENCE_S

from yarrow.llm.offline import has_offline_model

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="prctl")]

PARENT = """
import asyncio, sys
from pathlib import Path
from yarrow.kit.child_process import ChildProcess
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.llm.offline import OfflineModel
from yarrow.rendering.messages import RenderIsolation
from yarrow.rendering.renderer import Renderer
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

SPEC = {"data": {"values": [{"a": 1}]}, "mark": "point"}

async def main(kind):
    match kind:
        case "program":
            await ChildProcess(("/bin/sh", "-c", "echo ready; exec sleep 600")).start()
        case "sandbox":
            sandbox = await Sandbox(Settings(data_dir=Path(sys.argv[2]))).__aenter__()
            await sandbox.run_sql("SELECT 1", {})
        case "renderer":
            await Renderer().svg(SPEC, owner="x")
        case "renderer without namespaces":
            await Renderer(isolation=RenderIsolation.LANDLOCK).svg(SPEC, owner="x")
        case "offline model":
            await anext(OfflineModel().stream(ChatRequest((ChatMessage(ChatRole.USER, "Hi"),))))
    print("running", flush=True)
    await asyncio.sleep(600)

asyncio.run(main(sys.argv[1]))
"""


def suspend_children(pid: int) -> list[psutil.Process]:
    """Stop the children; one that ends by itself meanwhile is not among them."""
    suspended = []
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            child.suspend()
            suspended.append(child)
    return suspended


KINDS = ["program", "sandbox", "renderer", "renderer without namespaces"]
if has_offline_model():
    KINDS.append("offline model")


@pytest.mark.parametrize("kind", KINDS)
async def test_stopped_children_end_when_their_server_is_killed(kind: str, tmp_path: Path) -> None:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, kind, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    assert await server.stdout.readline() == b"running\n"
    children = suspend_children(server.pid)
    assert children
    try:
        server.kill()
        await server.wait()

        _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
        assert alive == []
    finally:
        for child in children:
            if child.is_running():
                os.kill(child.pid, signal.SIGKILL)
