"""A Python session: one fork that keeps its names between pieces of code."""

import asyncio
from pathlib import Path
from typing import ClassVar, Protocol

from yarrow.datasets.sandbox.model import Frame, Limits, PythonResult, TableResult
from yarrow.datasets.sandbox.orders import Ran, RunCode
from yarrow.datasets.sandbox.process import Job, JobGone
from yarrow.datasets.sandbox.sanitise import sanitise
from yarrow.datasets.sandbox.turns import Turns
from yarrow.errors import QueryFailed

_TOO_LONG = "TimeoutError: the code ran longer than {seconds:g} seconds"
_DIED = "the code ended its process: it took too much memory, or left"
_BROKEN = "the result cannot be read back"


class Looker(Protocol):
    """Reads a file that a job wrote, in another job."""

    def spool_path(self, suffix: str) -> Path: ...

    async def look_at(self, path: Path, limits: Limits) -> TableResult: ...


class PythonSession:
    """Pieces run one after another; after a timeout or a crash it is over."""

    PIECES: ClassVar[int] = 10
    """A session may compute as long as so many pieces."""

    def __init__(self, job: Job, limits: Limits, *, turns: Turns, sandbox: Looker) -> None:
        self._job = job
        self._limits = limits
        self._turns = turns
        self._sandbox = sandbox
        self._alive = True

    async def run(self, code: str, *, output_variable: str | None = None) -> PythonResult:
        """Run a piece; with an output variable, its frame comes back as rows and as a file."""
        if not self._alive:
            return PythonResult("", _DIED, alive=False)
        order = RunCode(code, output_variable, self._limits.stdout_chars, self._limits.output_bytes)
        async with self._turns.one():
            try:
                async with asyncio.timeout(self._limits.seconds):
                    ran, file = await self._ask(order)
            except TimeoutError:
                return self._over(_TOO_LONG.format(seconds=self._limits.seconds))
            except JobGone:
                return self._over(_DIED)
        return await self._result(ran, file)

    async def _ask(self, order: RunCode) -> tuple[Ran, Path | None]:
        answer = await self._job.ask(order)
        if not isinstance(answer, Ran) or answer.output_bytes > self._limits.output_bytes:
            raise JobGone
        if not answer.output_bytes:
            return answer, None
        return answer, await self._receive(answer.output_bytes)

    async def _receive(self, size: int) -> Path:
        """The frame's file, as large as was said and no larger."""
        path = self._sandbox.spool_path(".parquet")
        left = size
        try:
            with path.open("wb") as file:
                while left:
                    data = await self._job.read(left)
                    left -= len(data)
                    file.write(data)
        except (JobGone, asyncio.CancelledError):
            _discard(path)
            raise
        path.chmod(0o644)
        return path

    async def _result(self, ran: Ran, file: Path | None) -> PythonResult:
        error = None if ran.error is None else sanitise(ran.error)
        stdout = ran.stdout[: self._limits.stdout_chars + 100]
        if file is None:
            return PythonResult(stdout, error, ran.frames)
        try:
            seen = await self._sandbox.look_at(file, self._limits)
        except QueryFailed:
            _discard(file)
            return PythonResult(stdout, _BROKEN, ran.frames)
        frame = Frame(seen, seen.total or 0, file)
        return PythonResult(stdout, error, ran.frames, frame)

    def _over(self, error: str) -> PythonResult:
        self._alive = False
        self._job.kill()
        return PythonResult("", error, alive=False)


def _discard(file: Path) -> None:
    file.unlink(missing_ok=True)
