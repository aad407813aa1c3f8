"""Child processes end with the server, whatever kills it and whatever they are doing.

The children are stopped before the server is killed: a stopped process cannot notice that a pipe
was closed, so only the kernel can end it.
"""

import os
import signal
import subprocess
import sys
import time
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
from yarrow.rendering.protocol import RenderIsolation
from yarrow.rendering.renderer import Renderer
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

SPEC = {"data": {"values": [{"a": 1}]}, "mark": "point"}

async def main(kind):
    match kind:
        case "program":
            print("starting", flush=True)
            await ChildProcess(("/bin/sh", "-c", "exec sleep 600")).start()
        case "sandbox":
            sandbox = await Sandbox(Settings(data_dir=Path(sys.argv[2]))).__aenter__()
            await sandbox.run_sql("SELECT 1", {})
        case "renderer":
            await Renderer().svg(SPEC, owner="x")
        case "renderer without namespaces":
            await Renderer(isolation=RenderIsolation.LIMITS).svg(SPEC, owner="x")
        case "offline model":
            await anext(OfflineModel().stream(ChatRequest((ChatMessage(ChatRole.USER, "Hi"),))))
    print("running", flush=True)
    await asyncio.sleep(600)

asyncio.run(main(sys.argv[1]))
"""

KINDS = ["program", "sandbox", "renderer", "renderer without namespaces"]
if has_offline_model():
    KINDS.append("offline model")


@pytest.mark.parametrize("kind", KINDS)
def test_stopped_children_end_when_their_server_is_killed(kind: str, tmp_path: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", PARENT, kind, str(tmp_path)], stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    assert server.stdout.readline()
    children = _wait_for_children(server.pid)
    try:
        for child in children:
            child.suspend()

        server.kill()
        server.wait(PATIENCE_S)

        _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
        assert alive == []
    finally:
        for child in children:
            if child.is_running():
                os.kill(child.pid, signal.SIGKILL)
        server.stdout.close()


def _wait_for_children(pid: int) -> list[psutil.Process]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if children := psutil.Process(pid).children(recursive=True):
            return children
        time.sleep(0.01)
    raise AssertionError("the server has no children")
