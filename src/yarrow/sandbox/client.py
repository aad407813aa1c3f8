"""The process that forks, as the server sees it: started when first needed, ended with us."""

import asyncio
import logging
import os
import re
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path

import msgspec

from yarrow.kit.json import count_parts
from yarrow.sandbox.errors import SandboxFailed
from yarrow.sandbox.protocol import (
    MAX_FRAME_BYTES,
    Answer,
    Bring,
    Files,
    Kill,
    OpenRoom,
    Order,
    Start,
)

START_TIMEOUT_S = 60.0
LENGTH_BYTES = 4
KILL_AGAIN_S = 0.02
READ_LIMIT = 1024 * 1024
MOST_PARTS = 500_000
"""Lists and objects of an answer."""
JOB_FOLDER = Path("/job")

_BEGIN = """
import os, sys
sys.path[:0] = sys.argv.pop(1).split(os.pathsep)
from yarrow.sandbox.fork_server import main
main(*sys.argv[1:])
"""
"""Where to import from is said as an argument: jobs can read the environment they began with."""

_UNSHARED = re.compile(r"\bunshare\b|user ids cannot be mapped")

log = logging.getLogger("yarrow.sandbox")

_encoder = msgspec.json.Encoder()
_answers: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)


class Trade(StrEnum):
    """What a process can do; the module of its name says how."""

    SQL = auto()
    PYTHON = auto()


class JobGone(Exception):
    """The job ended without an answer: it crashed, was killed, or talked nonsense."""


@dataclass(frozen=True, slots=True)
class Needs:
    """The files of a job and its share of the machine."""

    readable: Mapping[str, Path]
    """Where the job sees a file, below its folder, and where we have it."""
    writable: Mapping[str, Path]
    memory_mb: int
    seconds: float
    file_mb: int


