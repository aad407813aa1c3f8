"""A Python session: one fork that keeps its names between pieces of code."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from yarrow.kit.limiter import Turns
from yarrow.sandbox.client import Job, JobGone
from yarrow.sandbox.model import Frame, Limits, PythonResult
from yarrow.sandbox.protocol import MAX_FRAMES, Ran, RunCode
from yarrow.sandbox.receive import receive_frame
from yarrow.sandbox.sanitise import sanitise

SPARE_BYTES = 8 * 1024 * 1024
"""For what comes with the first rows: names of columns, and what was printed."""

MOST_NAME_CHARS = 500
"""Of what a process says there is; it may say anything."""

TOO_LONG = "TimeoutError: the code ran longer than {seconds:g} seconds"
_DIED = "the code ended its process: it took too much memory, or left"


def order_of(
    code: str, output_variable: str | None, limits: Limits, tables: Mapping[str, str] | None = None
) -> RunCode:
    return RunCode(
        code=code,
        output_variable=output_variable,
        max_stdout=limits.stdout_chars,
        max_output_bytes=limits.output_bytes,
        max_rows=limits.rows,
        max_bytes=limits.result_bytes,
        tables=dict(tables or {}),
    )


def most_bytes(limits: Limits) -> int:
    """What an answer may have at most, without the file behind it."""
    return limits.result_bytes + SPARE_BYTES


def said_by(ran: Ran, frame: Frame | None, limits: Limits) -> PythonResult:
    """What a process says of its code, made fit to be shown."""
    error = None if ran.error is None else sanitise(ran.error)
    frames = [name for name in ran.frames[:MAX_FRAMES] if len(name) <= MOST_NAME_CHARS]
    return PythonResult(ran.stdout[: limits.stdout_chars + 100], error, frames, frame)


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
        order = order_of(code, output_variable, self._limits)
        async with self._turns.one():
            try:
                async with asyncio.timeout(self._limits.seconds):
                    ran, frame = await self._ask(order)
            except TimeoutError:
                return self._over(TOO_LONG.format(seconds=self._limits.seconds))
            except JobGone:
                return self._over(_DIED)
        return said_by(ran, frame, self._limits)

    async def _ask(self, order: RunCode) -> tuple[Ran, Frame | None]:
        answer = await self._job.ask(order, max_bytes=most_bytes(self._limits))
        if not isinstance(answer, Ran):
            raise JobGone
        if answer.made is None:
            return answer, None
        file = self._spool_path(".parquet")
        frame = await receive_frame(
            self._job, answer.made, answer.output_bytes, limits=self._limits, path=file
        )
        return answer, frame

    def _over(self, error: str) -> PythonResult:
        self._alive = False
        self._job.kill()
        return PythonResult("", error, alive=False)
