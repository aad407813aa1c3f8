"""Warm workers: jobs that stay for one workspace and answer its next requests without a fork.

A fork costs a job more than a small query does, because it copies every page that it touches. A
warm worker runs only queries, each in a transaction that is rolled back, for one owner.
It has no files mounted: small tables are sent to it as bytes. It returns only successes; whatever
it refuses or fails at is rerun in a fresh process, whose result counts.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.kit.limiter import Limiter, current_owner
from yarrow.sandbox.client import ForkServerClient, Job, JobDied, receive_frame
from yarrow.sandbox.errors import SandboxFailed
from yarrow.sandbox.job_spec import compute_duckdb_memory, compute_max_response_bytes, make_job_spec
from yarrow.sandbox.messages import (
    WARM_FOLDER,
    DrawChart,
    JobError,
    LoadTable,
    QueryFile,
    Response,
    RunSql,
    SaveQuery,
    StartWarm,
)
from yarrow.sandbox.model import JobLimits, SavedFrame, WarmLimits

CPU_RUNS = 10
"""Processor time of a worker, in multiples of the limit of one request."""
WARM_OUTPUT = f"{WARM_FOLDER}/made"

WarmRequest: TypeAlias = RunSql | SaveQuery | DrawChart


class WorkerKey(NamedTuple):
    """Which requests may share a worker: owner, fork server and limits are equal."""

    owner: str
    client: ForkServerClient
    memory_mb: int
    seconds: float
    clock_seconds: float


class WarmResponse(NamedTuple):
    """A worker's response, and the frame that followed it."""

    response: Response
    frame: SavedFrame | None


class _TableVersion(NamedTuple):
    """A table's file, and a path in the worker that changes with its content."""

    file: Path
    path: str
    size: int


class _WarmWorker(Struct):
    key: WorkerKey
    job: Job
    loaded: set[str] = field(default_factory=set)
    loaded_bytes: int = 0
    busy_s: float = 0.0
    uses: int = 0
    idle_since: float = 0.0

    def is_worn(self, limits: WarmLimits) -> bool:
        return (
            self.uses >= limits.max_uses
            or self.loaded_bytes >= limits.loaded_bytes
            or self.busy_s >= self.key.seconds * (CPU_RUNS / 2)
        )

    async def load(self, tables: Mapping[str, _TableVersion]) -> None:
        """Send the tables that the worker does not have yet."""
        if not self.uses:
            # Twice the limit: the timeout that counts is the server's, and ends the worker.
            max_ms = int(self.key.clock_seconds * 2000)
            await self.job.send(StartWarm(compute_duckdb_memory(self.key.memory_mb), max_ms))
        for table in tables.values():
            if table.path not in self.loaded:
                data = await asyncio.to_thread(table.file.read_bytes)
                await self.job.send(LoadTable(table.path, len(data)), data)
                self.loaded.add(table.path)
                self.loaded_bytes += len(data)


