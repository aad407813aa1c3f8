"""Child processes: started apart from our terminal, measured by the kernel, always ended."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
from msgspec import Struct

LOOPBACK = "127.0.0.1"
PYTHON = sys.executable
START_LIMIT_S = 120.0
STOP_LIMIT_S = 20.0
MEGABYTE = 1 << 20


def free_port() -> int:
    """A port of the loopback device that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
        return port


class Child(Struct, frozen=True):
    """A process of ours, and where it writes what it has to say."""

    process: asyncio.subprocess.Process
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def ended(self) -> bool:
        return self.process.returncode is not None

    async def kill(self) -> None:
        """End it as a power cut would: no clean-up, no good-bye."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    async def stop(self) -> None:
        """Ask it to end, and insist after a while."""
        with suppress(ProcessLookupError):
            self.process.terminate()
        try:
            async with asyncio.timeout(STOP_LIMIT_S):
                await self.process.wait()
        except TimeoutError:
            await self.kill()


async def start(command: Sequence[str], *, log: Path, settings: Mapping[str, str]) -> Child:
    """Start a program with these settings; of the caller's environment it gets coverage's only."""
    inherited = os.environ  # noqa: TID251 - coverage measures these processes too
    measured = {name: value for name, value in inherited.items() if name.startswith("COVERAGE_")}
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", **measured, **settings},
            start_new_session=True,
        )
    return Child(process, log)


@asynccontextmanager
async def running(
    command: Sequence[str], *, log: Path, port: int, settings: Mapping[str, str] | None = None
) -> AsyncIterator[Child]:
    """A program that listens on a port, for as long as the block lasts."""
    child = await start(command, log=log, settings=settings or {})
    try:
        await wait_listening(child, port)
        yield child
    finally:
        await asyncio.shield(child.stop())


async def wait_listening(child: Child, port: int) -> None:
    """Return when the port answers; a program that ended or hangs is an error."""
    async with asyncio.timeout(START_LIMIT_S):
        while True:
            if child.ended:
                raise RuntimeError(f"a program ended at once; it said:\n{tail(child.log)}")
            try:
                _, writer = await asyncio.open_connection(LOOPBACK, port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            return


def tail(log: Path, lines: int = 10) -> str:
    """The end of a log; nothing if no process has begun it."""
    if not log.exists():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def cpu_seconds(pids: Sequence[int]) -> float:
    """CPU time of these processes and of the children they have collected."""
    total = 0.0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            total += sum(psutil.Process(pid).cpu_times()[:4])
    return total


def resident_mb(pids: Sequence[int]) -> float:
    """Resident memory of these processes, pages they share counted in each."""
    total = 0
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            total += psutil.Process(pid).memory_info().rss
    return total / MEGABYTE


def proportional_mb(pids: Sequence[int]) -> float:
    """Memory of processes that share much of it: each shared page counted once."""
    total = 0
    for pid in pids:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            total += psutil.Process(pid).memory_full_info().pss
    return total / MEGABYTE


def send(pid: int, number: signal.Signals) -> None:
    """Signal a process that may be gone already."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)
