"""The sandbox: the one door to processes that run foreign code and read foreign files."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from yarrow.ids import new_uuid
from yarrow.isolation.seccomp import is_supported
from yarrow.kit.json import JsonValue
from yarrow.kit.limiter import Turns
from yarrow.sandbox.client import JobGone, Needs, Trade, Zygote, why_not_isolated
from yarrow.sandbox.errors import (
    PythonUnavailable,
    QueryFailed,
    SandboxBusy,
    SandboxError,
    SandboxFailed,
    TableUnreadable,
)
from yarrow.sandbox.frame_header import Nonsense, seen
from yarrow.sandbox.job_spec import (
    for_duckdb,
    keep_order,
    needs_of,
    places_of,
    select_order,
    to_fill,
)
from yarrow.sandbox.model import (
    Limits,
    PythonResult,
    Seen,
    TableResult,
    WrittenTable,
)
from yarrow.sandbox.protocol import (
    Answer,
    Chunk,
    Failed,
    Kept,
    Order,
    PreviewFile,
    ReadFile,
    Rows,
    RunSql,
    SendLines,
    Sheet,
    Sheets,
    Written,
)
from yarrow.sandbox.python_session import PythonSession
from yarrow.sandbox.sanitise import sanitise
from yarrow.sandbox.warm_workers import Rooms
from yarrow.settings import Settings

SPOOL = "spool"
"""The folder, beside the tables, of files that are not tables yet."""
WAIT_S = 30.0
SESSIONS_PER_JOB = 4
"""A session computes only now and then, but keeps its memory."""
UNPACKED_TIMES = 8
"""How much larger than the largest file its unpacked content may be."""

TOO_LONG = "Timeout: it took longer than {seconds:g} seconds"
_DIED = "Out Of Memory: it took more memory than it may, or crashed"


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file in the spool folder, what it was called, and what is wanted of it."""

    source: Path
    filename: str
    table_name: str = ""
    sheet_name: str | None = None
    max_rows: int | None = None
    """Fewer than the settings allow."""


