"""Run untrusted SQL and Python and read uploaded files, in isolated child processes.

Every call runs in a fresh job. With `workspace`, a query may be answered by a warm worker of that
workspace instead; the result is the same.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from yarrow.charting import CompiledChart
from yarrow.charting.errors import ChartImpossible
from yarrow.ids import new_uuid
from yarrow.isolation.landlock import is_available
from yarrow.kit.json import JsonValue
from yarrow.kit.limiter import Limiter, current_owner
from yarrow.sandbox.client import MAX_PARTS, ForkServerClient, JobDied, to_error
from yarrow.sandbox.errors import (
    QueryFailed,
    SandboxBusy,
    SandboxError,
    SandboxFailed,
    TableUnreadable,
)
from yarrow.sandbox.fork_servers import (
    ForkServers,
    IsolationProbe,
    are_packages_installed,
    probe_isolation,
)
from yarrow.sandbox.job_spec import (
    DATASETS,
    SPOOL,
    InvalidFrame,
    JobSpec,
    clamp_limits,
    compute_duckdb_memory,
    create_output,
    make_chart_request,
    make_import_limits,
    make_job_spec,
    make_preview_request,
    make_read_request,
    make_readable,
    make_save_request,
    make_sql_request,
    remove_file,
    select_tables,
    table_files,
    validate_header,
)
from yarrow.sandbox.messages import (
    ChartDrawn,
    ChartRefused,
    DrawChart,
    FileSheets,
    FileWritten,
    JobError,
    JobKind,
    PreviewFile,
    QueryFile,
    QueryRows,
    ReadFile,
    Request,
    Response,
    RunSql,
    SaveQuery,
    Sheet,
    StreamLines,
)
from yarrow.sandbox.model import (
    ChartRequest,
    FileToRead,
    JobLimits,
    PythonResult,
    SavedFrame,
    TableResult,
    WarmLimits,
    WrittenTable,
)
from yarrow.sandbox.python_session import PythonSession
from yarrow.sandbox.sanitise import sanitise_message
from yarrow.sandbox.table_notes import quote_error
from yarrow.sandbox.time_limits import EXPORT_WORDS, IMPORT_WORDS, QUERY_WORDS, TimeLimitWords
from yarrow.sandbox.warm_workers import WARM_OUTPUT, WarmResponse, WarmWorkers, make_worker_key
from yarrow.settings import Settings

WAIT_S = 30.0
SESSIONS_PER_JOB = 4
"""A session seldom computes, but keeps its memory."""
SESSION_RUNS = 10
"""Processor time of a session, in multiples of the limit of one program."""
UNPACKED_FACTOR = 8
"""How much larger than the largest upload its unpacked content may be."""

_OUTPUT = "kept.parquet"
_DIED = "this took more memory than one job has, or its process crashed"


class Sandbox:
    """Opened once per server; its processes start on first use and end with it."""

    def __init__(
        self,
        settings: Settings,
        *,
        probe: IsolationProbe = probe_isolation,
        has_landlock: Callable[[], bool] = is_available,
        has_packages: Callable[[], bool] = are_packages_installed,
        warm_limits: WarmLimits | None = None,
        max_parts: int = MAX_PARTS,
    ) -> None:
        self.folder = settings.data_dir.resolve() / DATASETS
        self._settings, jobs = settings, settings.sandbox_jobs
        # One account never holds the last slot: another's short query starts at once.
        self._jobs, self._sessions = (
            Limiter(slots, per_owner=max(1, slots - 1), timeout_s=WAIT_S, busy=SandboxBusy)
            for slots in (jobs, jobs * SESSIONS_PER_JOB)
        )
        self._servers = ForkServers(
            self.folder,
            probe=probe,
            has_landlock=has_landlock,
            has_packages=has_packages,
            max_parts=max_parts,
        )
        self._warm = WarmWorkers(
            settings.sandbox_warm_workers,
            limiter=self._jobs,
            spool_path=self.spool_path,
            limits=warm_limits or WarmLimits(),
        )

    async def __aenter__(self) -> Self:
        for folder in (self.folder, self.folder / SPOOL):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._warm.close()
        await self._servers.close()

    @property
    def pids(self) -> Mapping[JobKind, int]:
        """Process ids of the fork servers that run now."""
        return self._servers.pids

    def spool_path(self, suffix: str) -> Path:
        """A new path for a file that is not a table yet; leftovers are swept."""
        return self.folder / SPOOL / f"{new_uuid()}{suffix}"

    async def why_no_python(self) -> str | None:
        """Why Python cannot be isolated on this machine, for the operator; None if it can."""
        return await self._servers.why_not_isolated()

    async def why_no_tables(self) -> SandboxError | None:
        """Why no table can be read on this machine; None if it can."""
        return await self._servers.why_no_tables()

    async def run_sql(
        self,
        query: str,
        tables: Mapping[str, Path],
        limits: JobLimits | None = None,
        *,
        workspace: str | None = None,
        parameters: Sequence[JsonValue] = (),
        numbered: bool = False,
        count_query: str | None = None,
    ) -> TableResult:
        """Run one SELECT over these tables; `QueryFailed` has a message that is safe to show.

        `numbered` tables have the column `#rowId`, the position of a row from 1. A `count_query`
        runs in the same job with the same parameters; its number is the result's `total`.
        """
        used = self._clamp_limits(limits)
        request = make_sql_request(
            query, used, parameters=parameters, numbered=numbered, count_query=count_query
        )
        response = await self._run_query(request, tables, used, workspace)
        if isinstance(response, QueryRows):
            return response.result
        raise to_error(response)

    async def save_query(
        self,
        query: str,
        tables: Mapping[str, Path],
        limits: JobLimits | None = None,
        *,
        workspace: str | None = None,
        chart: ChartRequest | None = None,
    ) -> SavedFrame:
        """Write all rows of a SELECT to a file in the spool folder; raises like `run_sql`.

        With `chart`, compile it over all rows too; `ChartImpossible` if they do not allow it.
        """
        used = self._clamp_limits(limits)
        request = make_save_request(query, used, parquet=WARM_OUTPUT, chart=chart)
        match await self._try_warm(workspace, request, tables, used):
            case WarmResponse(frame=SavedFrame() as frame):
                return frame
            case WarmResponse(ChartRefused() as refused):
                raise to_error(refused)
        output = create_output(self.spool_path(".parquet"))
        try:
            return await self._save_cold(request, tables, used, output)
        except (QueryFailed, ChartImpossible, SandboxError, asyncio.CancelledError):
            remove_file(output)
            raise

    async def draw_chart(
        self, chart: ChartRequest, file: Path, row_count: int, *, workspace: str | None = None
    ) -> CompiledChart:
        """Compile a chart over all rows of a table; `ChartImpossible` if they do not allow it."""
        used = self._clamp_limits(None)
        request = make_chart_request(chart, row_count, used)
        table = chart.row_filter.table if chart.row_filter else "rows"
        response = await self._run_query(request, {table: file}, used, workspace)
        if isinstance(response, ChartDrawn):
            return response.chart
        raise to_error(response)

    async def _save_cold(
        self, request: SaveQuery, tables: Mapping[str, Path], limits: JobLimits, output: Path
    ) -> SavedFrame:
        client = await self._servers.for_sql()
        spec = make_job_spec(
            table_files(tables), limits, {_OUTPUT: output}, file_bytes=limits.output_bytes
        )
        located = replace(
            client.locate_tables(request, tables), parquet=client.path_in_job(_OUTPUT, output)
        )
        match await self._run_job(client, spec, located, QUERY_WORDS):
            case QueryFile(header, chart=chart):
                try:
                    first = validate_header(header, limits)
                    return SavedFrame(first, header.row_count, output, chart)
                except InvalidFrame:
                    raise SandboxFailed from None
            case response:
                raise to_error(response)

    async def stream_lines(self, query: str, tables: Mapping[str, Path]) -> AsyncIterator[bytes]:
        """Stream the values of a trusted query's one text column, joined."""
        used, client = make_import_limits(self._settings), await self._servers.for_sql()
        request = StreamLines(
            query=query,
            max_ms=int(used.clock_seconds * 1000),
            memory_mb=compute_duckdb_memory(used.memory_mb),
        )
        spec = make_job_spec(table_files(tables), used)
        async with self._sessions.slot(current_owner()), client.job(spec) as job:
            try:
                async for data in job.stream(client.locate_tables(request, tables)):
                    yield data
            except TimeoutError as error:
                raise QueryFailed(EXPORT_WORDS.explain(used, error)) from None

    async def read_file(self, file: FileToRead, target: Path) -> WrittenTable:
        """Convert an uploaded file to Parquet at `target`.

        `TableUnreadable` says, in words for the file's owner, why it cannot be read.
        """
        request = make_read_request(file, self._settings, max_bytes=self._limit_unpacked_bytes())
        match await self._import_file(file, request, {"target": create_output(target)}):
            case FileWritten(table):
                return table
            case _:
                raise SandboxFailed

    async def preview_file(self, file: FileToRead, *, rows: int) -> Sequence[Sheet]:
        """The sheets of an uploaded file, with their first rows; raises like `read_file`."""
        request = make_preview_request(
            file, self._settings, rows=rows, max_bytes=self._limit_unpacked_bytes()
        )
        match await self._import_file(file, request, {}):
            case FileSheets(sheets):
                return sheets
            case _:
                raise SandboxFailed

    @asynccontextmanager
    async def python_session(
        self,
        tables: Mapping[str, Path],
        limits: JobLimits | None = None,
        *,
        files: Mapping[str, Path] | None = None,
        runs: int = SESSION_RUNS,
    ) -> AsyncIterator[PythonSession]:
        """A session whose working folder has the tables as `data/<name>.parquet`.

        `files` are mounted too, by their path in that folder. All programs share the processor
        time of `runs` programs. `PythonUnavailable` where the machine cannot isolate jobs.
        """
        client = await self._servers.isolated(JobKind.PYTHON)
        used = self._clamp_limits(limits)
        readable = table_files(tables) | dict(files or {})
        spec = make_job_spec(readable, used, requests=runs)
        async with self._sessions.slot(current_owner()), client.job(spec) as job:
            yield PythonSession(job, used, limiter=self._jobs, spool_path=self.spool_path)

    async def run_python(
        self,
        code: str,
        tables: Mapping[str, Path],
        limits: JobLimits | None = None,
        *,
        output_variable: str | None = None,
    ) -> PythonResult:
        """Run one piece of Python in a session of its own; raises like `python_session`.

        Only the tables that it may read are mounted.
        """
        used = select_tables(code, tables)
        async with self.python_session(used, limits, runs=1) as session:
            return await session.run(code, output_variable=output_variable)

    async def _run_query(
        self,
        request: RunSql | DrawChart,
        tables: Mapping[str, Path],
        limits: JobLimits,
        workspace: str | None,
    ) -> Response:
        """The response of a warm worker, else of a fresh job."""
        if (warm := await self._try_warm(workspace, request, tables, limits)) is not None:
            return warm.response
        client = await self._servers.for_sql()
        spec = make_job_spec(table_files(tables), limits)
        return await self._run_job(client, spec, client.locate_tables(request, tables), QUERY_WORDS)

    async def _try_warm(
        self,
        workspace: str | None,
        request: RunSql | SaveQuery | DrawChart,
        tables: Mapping[str, Path],
        limits: JobLimits,
    ) -> WarmResponse | None:
        """The response of a warm worker; None if the request needs a fresh job."""
        if workspace is None or await self.why_no_python() is not None:
            return None
        client = await self._servers.isolated(JobKind.SQL)
        key = make_worker_key(workspace, client, limits)
        try:
            return await self._warm.run(key, request, tables, limits)
        except TimeoutError as error:
            raise QueryFailed(QUERY_WORDS.explain(limits, error)) from None

    async def _run_job(
        self, client: ForkServerClient, spec: JobSpec, request: Request, words: TimeLimitWords
    ) -> Response:
        """Run one request in a fresh job; a timeout or a crash is a `JobError` too."""
        async with self._jobs.slot(current_owner()):
            try:
                return await client.run(spec, request)
            except TimeoutError as error:
                return JobError(words.explain(spec, error))
            except JobDied:
                return JobError(_DIED)

    async def _import_file(
        self, file: FileToRead, request: ReadFile | PreviewFile, outputs: Mapping[str, Path]
    ) -> Response:
        client = await self._servers.for_sql()
        work_files = {
            name: create_output(self.spool_path(f".{name}")) for name in ("unpacked", "decoded")
        }
        make_readable(file.source)
        readable, writable = {"source": file.source}, {**work_files, **outputs}
        limits = make_import_limits(self._settings)
        spec = make_job_spec(readable, limits, writable, file_bytes=self._limit_unpacked_bytes())
        located = replace(
            request,
            **{
                name: client.path_in_job(name, path)
                for name, path in {**readable, **writable}.items()
            },
        )
        try:
            response = await self._run_job(client, spec, located, IMPORT_WORDS)
        finally:
            for path in work_files.values():
                remove_file(path)
        if isinstance(response, JobError):
            raise TableUnreadable(response.note or quote_error(sanitise_message(response.error)))
        return response

    def _clamp_limits(self, limits: JobLimits | None) -> JobLimits:
        return clamp_limits(limits or JobLimits(), self._settings)

    def _limit_unpacked_bytes(self) -> int:
        return self._settings.table_max_mb * UNPACKED_FACTOR * 1024 * 1024