class Job:
    """One fork at work, at the other end of a socket."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        kill: Callable[[], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self.kill = kill

    async def ask(self, order: Order, *, max_bytes: int = MAX_FRAME_BYTES) -> Answer:
        """Send an order and wait for what comes back; more than `max_bytes` is not read."""
        try:
            self._writer.write(_framed(order))
            await self._writer.drain()
            return await self.next_answer(max_bytes=max_bytes)
        except ConnectionError:
            raise JobGone from None

    async def next_answer(self, *, max_bytes: int = MAX_FRAME_BYTES) -> Answer:
        try:
            size = int.from_bytes(await self._reader.readexactly(LENGTH_BYTES), "big")
            if size > min(max_bytes, MAX_FRAME_BYTES):
                raise JobGone
            frame = await self._reader.readexactly(size)
            if count_parts(frame) > MOST_PARTS:
                raise JobGone
            return _answers.decode(frame)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, RecursionError):
            # Not JSON, not text, not of our shapes, or nested without end.
            raise JobGone from None

    async def read(self, size: int) -> bytes:
        """The next bytes behind an answer, at most so many."""
        data = await self._reader.read(min(size, READ_LIMIT))
        if not data:
            raise JobGone
        return data

    async def tell(self, order: OpenRoom | Bring, data: bytes = b"") -> None:
        """Send an order that is not answered, and the bytes that belong to it."""
        try:
            self._writer.write(_framed(order))
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError:
            raise JobGone from None

    def end(self) -> None:
        """Kill it, whatever it does."""
        self._writer.close()
        self.kill()


def _framed(said: Order | Files) -> bytes:
    frame = _encoder.encode(said)
    return len(frame).to_bytes(LENGTH_BYTES, "big") + frame


class Zygote:
    """Starts jobs. One that died is started anew for the next job."""

    def __init__(self, trade: Trade, folder: Path, *, jailed: bool) -> None:
        self._trade = trade
        self._folder = folder.resolve()
        self.jailed = jailed
        self._process: Process | None = None
        self._control: socket.socket | None = None
        self._starting = asyncio.Lock()
        self._jobs = 0
        self.failure = ""

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @asynccontextmanager
    async def job(self, needs: Needs) -> AsyncIterator[Job]:
        """A fresh fork for as long as the block lasts; killed at its end, whatever it does."""
        job = await self.start(needs)
        try:
            yield job
        finally:
            job.end()

    async def start(self, needs: Needs) -> Job:
        """A fresh fork, which the caller ends."""
        files, control = self._files(needs), await self._running()
        self._jobs += 1
        number = self._jobs
        ours, theirs = socket.socketpair()
        ours.settimeout(0)
        try:
            with theirs:
                await self._send(control, self._start(number, needs), theirs)
            reader, writer = await asyncio.open_connection(sock=ours, limit=READ_LIMIT)
            writer.write(_framed(files))
        except OSError:
            ours.close()
            raise SandboxFailed from None
        return Job(reader, writer, kill=lambda: _kill(control, number))

    def seen_path(self, shown: str, file: Path) -> str:
        """How a job names a file of its own."""
        return str(JOB_FOLDER / shown) if self.jailed else str(self._folder / self._within(file))

    async def close(self) -> None:
        """End the process and all its jobs."""
        process, self._process = self._process, None
        if self._control is not None:
            self._control.close()
            self._control = None
        if process is not None:
            _end(process)
            await process.wait()

    def _start(self, number: int, needs: Needs) -> Start:
        return Start(
            job=number,
            memory_mb=needs.memory_mb,
            cpu_s=int(needs.seconds) + 2,
            file_mb=needs.file_mb,
        )

    def _files(self, needs: Needs) -> Files:
        return Files(
            readable={shown: self._within(file) for shown, file in needs.readable.items()},
            writable={shown: self._within(file) for shown, file in needs.writable.items()},
        )

    def _within(self, file: Path) -> str:
        return str(file.resolve().relative_to(self._folder))

    async def _send(self, control: socket.socket, start: Start, theirs: socket.socket) -> None:
        message = _encoder.encode(start)
        while True:
            try:
                socket.send_fds(control, [message], [theirs.fileno()])
            except BlockingIOError:
                await asyncio.sleep(0.005)
            else:
                return

    async def _running(self) -> socket.socket:
        async with self._starting:
            alive = self._process is not None and self._process.returncode is None
            if not alive or self._control is None:
                await self.close()
                self._control = await self._launch()
            return self._control

    async def _launch(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(0)
        mode = "jailed" if self.jailed else "plain"
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", _BEGIN, os.pathsep.join(path for path in sys.path if path)),
                *(f"{self._trade}_job", mode, str(self._folder), str(theirs.fileno())),
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=PIPE,
                env=_environment(),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                ready = await asyncio.get_running_loop().sock_recv(ours, 16)
        except TimeoutError:
            ready = b""
        if not ready:
            ours.close()
            await self._tell_failure()
            raise SandboxFailed
        log.info("sandbox.started", extra={"trade": self._trade.value, "pid": self._process.pid})
        return ours

    async def _tell_failure(self) -> None:
        assert self._process is not None
        _end(self._process)
        _, said = await self._process.communicate()
        last = said.decode("utf-8", "replace").strip().rpartition("\n")[2][:300]
        self.failure = last
        log.warning("sandbox.not_started", extra={"trade": self._trade.value, "said": last})


def _end(process: Process) -> None:
    """`Process.kill` would reap one that is gone already, and the loop would miss it, aloud."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def why_not_isolated(failure: str) -> str:
    """What an operator can do something about, from the last words of a process."""
    if _UNSHARED.search(failure):
        return "user namespaces are not available here; see docs/explanation/sandbox.md"
    return failure or "a job could not lock itself up"


def _kill(control: socket.socket, job: int) -> None:
    """Have a job ended; tried again while the way there is full, and moot when it is gone."""
    try:
        control.send(_encoder.encode(Kill(job)))
    except BlockingIOError:
        asyncio.get_running_loop().call_later(KILL_AGAIN_S, _kill, control, job)
    except OSError:
        return


def _environment() -> dict[str, str]:
    """Nothing of ours; only what keeps libraries from starting threads before the fork."""
    return {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MALLOC_ARENA_MAX": "2",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
        "HOME": "/job",
    }