class Sandbox:
    """Opened once; its processes start when they are first needed, and end with it."""

    def __init__(self, settings: Settings) -> None:
        self.folder = settings.data_dir.resolve() / "datasets"
        self._settings = settings
        self._turns = Turns(settings.sandbox_jobs, patience_s=WAIT_S, busy=SandboxBusy)
        self._sessions = Turns(
            settings.sandbox_jobs * SESSIONS_PER_JOB, patience_s=WAIT_S, busy=SandboxBusy
        )
        self._jailed_sql = Zygote(Trade.SQL, self.folder, jailed=True)
        self._plain_sql = Zygote(Trade.SQL, self.folder, jailed=False)
        self._python = Zygote(Trade.PYTHON, self.folder, jailed=True)
        self.rooms = Rooms(settings.sandbox_rooms, turns=self._turns, spool_path=self.spool_path)
        self._probing = asyncio.Lock()
        self._probed: list[str | None] = []

    async def __aenter__(self) -> Self:
        for folder in (self.folder, self.folder / SPOOL):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.rooms.close()
        for zygote in (self._jailed_sql, self._plain_sql, self._python):
            await zygote.close()

    @property
    def pids(self) -> Sequence[int]:
        """The processes that live now, for measuring."""
        zygotes = (self._jailed_sql, self._plain_sql, self._python)
        return [zygote.pid for zygote in zygotes if zygote.pid is not None]

    def spool_path(self, suffix: str) -> Path:
        """A fresh name for a file that is not a table yet; the sweep removes what stays."""
        return self.folder / SPOOL / f"{new_uuid()}{suffix}"

    async def why_no_python(self) -> str | None:
        """What keeps this machine from isolating Python, in words for the operator; tried once."""
        async with self._probing:
            if not self._probed:
                self._probed.append(await self._probe())
        return self._probed[0]

    async def room_for(self, trade: Trade) -> Zygote | None:
        """Where a room can be opened; None on a machine that cannot lock it up."""
        if await self.why_no_python() is not None:
            return None
        return self._python if trade is Trade.PYTHON else self._jailed_sql

    async def run_sql(
        self,
        query: str,
        tables: Mapping[str, Path],
        limits: Limits | None = None,
        *,
        parameters: Sequence[JsonValue] = (),
        numbered: bool = False,
        count_query: str | None = None,
    ) -> TableResult:
        """One SELECT over these tables. `QueryFailed` says, safely, what was wrong with it.

        `numbered` tables have the column `#rowId`, the position of a row from 1. A `count_query`
        is answered by the same job, with the same parameters, as the result's `total`.
        """
        used, zygote = self.within_settings(limits), await self._reader()
        places = places_of(tables)
        order = select_order(
            query,
            used,
            {name: zygote.seen_path(place, tables[name]) for place, name in places.items()},
            parameters=parameters,
            numbered=numbered,
            count_query=count_query,
        )
        needs = needs_of({place: tables[name] for place, name in places.items()}, used)
        match await self._ask(zygote, needs, order):
            case Rows(result):
                return result
            case Failed(error):
                raise QueryFailed(sanitise(error))
            case _:
                raise SandboxFailed

    async def keep_sql(
        self, query: str, tables: Mapping[str, Path], limits: Limits | None = None
    ) -> tuple[Path, Seen]:
        """All rows of a SELECT as a Parquet file in the spool folder; the caller moves it."""
        used, zygote = self.within_settings(limits), await self._reader()
        target = to_fill(self.spool_path(".parquet"))
        places = places_of(tables)
        order = keep_order(
            query,
            used,
            {name: zygote.seen_path(place, tables[name]) for place, name in places.items()},
            parquet=zygote.seen_path("kept.parquet", target),
        )
        files = {place: tables[name] for place, name in places.items()}
        needs = needs_of(files, used, {"kept.parquet": target}, file_bytes=used.output_bytes)
        try:
            match await self._ask(zygote, needs, order):
                case Kept(made):
                    return target, seen(made, used)
                case Failed(error):
                    raise QueryFailed(sanitise(error))
                case _:
                    raise SandboxFailed
        except Nonsense:
            target.unlink(missing_ok=True)
            raise SandboxFailed from None
        except (QueryFailed, SandboxError, asyncio.CancelledError):
            target.unlink(missing_ok=True)
            raise

    async def stream_lines(
        self, query: str, tables: Mapping[str, Path], limits: Limits | None = None
    ) -> AsyncIterator[bytes]:
        """The one text column of a trusted query, joined, in pieces as they are made."""
        used, zygote = self.within_settings(limits), await self._reader()
        places = places_of(tables)
        order = SendLines(
            tables={name: zygote.seen_path(place, tables[name]) for place, name in places.items()},
            query=query,
            max_ms=int(self._settings.table_import_timeout_s * 1000),
            memory_mb=for_duckdb(used.memory_mb),
        )
        needs = needs_of({place: tables[name] for place, name in places.items()}, used)
        async with self._sessions.one(), zygote.job(needs) as job:
            try:
                answer = await job.ask(order)
                while isinstance(answer, Chunk) and answer.size:
                    left = answer.size
                    while left:
                        data = await job.read(left)
                        left -= len(data)
                        yield data
                    answer = await job.next_answer()
            except JobGone:
                raise SandboxFailed from None
        if isinstance(answer, Failed):
            raise QueryFailed(sanitise(answer.error))

    async def read_file(self, file: FileToRead, target: Path) -> WrittenTable:
        """A file that somebody brought, written as Parquet to `target`.

        `TableUnreadable` says, in words for its owner, why it cannot be read.
        """
        limits, zygote = self._import_limits(), await self._reader()
        ways = self._work_files()
        order = ReadFile(
            source=zygote.seen_path("source", file.source),
            unpacked=zygote.seen_path("unpacked", ways["unpacked"]),
            decoded=zygote.seen_path("decoded", ways["decoded"]),
            target=zygote.seen_path("target", target),
            filename=file.filename,
            table_name=file.table_name,
            sheet_name=file.sheet_name,
            max_rows=self._max_rows(file),
            max_bytes=self._unpacked_bytes(),
            memory_mb=for_duckdb(limits.memory_mb),
        )
        needs = self._reading_needs(file, limits, {**ways, "target": to_fill(target)})
        match await self._read(zygote, needs, order, ways):
            case Written(written):
                return written
            case _:
                raise SandboxFailed

    async def preview_file(self, file: FileToRead, *, rows: int) -> Sequence[Sheet]:
        """The sheets of a file, with their first rows."""
        limits, zygote = self._import_limits(), await self._reader()
        ways = self._work_files()
        order = PreviewFile(
            source=zygote.seen_path("source", file.source),
            unpacked=zygote.seen_path("unpacked", ways["unpacked"]),
            decoded=zygote.seen_path("decoded", ways["decoded"]),
            filename=file.filename,
            max_rows=rows,
            max_bytes=self._unpacked_bytes(),
            memory_mb=for_duckdb(limits.memory_mb),
        )
        needs = self._reading_needs(file, limits, ways)
        match await self._read(zygote, needs, order, ways):
            case Sheets(sheets):
                return sheets
            case _:
                raise SandboxFailed

    @asynccontextmanager
    async def python_session(
        self,
        tables: Mapping[str, Path],
        limits: Limits | None = None,
        *,
        files: Mapping[str, Path] | None = None,
    ) -> AsyncIterator[PythonSession]:
        """Pieces of Python that share their names; tables are `data/<name>.parquet`.

        `files` are shown as they are, at the places they are given by.
        `PythonUnavailable` where the machine cannot isolate it: then none is run at all.
        """
        if (reason := await self.why_no_python()) is not None:
            raise PythonUnavailable(reason)
        used = self.within_settings(limits)
        given = {place: tables[name] for place, name in places_of(tables).items()}
        given |= files or {}
        needs = needs_of(given, used, seconds=used.seconds * PythonSession.PIECES)
        async with self._sessions.one(), self._python.job(needs) as job:
            yield PythonSession(job, used, turns=self._turns, spool_path=self.spool_path)

    async def run_python(
        self,
        code: str,
        tables: Mapping[str, Path],
        limits: Limits | None = None,
        *,
        output_variable: str | None = None,
    ) -> PythonResult:
        """One piece of Python in a session of its own."""
        async with self.python_session(tables, limits) as session:
            return await session.run(code, output_variable=output_variable)

    async def _probe(self) -> str | None:
        if not is_supported():
            return "isolation is built for x86-64 and AArch64"
        zygote = self._jailed_sql
        order = RunSql({}, "SELECT 1", [], 1, 1000, 10_000, 256)
        try:
            async with zygote.job(needs_of({}, self.within_settings(None))) as job:
                answer = await job.ask(order)
        except (SandboxError, JobGone):
            await zygote.close()
            return why_not_isolated(zygote.failure)
        return None if isinstance(answer, Rows) else why_not_isolated("")

    async def _reader(self) -> Zygote:
        """Where tables are read: locked up if the machine can, behind DuckDB's own lock if not."""
        return self._jailed_sql if await self.why_no_python() is None else self._plain_sql

    async def _ask(self, zygote: Zygote, needs: Needs, order: Order) -> Answer:
        async with self._turns.one():
            try:
                async with asyncio.timeout(needs.seconds), zygote.job(needs) as job:
                    return await job.ask(order)
            except TimeoutError:
                return Failed(TOO_LONG.format(seconds=needs.seconds))
            except JobGone:
                return Failed(_DIED)

    async def _read(
        self, zygote: Zygote, needs: Needs, order: Order, ways: Mapping[str, Path]
    ) -> Answer:
        try:
            answer = await self._ask(zygote, needs, order)
        finally:
            for file in ways.values():
                file.unlink(missing_ok=True)
        if isinstance(answer, Failed):
            raise TableUnreadable(answer.error if answer.readable else sanitise(answer.error))
        return answer

    def within_settings(self, limits: Limits | None) -> Limits:
        """These limits, or lower ones."""
        wanted = limits or Limits()
        return replace(
            wanted,
            seconds=min(wanted.seconds, self._settings.sandbox_timeout_s),
            memory_mb=min(wanted.memory_mb, self._settings.sandbox_memory_mb),
        )

    def _import_limits(self) -> Limits:
        return Limits(
            seconds=self._settings.table_import_timeout_s,
            memory_mb=self._settings.sandbox_memory_mb,
        )

    def _max_rows(self, file: FileToRead) -> int:
        allowed = self._settings.table_max_rows
        return allowed if file.max_rows is None else min(file.max_rows, allowed)

    def _unpacked_bytes(self) -> int:
        return self._settings.table_max_mb * UNPACKED_TIMES * 1024 * 1024

    def _work_files(self) -> dict[str, Path]:
        return {way: to_fill(self.spool_path(f".{way}")) for way in ("unpacked", "decoded")}

    def _reading_needs(
        self, file: FileToRead, limits: Limits, writable: Mapping[str, Path]
    ) -> Needs:
        file.source.chmod(0o644)
        unpacked = self._unpacked_bytes()
        return needs_of({"source": file.source}, limits, writable, file_bytes=unpacked)
