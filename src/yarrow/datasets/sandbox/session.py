"""A Python session: one fork that keeps its names between pieces of code."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from yarrow.datasets.sandbox.made import Nonsense, seen
from yarrow.datasets.sandbox.model import Frame, Limits, PythonResult, Seen
from yarrow.datasets.sandbox.orders import Made, Ran, RunCode
from yarrow.datasets.sandbox.process import Job, JobGone
from yarrow.datasets.sandbox.sanitise import sanitise
from yarrow.datasets.sandbox.turns import Turns

ROOM_BYTES = 8 * 1024 * 1024
"""For what comes with the first rows: names of columns, and what was printed."""

_TOO_LONG = "TimeoutError: the code ran longer than {seconds:g} seconds"
_DIED = "the code ended its process: it took too much memory, or left"


class PythonSession:
    """Pieces run one after another; after a timeout or a crash it is over."""

    PIECES: ClassVar[int] = 10
    """A session may compute as long as so many pieces."""

    def __init__(
        self, job: Job, limits: Limits, *, turns: Turns, spool_path: Callable[[str], Path]
    ) -> None:
        self._job = job
        self._limits = limits
        self._turns = turns
        self._spool_path = spool_path
        self._alive = True

    async def run(self, code: str, *, output_variable: str | None = None) -> PythonResult:
        """Run a piece; with an output variable, its frame comes back as rows and as a file."""
        if not self._alive:
            return PythonResult("", _DIED, alive=False)
        order = RunCode(
            code=code,
            output_variable=output_variable,
            max_stdout=self._limits.stdout_chars,
            max_output_bytes=self._limits.output_bytes,
            max_rows=self._limits.rows,
            max_bytes=self._limits.result_bytes,
        )
        async with self._turns.one():
            try:
                async with asyncio.timeout(self._limits.seconds):
                    ran, frame = await self._ask(order)
            except TimeoutError:
                return self._over(_TOO_LONG.format(seconds=self._limits.seconds))
            except JobGone:
                return self._over(_DIED)
        error = None if ran.error is None else sanitise(ran.error)
        stdout = ran.stdout[: self._limits.stdout_chars + 100]
        return PythonResult(stdout, error, ran.frames, frame)

    async def _ask(self, order: RunCode) -> tuple[Ran, Frame | None]:
        room = self._limits.result_bytes + ROOM_BYTES
        answer = await self._job.ask(order, max_bytes=room)
        if not isinstance(answer, Ran):
            raise JobGone
        if answer.made is None:
            return answer, None
        told = self._checked(answer.made, answer.output_bytes)
        file = await self._receive(answer.output_bytes)
        return answer, Frame(told.first, told.row_count, file)

    def _checked(self, made: Made, output_bytes: int) -> Seen:
        if not 0 < output_bytes <= self._limits.output_bytes:
            raise JobGone
        try:
            return seen(made, self._limits)
        except Nonsense:
            raise JobGone from None

    async def _receive(self, size: int) -> Path:
        """The frame's file, as large as was said and no larger."""
        path = self._spool_path(".parquet")
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

    def _over(self, error: str) -> PythonResult:
        self._alive = False
        self._job.kill()
        return PythonResult("", error, alive=False)


def _discard(file: Path) -> None:
    file.unlink(missing_ok=True)
