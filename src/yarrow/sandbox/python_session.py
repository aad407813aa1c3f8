"""A Python session: one job that keeps its namespace between pieces of code."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from yarrow.kit.limiter import Limiter, current_owner
from yarrow.sandbox.client import Job, JobDied, receive_frame
from yarrow.sandbox.job_spec import KILL_GRACE_S, compute_max_response_bytes, make_python_request
from yarrow.sandbox.messages import MAX_FRAMES, PythonResponse, RunPython
from yarrow.sandbox.model import JobLimits, PythonResult, SavedFrame
from yarrow.sandbox.sanitise import redact_server_paths, sanitise_message
from yarrow.sandbox.time_limits import CODE_TOO_LONG, CODE_WORDS

MAX_NAME_CHARS = 500
"""Of a DataFrame's name, which the process may choose freely."""

_DIED = "the code ended its process: it took too much memory, or left"


def _to_result(
    response: PythonResponse, frame: SavedFrame | None, limits: JobLimits
) -> PythonResult:
    """A response with its untrusted texts shortened and sanitised."""
    error = None if response.error is None else sanitise_message(response.error)
    frames = [name for name in response.frames[:MAX_FRAMES] if len(name) <= MAX_NAME_CHARS]
    stdout = response.stdout[: limits.stdout_chars + 100]
    is_timed_out = response.error is not None and response.error.startswith(CODE_TOO_LONG)
    return PythonResult(stdout, error, frames, frame, alive=not is_timed_out)


def _make_timeout_result(limits: JobLimits, printed: str, error: TimeoutError) -> PythonResult:
    """The result of a program that was killed at the end of its time."""
    message = CODE_WORDS.explain(limits, error)
    return PythonResult(_shorten_output(printed, limits), message, alive=False)


def _shorten_output(printed: str, limits: JobLimits) -> str:
    return redact_server_paths(printed[: limits.stdout_chars])


class PythonSession:
    """Runs one piece of code after another; ends with a timeout or a crash."""

    def __init__(
        self, job: Job, limits: JobLimits, *, limiter: Limiter, spool_path: Callable[[str], Path]
    ) -> None:
        self._job = job
        self._limits = limits
        self._limiter = limiter
        self._spool_path = spool_path
        self._alive = True

    async def run(self, code: str, *, output_variable: str | None = None) -> PythonResult:
        """Run code; with `output_variable`, return that DataFrame as rows and as a file."""
        if not self._alive:
            return PythonResult("", _DIED, alive=False)
        request = make_python_request(code, output_variable, self._limits)
        async with self._limiter.slot(current_owner()):
            try:
                async with asyncio.timeout(self._limits.clock_seconds + KILL_GRACE_S):
                    response, frame = await self._request_run(request)
            except TimeoutError as error:
                return self._end_session(
                    _make_timeout_result(self._limits, self._job.printed, error)
                )
            except JobDied:
                printed = _shorten_output(self._job.printed, self._limits)
                return self._end_session(PythonResult(printed, _DIED, alive=False))
        result = _to_result(response, frame, self._limits)
        return result if result.alive else self._end_session(result)

    async def _request_run(self, request: RunPython) -> tuple[PythonResponse, SavedFrame | None]:
        response = await self._job.request(
            request, max_bytes=compute_max_response_bytes(self._limits)
        )
        if not isinstance(response, PythonResponse):
            raise JobDied
        if response.header is None:
            return response, None
        frame = await receive_frame(
            self._job,
            response.header,
            response.output_bytes,
            limits=self._limits,
            path=self._spool_path(".parquet"),
        )
        return response, frame

    def _end_session(self, result: PythonResult) -> PythonResult:
        self._alive = False
        self._job.kill()
        return result
