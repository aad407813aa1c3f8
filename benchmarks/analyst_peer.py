"""Data Formulator, installed from the package index into a folder of its own and started."""

import asyncio
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import perf_counter

import aiohttp
import psutil
from benchmarks.analyst_client import Analyst, Started
from benchmarks.processes import LOOPBACK, PYTHON, Child, free_port, running, send

VERSION = "0.7.0"
NAME = f"Data Formulator {VERSION}"
REQUIREMENTS = (f"data_formulator=={VERSION}", "litellm==1.83.14")
"""The newest litellm lacks a module it imports when tools are given; this is the peer's lock's."""
CACHE = Path(tempfile.gettempdir()) / f"yarrow-bench-data-formulator-{VERSION}"
INSTALL_LIMIT_S = 900.0


class NotInstalled(Exception):
    """The peer could not be installed here; what the installer said."""


async def installed() -> Path:
    """The peer's Python; installs it when it is not there yet."""
    python = CACHE / "bin" / "python"
    complete = CACHE / "complete"
    if complete.exists():
        return python
    uv = shutil.which("uv", path=str(Path(PYTHON).parent)) or shutil.which("uv")
    if uv is None:
        raise NotInstalled("there is no uv")
    print(f"installing {NAME} into {CACHE}, once: about 1 GB", flush=True)
    shutil.rmtree(CACHE, ignore_errors=True)
    await _run(uv, "venv", "--quiet", "--python", PYTHON, str(CACHE))
    await _run(uv, "pip", "install", "--compile-bytecode", "--python", str(python), *REQUIREMENTS)
    complete.touch()
    return python


async def _run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(INSTALL_LIMIT_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        raise NotInstalled("the installation takes too long") from None
    if process.returncode:
        raise NotInstalled(said.decode(errors="replace").strip()[-500:])


@asynccontextmanager
async def peer(folder: Path, model_url: str, http: aiohttp.ClientSession) -> AsyncIterator[Analyst]:
    """The peer as its own command serves it, on an empty home; started twice to time both."""
    python, home = await installed(), folder / "peer"
    home.mkdir()
    async with _served(python, home, http) as (_, _, first_s):
        pass
    async with _served(python, home, http) as (child, port, warm_s):
        yield Analyst(
            name=NAME,
            url=f"http://{LOOPBACK}:{port}",
            http=http,
            pids=lambda: family(child.pid),
            started=Started(first_s, warm_s),
            model={
                "endpoint": "openai",
                "model": "stub",
                "api_key": "none",
                "api_base": model_url,
            },
        )


@asynccontextmanager
async def _served(
    python: Path, home: Path, http: aiohttp.ClientSession
) -> AsyncIterator[tuple[Child, int, float]]:
    port = free_port()
    options = ("--host", LOOPBACK, "--port", str(port), "--data-dir", str(home))
    settings = {
        "HOME": str(home),
        "DATA_FORMULATOR_HOME": str(home),
        "BROWSER": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    began = perf_counter()
    async with running(
        [str(python), "-m", "data_formulator", *options],
        log=home / "peer.log",
        port=port,
        settings=settings,
    ) as child:
        async with http.get(f"http://{LOOPBACK}:{port}/api/app-config") as answer:
            answer.raise_for_status()
        try:
            yield child, port, perf_counter() - began
        finally:
            _end_workers(child.pid)


def _end_workers(server: int) -> None:
    """The peer's sandbox processes outlive it when it is told to stop."""
    for pid in family(server)[1:]:
        send(pid, signal.SIGKILL)


def family(pid: int) -> list[int]:
    """A process and all that came from it and still runs."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return [pid, *(child.pid for child in process.children(recursive=True))]
    return []
