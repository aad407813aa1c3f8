"""Server side of a fork server: start it on first use, ask it for jobs, talk to them.

A job may have run untrusted code: the shape and size of what it sends are checked. Whether the
first rows of a frame are those of its file is not: only the owner of the code sees either.
"""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from yarrow.charting.errors import ChartImpossible
from yarrow.kit.child_process import ChildFailed, ChildProcess
from yarrow.kit.json import count_parts
from yarrow.sandbox.errors import QueryFailed, SandboxFailed
from yarrow.sandbox.fork_command import BOOTSTRAP, ENVIRONMENT
from yarrow.sandbox.job_spec import (
    InvalidFrame,
    JobSpec,
    make_readable,
    make_start_message,
    remove_file,
    table_path,
    validate_header,
)
from yarrow.sandbox.messages import (
    MAX_FRAME_BYTES,
    ChartRefused,
    FrameHeader,
    JobEnded,
    JobError,
    JobFiles,
    JobKind,
    KillJob,
    LinesChunk,
    LoadTable,
    PrintedText,
    QueryRequest,
    Request,
    Response,
    StartJob,
    StartWarm,
    StreamLines,
)
from yarrow.sandbox.model import JobLimits, SavedFrame
from yarrow.sandbox.sanitise import sanitise_message
from yarrow.sandbox.time_limits import CpuTimeExceeded

LENGTH_BYTES = 4
SEND_AGAIN_S = 0.005
KILL_AGAIN_S = 0.02
REPORT_S = 5.0
"""How long the fork server may take to report the end of a job."""
RETRY_S = 0.2
"""Long enough to see that the fork server died as well, and to start another."""
REPORT_BYTES = 1024
READ_LIMIT = 1024 * 1024
MAX_PARTS = 500_000
"""Lists and objects in one response."""
PRINTED_FRAME_BYTES = 40
"""What a piece of printed text costs beside its letters, so that empty ones end too."""
JOB_FOLDER = Path("/job")

log = logging.getLogger("yarrow.sandbox")

Query = TypeVar("Query", bound=QueryRequest)

_encoder = msgspec.json.Encoder()
_reports = msgspec.json.Decoder(JobEnded)
_responses: msgspec.json.Decoder[Response] = msgspec.json.Decoder(Response)


class JobDied(Exception):
    """The job ended without a response: it crashed, was killed, or sent an invalid one."""