class WarmWorkers:
    """A pool of warm workers. At most `max_idle` wait for their owner's next request."""

    def __init__(
        self,
        max_idle: int,
        *,
        limiter: Limiter,
        spool_path: Callable[[str], Path],
        limits: WarmLimits,
    ) -> None:
        self._max_idle, self._limiter = max_idle, limiter
        self._spool_path, self._limits = spool_path, limits
        self._idle: list[_WarmWorker] = []
        """The longest idle first."""
        self._sweep: asyncio.TimerHandle | None = None

    async def run(
        self, key: WorkerKey, request: WarmRequest, tables: Mapping[str, Path], limits: JobLimits
    ) -> WarmResponse | None:
        """The response; `TimeoutError` if it took too long.

        None if the request needs a fresh process: the tables are too large, or the worker refused
        it, failed, died or could not be started.
        """
        used = _find_named_tables(request, tables)
        if used is None or not self._max_idle:
            return None
        if sum(table.size for table in used.values()) > self._limits.table_bytes:
            return None
        located = {name: table.path for name, table in used.items()}
        async with self._limiter.slot(current_owner()):
            try:
                worker = self._take_worker(key) or await _start_worker(key)
            except SandboxFailed:
                return None
            is_sound, began = False, time.monotonic()
            try:
                async with asyncio.timeout(key.clock_seconds):
                    await worker.load(used)
                    reply = await self._send_request(
                        worker.job, replace(request, tables=located), limits
                    )
                is_sound = True
            except (JobDied, FileNotFoundError):
                return None
            finally:
                worker.uses += 1
                worker.busy_s += time.monotonic() - began
                self._put_back(worker, is_sound=is_sound)
        return None if isinstance(reply.response, JobError) else reply

    def close(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
        while self._idle:
            self._idle.pop().job.end()

    async def _send_request(
        self, job: Job, request: WarmRequest, limits: JobLimits
    ) -> WarmResponse:
        response = await job.request(request, max_bytes=compute_max_response_bytes(limits))
        match response:
            case QueryFile(header, output_bytes=size, chart=chart):
                path = self._spool_path(".parquet")
                frame = await receive_frame(job, header, size, limits=limits, path=path)
                return WarmResponse(response, replace(frame, chart=chart))
            case _:
                return WarmResponse(response, None)

    def _take_worker(self, key: WorkerKey) -> _WarmWorker | None:
        worker = next((worker for worker in reversed(self._idle) if worker.key == key), None)
        if worker is not None:
            self._idle.remove(worker)
        return worker

    def _put_back(self, worker: _WarmWorker, *, is_sound: bool) -> None:
        if worker.is_worn(self._limits) or not is_sound:
            worker.job.end()
            return
        worker.idle_since = time.monotonic()
        self._idle.append(worker)
        while len(self._idle) > self._max_idle:
            self._idle.pop(0).job.end()
        if self._sweep is None:
            self._schedule_sweep(self._limits.idle_s)

    def _schedule_sweep(self, delay_s: float) -> None:
        self._sweep = asyncio.get_running_loop().call_later(delay_s, self._end_idle)

    def _end_idle(self) -> None:
        """End the workers that were idle too long; runs again when the next one may be."""
        now, self._sweep = time.monotonic(), None
        while self._idle:
            remaining = self._idle[0].idle_since + self._limits.idle_s - now
            if remaining > 0:
                self._schedule_sweep(remaining)
                return
            self._idle.pop(0).job.end()


def make_worker_key(owner: str, client: ForkServerClient, limits: JobLimits) -> WorkerKey:
    return WorkerKey(owner, client, limits.memory_mb, limits.seconds, limits.clock_seconds)


async def _start_worker(key: WorkerKey) -> _WarmWorker:
    limits = JobLimits(key.seconds, key.clock_seconds, key.memory_mb)
    spec = make_job_spec({}, limits, requests=CPU_RUNS)
    return _WarmWorker(key, await key.client.start_job(spec))


def _find_named_tables(
    request: WarmRequest, tables: Mapping[str, Path]
) -> dict[str, _TableVersion] | None:
    """The tables whose name occurs in the text; None if one of their files is gone.

    A substring search: a table too many only costs time. A chart needs all of its tables: one.
    """
    match request:
        case RunSql(query=text) | SaveQuery(query=text):
            folded = text.casefold()
            used = {name: path for name, path in tables.items() if name.casefold() in folded}
        case DrawChart():
            used = dict(tables)
    try:
        return {name: _read_table_version(path) for name, path in used.items()}
    except FileNotFoundError:
        return None


def _read_table_version(file: Path) -> _TableVersion:
    stat = file.stat()
    name = f"{file.stem}-{stat.st_mtime_ns}-{stat.st_size}"
    return _TableVersion(file, f"{WARM_FOLDER}/{name}", stat.st_size)
