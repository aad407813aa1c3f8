"""Ctrl-C: runs may finish for a while, a second press releases them; children get no signal."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from tests.serving import free_port, run_body
from tests.waiting import PATIENCE_S

from yarrow.db import Database
from yarrow.kit.child_process import ChildProcess
from yarrow.llm.scripted_server import serve_scripted

pytestmark = pytest.mark.slow


def find_port() -> int:
    with free_port() as probe:
        return int(probe.getsockname()[1])


@asynccontextmanager
async def serving(
    database: Database, model_url: str, folder: Path, port: int
) -> AsyncIterator[asyncio.subprocess.Process]:
    """`yarrow serve` in a process group of its own, as a shell starts it."""
    variables = {
        "YARROW_DATABASE_URL": database.dsn,
        "YARROW_LLM_BASE_URL": model_url,
        "YARROW_LLM_MODEL": "scripted",
        "YARROW_DRAIN_S": "60",
    }
    command = (sys.executable, "-c", "from yarrow.cli import main; main()", "serve")
    process = await asyncio.create_subprocess_exec(
        *(*command, "--port", str(port), "--data-dir", str(folder)),
        stderr=asyncio.subprocess.PIPE,
        env=variables,
        process_group=0,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def read_until(process: asyncio.subprocess.Process, text: bytes) -> bytes:
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        while text not in (line := await process.stderr.readline()):
            assert line, "the server ended"
    return line


async def test_second_signal_releases_the_runs_and_stops(
    database: Database, tmp_path: Path
) -> None:
    port, body = find_port(), run_body("[[hang]]")
    async with (
        serve_scripted() as model,
        serving(database, model.base_url, tmp_path, port) as process,
        aiohttp.ClientSession(f"http://127.0.0.1:{port}") as http,
    ):
        await read_until(process, b"server.ready")
        async with http.post("/api/v1/agent/runs", json=body) as accepted:
            assert accepted.status == 202
        while not model.stats.active:
            await asyncio.sleep(0.05)

        os.killpg(process.pid, signal.SIGINT)
        line = await read_until(process, b"server.draining")
        os.killpg(process.pid, signal.SIGINT)

        assert b"waiting up to 60 s" in line
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() == 0
    async with database.connection() as tx:
        status = await tx.fetchval("SELECT status FROM runs WHERE key = $1", body["runId"])
    assert status == "queued"


async def test_children_have_a_session_of_their_own() -> None:
    child = ChildProcess(("/bin/sh", "-c", "echo ready; exec sleep 600"))
    await child.start()
    try:
        assert child.pid is not None
        assert os.getpgid(child.pid) != os.getpgid(0)
    finally:
        await child.kill()