class Job:
    """A forked process at the other end of a socket."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        kill: Callable[[], None],
        report: asyncio.Future[bool],
        max_parts: int,
    ) -> None:
        self._report = report
        """Whether the job ended because it had no processor time left."""
        self._reader = reader
        self._writer = writer
        self._max_parts = max_parts
        self.kill = kill
        self.printed = ""
        """What the program of the present request has printed so far."""

    async def request(self, request: Request, *, max_bytes: int = MAX_FRAME_BYTES) -> Response:
        """Send a request and return its response, which may have at most `max_bytes`.

        What is printed meanwhile may have as many, and is in `printed`.
        """
        self.printed = ""
        try:
            self._writer.write(_pack_message(request))
            await self._writer.drain()
            response = await self.next_response(max_bytes=max_bytes)
        except ConnectionError:
            raise JobDied from None
        remaining = max_bytes
        while isinstance(response, PrintedText):
            remaining -= len(response.text) + PRINTED_FRAME_BYTES
            if remaining < 0:
                raise JobDied
            self.printed += response.text
            response = await self.next_response(max_bytes=max_bytes)
        return response

    async def next_response(self, *, max_bytes: int = MAX_FRAME_BYTES) -> Response:
        """Raises `JobDied`, or `CpuTimeExceeded`."""
        try:
            size = int.from_bytes(await self._reader.readexactly(LENGTH_BYTES), "big")
            if size > min(max_bytes, MAX_FRAME_BYTES):
                raise JobDied
            frame = await self._reader.readexactly(size)
            if count_parts(frame) > self._max_parts:
                raise JobDied
            return _responses.decode(frame)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise await self._explain_end() from None
        except (ValueError, RecursionError):
            # Not JSON, not UTF-8, no `Response`, or nested too deeply.
            raise JobDied from None

    async def read(self, size: int) -> bytes:
        """At most `size` of the bytes that follow a response."""
        data = await self._reader.read(min(size, READ_LIMIT))
        if not data:
            raise await self._explain_end()
        return data

    async def _explain_end(self) -> JobDied | CpuTimeExceeded:
        """The reason for the end of the socket, which a job that lives on may have closed."""
        try:
            async with asyncio.timeout(REPORT_S):
                return CpuTimeExceeded() if await self._report else JobDied()
        except TimeoutError:
            return JobDied()

    async def stream(self, request: StreamLines) -> AsyncIterator[bytes]:
        """The bytes of all chunks; `QueryFailed` if the query fails."""
        try:
            response = await self.request(request)
            while isinstance(response, LinesChunk) and response.size:
                remaining = response.size
                while remaining:
                    data = await self.read(remaining)
                    remaining -= len(data)
                    yield data
                response = await self.next_response()
        except JobDied:
            raise SandboxFailed from None
        if isinstance(response, JobError):
            raise to_error(response)

    async def send(self, request: StartWarm | LoadTable, data: bytes = b"") -> None:
        """Send a request that has no response, and the bytes that follow it."""
        try:
            self._writer.write(_pack_message(request))
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError:
            raise JobDied from None

    def end(self) -> None:
        """Close the socket and kill the process."""
        self._writer.close()
        self.kill()


class ForkServerClient:
    """Starts jobs. A fork server that died is started again for the next job."""

    def __init__(
        self, kind: JobKind, folder: Path, *, jailed: bool, max_parts: int = MAX_PARTS
    ) -> None:
        self._kind = kind
        self._folder = folder.resolve()
        self.jailed = jailed
        self._max_parts = max_parts
        self._child = ChildProcess(
            (sys.executable, "-c", BOOTSTRAP, os.pathsep.join(path for path in sys.path if path)),
            env=ENVIRONMENT,
            capture_errors=True,
        )
        self._control: socket.socket | None = None
        self._starting = asyncio.Lock()
        self._jobs = 0
        self._reports: WeakValueDictionary[int, asyncio.Future[bool]] = WeakValueDictionary()
        self.failure = ""
        """Last line of the stderr of a fork server that did not start."""

    @property
    def pid(self) -> int | None:
        return self._child.pid

    @asynccontextmanager
    async def job(self, spec: JobSpec) -> AsyncIterator[Job]:
        """A new job, killed at the end of the block."""
        job = await self.start_job(spec)
        try:
            yield job
        finally:
            job.end()

    async def run(self, spec: JobSpec, request: Request) -> Response:
        """Run one request in a fresh job; raises `TimeoutError` or `JobDied`.

        After a crash it runs once more: the job may have been killed for no fault of its own.
        """
        try:
            return await self._run_once(spec, request)
        except (JobDied, SandboxFailed):
            await asyncio.sleep(RETRY_S)
            return await self._run_once(spec, request)

    async def _run_once(self, spec: JobSpec, request: Request) -> Response:
        async with asyncio.timeout(spec.clock_seconds), self.job(spec) as job:
            return await job.request(request)

    async def start_job(self, spec: JobSpec) -> Job:
        """A new job, which the caller ends."""
        files, control = self._list_files(spec), await self._connect_server()
        self._jobs += 1
        number = self._jobs
        report: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._reports[number] = report
        ours, theirs = socket.socketpair()
        ours.settimeout(0)
        try:
            with theirs:
                await _send_start(control, make_start_message(number, spec), theirs)
            reader, writer = await asyncio.open_connection(sock=ours, limit=READ_LIMIT)
            writer.write(_pack_message(files))
        except OSError:
            ours.close()
            raise SandboxFailed from None
        kill = partial(_kill_job, control, number)
        return Job(reader, writer, kill=kill, report=report, max_parts=self._max_parts)

    def path_in_job(self, name: str, file: Path) -> str:
        """The path by which a job opens a file that its spec calls `name`."""
        return str(JOB_FOLDER / name) if self.jailed else str(self._folder / self._relative(file))

    def locate_tables(self, request: Query, tables: Mapping[str, Path]) -> Query:
        """The request with the paths by which a job opens the tables."""
        paths = {name: self.path_in_job(table_path(name), path) for name, path in tables.items()}
        return replace(request, tables=paths)

    async def close(self) -> None:
        """End the fork server and all its jobs."""
        self._disconnect()
        await self._child.kill()

    def _disconnect(self) -> None:
        """Leave the fork server's jobs; the next job starts another."""
        if self._control is not None:
            asyncio.get_running_loop().remove_reader(self._control)
            self._control.close()
            self._control = None
        for report in self._reports.values():
            _resolve_report(report, is_spent=False)

    def _read_reports(self, control: socket.socket) -> None:
        """Called when the control socket is readable: reports of jobs, or its end."""
        data = b""
        with suppress(ConnectionError):  # it died before it read all that we sent
            data = control.recv(REPORT_BYTES)
        if not data:
            self._disconnect()
            return
        ended = _reports.decode(data)
        if (report := self._reports.get(ended.job)) is not None:
            _resolve_report(report, is_spent=ended.has_spent_cpu_time)

    def _list_files(self, spec: JobSpec) -> JobFiles:
        return JobFiles(self._relative_paths(spec.readable), self._relative_paths(spec.writable))

    def _relative_paths(self, files: Mapping[str, Path]) -> dict[str, str]:
        return {name: self._relative(file) for name, file in files.items()}

    def _relative(self, file: Path) -> str:
        return str(file.resolve().relative_to(self._folder))

    async def _connect_server(self) -> socket.socket:
        async with self._starting:
            if self._control is None or self._child.pid is None:
                await self.close()
                self._control = await self._start_server()
            return self._control

    async def _start_server(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(0)
        mode = "jailed" if self.jailed else "plain"
        arguments = (f"{self._kind}_job", mode, str(self._folder), str(theirs.fileno()))
        try:
            with theirs:
                await self._child.start(*arguments, pass_fds=[theirs.fileno()])
        except ChildFailed as failed:
            ours.close()
            self.failure = failed.last_line
            log.warning(
                "sandbox.not_started", extra={"kind": self._kind.value, "error": self.failure}
            )
            raise SandboxFailed from None
        except asyncio.CancelledError:
            ours.close()
            raise
        log.info("sandbox.started", extra={"kind": self._kind.value, "pid": self._child.pid})
        asyncio.get_running_loop().add_reader(ours, self._read_reports, ours)
        return ours


def to_error(response: Response) -> ChartImpossible | QueryFailed | SandboxFailed:
    """The error of a response that is not the expected one; its message is safe to show."""
    match response:
        case ChartRefused(reason):
            return ChartImpossible(reason)
        case JobError(error):
            return QueryFailed(sanitise_message(error))
        case _:
            return SandboxFailed()


async def receive_frame(
    job: Job, header: FrameHeader, size: int, *, limits: JobLimits, path: Path
) -> SavedFrame:
    """Write the `size` bytes that follow a response to `path`; `JobDied` if they are invalid."""
    if not 0 < size <= limits.output_bytes:
        raise JobDied
    try:
        first = validate_header(header, limits)
    except InvalidFrame:
        raise JobDied from None
    remaining = size
    try:
        with path.open("wb") as file:
            while remaining:
                data = await job.read(remaining)
                remaining -= len(data)
                file.write(data)
    except (JobDied, asyncio.CancelledError):
        remove_file(path)
        raise
    make_readable(path)
    return SavedFrame(first, header.row_count, path)


def _pack_message(message: Request | JobFiles) -> bytes:
    frame = _encoder.encode(message)
    return len(frame).to_bytes(LENGTH_BYTES, "big") + frame


async def _send_start(control: socket.socket, start: StartJob, job_socket: socket.socket) -> None:
    message = _encoder.encode(start)
    while True:
        try:
            socket.send_fds(control, [message], [job_socket.fileno()])
        except BlockingIOError:
            await asyncio.sleep(SEND_AGAIN_S)
        else:
            return


def _resolve_report(report: asyncio.Future[bool], *, is_spent: bool) -> None:
    if not report.done():
        report.set_result(is_spent)


def _kill_job(control: socket.socket, job: int) -> None:
    """Retried while the socket's buffer is full; without a fork server there is no job."""
    try:
        control.send(_encoder.encode(KillJob(job)))
    except BlockingIOError:
        asyncio.get_running_loop().call_later(KILL_AGAIN_S, _kill_job, control, job)
    except OSError:
        return
