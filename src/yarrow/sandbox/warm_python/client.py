"""Server side: run a program in a warm Python worker if it qualifies."""

from collections.abc import Mapping
from pathlib import Path

from yarrow.sandbox.job_spec import python_request
from yarrow.sandbox.model import JobLimits, PythonResult
from yarrow.sandbox.protocol import PythonResponse
from yarrow.sandbox.python_session import timed_out, to_result
from yarrow.sandbox.warm_workers import WarmResponse, WarmTimedOut, WarmWorkers, WorkerKey


async def run_warm_python(
    workers: WarmWorkers,
    key: WorkerKey,
    code: str,
    output_variable: str | None,
    tables: Mapping[str, Path],
    limits: JobLimits,
) -> PythonResult | None:
    """The result; None if the program needs a fresh process."""
    request = python_request(code, output_variable, limits)
    try:
        reply = await workers.run(key, request, tables, limits)
    except WarmTimedOut as timeout:
        return timed_out(limits, timeout.printed)
    match reply:
        case WarmResponse(PythonResponse() as response, frame):
            return to_result(response, frame, limits)
        case _:
            return None
