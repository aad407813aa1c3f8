"""Scratch files, Python where it can be isolated, and what could be loaded into a workspace."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.loader.connected_sources import PREFIX, ConnectedSources
from yarrow.agents.analyst.loader.loadable_tables import WORKSPACE_SOURCE, DataSource, LoadableTable
from yarrow.agents.analyst.unreadable_tables import warn_unreadable
from yarrow.agents.analyst.workspace import rerun_programs
from yarrow.errors import Conflict, Forbidden, InvalidInput, NotFound
from yarrow.kit.json import JsonMapping, encode_json
from yarrow.runs.agent import RunContext
from yarrow.sandbox.errors import SandboxError
from yarrow.sandbox.job_spec import remove_file
from yarrow.sandbox.model import FileToRead, JobLimits, SavedFrame
from yarrow.sandbox.python_session import PythonSession
from yarrow.sources.sources import Sources
from yarrow.tables.duckdb_sql import build_matching_query
from yarrow.tables.model import StoredTable, Tables, Workspace
from yarrow.tables.read import list_tables, list_workspaces, map_table_paths, stream_csv
from yarrow.tables.scratch import (
    FOLDER,
    ScratchFile,
    find_scratch,
    list_scratch,
    parse_scratch_name,
    save_file,
    write_scratch,
)
from yarrow.tables.temp_files import SpoolFile

MAX_READ_BYTES = 1024 * 1024
MAX_WRITE_BYTES = 8 * 1024 * 1024
MAX_FILES = 100
"""Files, and tables, that one Python session sees: their list has to fit one kernel message."""
MAX_FRAMES = 20
OTHER_WORKSPACES = 20
PREVIEW_ROWS = 3

_REFUSALS = (InvalidInput, Forbidden, NotFound, Conflict, SandboxError)


class ToolRefused(Exception):
    """A tool cannot do what was asked; the text may be shown and sent back to the model."""


class TablePreview(Struct, frozen=True):
    """A scratch file read as a table: its columns and first rows."""

    path: str
    columns: Sequence[str]
    rows: Sequence[JsonMapping]
    total_rows: int


class LoaderOutput(Struct, frozen=True):
    """What a program printed, its error, and its data frames, which are scratch files now."""

    stdout: str
    error: str | None = None
    saved: Mapping[str, TablePreview] = field(default_factory=dict)


class LoaderWorkspaces:
    """Opens workspaces for the loader."""

    def __init__(self, stored_tables: Tables, sources: Sources) -> None:
        self._stored_tables, self._sources = stored_tables, sources

    @asynccontextmanager
    async def open(
        self, context: RunContext, analyst_input: AnalystInput
    ) -> AsyncIterator["LoaderWorkspace"]:
        account_id = context.run.account_id
        reason = await self._stored_tables.sandbox.why_no_python()
        unreadable = await self._stored_tables.sandbox.why_no_tables()
        if unreadable is not None:
            warning = warn_unreadable(unreadable, analyst_input.chart_language)
            context.warnings.append(warning)
        async with AsyncExitStack() as stack:
            yield LoaderWorkspace(
                self._stored_tables,
                Workspace(account_id, analyst_input.workspace),
                ConnectedSources(self._sources, account_id, context.warnings),
                row_limit=analyst_input.row_limit,
                can_run_python=reason is None,
                unreadable=unreadable,
                stack=stack,
            )


class LoaderWorkspace:
    """The scratch files of one run. Variables of programs live until one of them dies."""

    def __init__(
        self,
        stored_tables: Tables,
        workspace: Workspace,
        connected: ConnectedSources,
        *,
        row_limit: int,
        can_run_python: bool,
        unreadable: SandboxError | None,
        stack: AsyncExitStack,
    ) -> None:
        self.can_run_python, self.connected = can_run_python, connected
        self.unreadable = unreadable
        self._stored_tables, self._workspace = stored_tables, workspace
        self._row_limit = row_limit
        self._stack = stack
        self._session: PythonSession | None = None
        self._earlier_programs: list[str] = []

    async def read_file(self, path: str) -> str:
        """The text of a scratch file; raises `ToolRefused`."""
        file = self._find_file(path)
        text = await asyncio.to_thread(_read_text, file.path)
        if "\0" in text[:4096]:
            raise ToolRefused(f"{file.display_path} is not text; read it with execute_python")
        return text

    async def write_file(self, path: str, content: str) -> tuple[str, int]:
        """Save a text as a scratch file; returns its path and size. Raises `ToolRefused`."""
        data = content.encode("utf-8", "replace")
        if not path.strip() or len(data) > MAX_WRITE_BYTES:
            raise ToolRefused(f"a file needs a name and at most {MAX_WRITE_BYTES} bytes")
        try:
            file = write_scratch(self._stored_tables, self._workspace, path, data=data)
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused
        if self._session is not None:
            await self._session.run(_WRITE.format(path=file.display_path, data=data))
        return file.display_path, file.size

    async def list_directory(self, path: str) -> Sequence[str]:
        """The names of the scratch files; raises `ToolRefused` for any other folder."""
        try:
            name = parse_scratch_name(path) if path.strip() not in ("", ".", "./") else ""
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused
        if name or PurePosixPath(path).parts not in ((), (".",), (FOLDER,)):
            raise ToolRefused(f"there is no folder {path}")
        files = list_scratch(self._stored_tables, self._workspace)
        return [file.name for file in files if not file.name.startswith(".")]

    async def run_python(self, code: str) -> LoaderOutput:
        """Run a program; the data frames it leaves in variables are saved as scratch files."""
        try:
            session = await self._open_session()
            result = await session.run(code)
            if not result.alive:
                await self._close_session()
            if result.error is not None:
                return LoaderOutput(result.stdout, result.error)
            saved = await self._save_frames(session, result.frames[:MAX_FRAMES])
        except _REFUSALS as refused:
            return LoaderOutput("", str(refused))
        return LoaderOutput(result.stdout, None, saved)

    async def preview_file(self, path: str, *, rows: int) -> TablePreview:
        """A scratch file as a table; raises `ToolRefused`."""
        file = self._find_file(path)
        try:
            sheets = await self._stored_tables.sandbox.preview_file(
                FileToRead(file.path, file.name), rows=rows
            )
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused
        if not sheets:
            raise ToolRefused(f"{file.display_path} holds no table")
        first = sheets[0]
        columns = [column.name for column in first.columns]
        return TablePreview(file.display_path, columns, first.rows[:rows], first.row_count)

    async def list_sources(self) -> Sequence[DataSource]:
        """The workspace, its scratch files, the account's other workspaces and its sources."""
        files = list_scratch(self._stored_tables, self._workspace)
        tables = await self._list_tables(self._workspace.name)
        sources = [
            DataSource(WORKSPACE_SOURCE, tables),
            DataSource(FOLDER, [_build_loadable_table(file) for file in files]),
        ]
        names = await list_workspaces(self._stored_tables, self._workspace.account_id)
        others = [name for name in names if name != self._workspace.name]
        further = [
            DataSource(f"workspaces/{name}", await self._list_tables(name))
            for name in others[:OTHER_WORKSPACES]
        ]
        return [*sources, *further, *await self.connected.list_sources()]

    async def describe_table(self, source: DataSource, table: LoadableTable) -> str:
        """A table in a few lines of text; raises `ToolRefused`."""
        if source.id == FOLDER:
            preview = await self.preview_file(table.key, rows=PREVIEW_ROWS)
            columns, rows = ", ".join(preview.columns), encode_json(preview.rows).decode()
            return f"{preview.path}: {preview.total_rows} rows\nColumns: {columns}\n{rows}"
        if source.id.startswith(PREFIX):
            return await self._describe_connected(source, table)
        name = source.id.partition("/")[2] or self._workspace.name
        workspace = Workspace(self._workspace.account_id, name)
        tables = {
            stored.name: stored for stored in await list_tables(self._stored_tables, workspace)
        }
        if table.key not in tables:
            raise ToolRefused(f"{source.id} has no table {table.key}")
        return _describe_stored_table(tables[table.key])

    async def _describe_connected(self, source: DataSource, table: LoadableTable) -> str:
        try:
            return await self.connected.describe(source.id, table.key)
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused

    async def match_pattern(self, pattern: str, texts: Sequence[str]) -> Sequence[int]:
        """Indexes of the texts in which a regular expression matches, ignoring case.

        DuckDB matches, in linear time for every pattern. Raises `ToolRefused`.
        """
        query = build_matching_query(pattern, texts)
        try:
            result = await self._stored_tables.sandbox.run_sql(
                query.text, {}, JobLimits(rows=len(texts)), parameters=query.parameters
            )
        except _REFUSALS as refused:
            raise ToolRefused(f"the pattern cannot be used: {refused}") from refused
        return [place for row in result.rows if isinstance(place := row["place"], int)]

    async def _list_tables(self, name: str) -> list[LoadableTable]:
        workspace = Workspace(self._workspace.account_id, name)
        tables = await list_tables(self._stored_tables, workspace)
        return [
            LoadableTable(
                table.name,
                table.name,
                columns=list(table.column_types),
                row_count=table.row_count,
                description=table.original_name,
            )
            for table in tables
        ]

    def _find_file(self, path: str) -> ScratchFile:
        try:
            return find_scratch(self._stored_tables, self._workspace, path)
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused

    async def _save_frames(
        self, session: PythonSession, names: Sequence[str]
    ) -> Mapping[str, TablePreview]:
        saved: dict[str, TablePreview] = {}
        for name in names:
            frame = (await session.run("", output_variable=name)).output
            if frame is None:
                continue
            try:
                saved[name] = await self._save_frame(name, frame)
            finally:
                remove_file(frame.path)
        return saved

    async def _save_frame(self, name: str, frame: SavedFrame) -> TablePreview:
        columns = [column.name for column in frame.first.columns]
        stored_tables = self._stored_tables
        spool = SpoolFile(
            stored_tables.sandbox.spool_path(".csv"), max_bytes=stored_tables.scratch_bytes
        )
        try:
            async for chunk in stream_csv(stored_tables, frame.path, columns, rows=self._row_limit):
                spool.write(chunk)
            spool.close()
            file = save_file(stored_tables, self._workspace, f"{name}.csv", source=spool.path)
        finally:
            spool.discard()
        count = min(frame.row_count, self._row_limit)
        return TablePreview(file.display_path, columns, frame.first.rows[:PREVIEW_ROWS], count)

    async def _open_session(self) -> PythonSession:
        if self._session is None:
            listed = (await list_tables(self._stored_tables, self._workspace))[:MAX_FILES]
            gone = await self._stored_tables.files.fetch(listed)
            tables = [table for table in listed if table not in gone]
            files = list_scratch(self._stored_tables, self._workspace)[:MAX_FILES]
            opening = self._stored_tables.sandbox.python_session(
                map_table_paths({table.name: table for table in tables}),
                JobLimits(rows=PREVIEW_ROWS),
                files={file.display_path: file.path for file in files},
            )
            self._session = await self._stack.enter_async_context(opening)
            await self._session.run(_FOLDER)
            if not await rerun_programs(self._session, self._earlier_programs):
                await self._close_session()
                return await self._open_session()
        return self._session

    def remember_program(self, code: str) -> None:
        """A program that an earlier attempt ran; it runs again before the next one."""
        self._earlier_programs.append(code)

    async def _close_session(self) -> None:
        await self._stack.aclose()
        self._session = None


_FOLDER = f"import os as _os\n_os.makedirs({FOLDER!r}, exist_ok=True)\n"
_WRITE = "open({path!r}, 'wb').write({data!r})\n"


def _build_loadable_table(file: ScratchFile) -> LoadableTable:
    return LoadableTable(file.name, file.name, description=f"{file.size} bytes")


def _describe_stored_table(table: StoredTable) -> str:
    columns = ", ".join(f"{column.name} ({column.type})" for column in table.columns)
    rows = encode_json(list(table.sample[:PREVIEW_ROWS])).decode()
    return f"{table.name}: {table.row_count} rows\nColumns: {columns}\nFirst rows: {rows}"


def _read_text(path: Path) -> str:
    """In a thread: it imports the detector of encodings, which a start does without."""
    from yarrow.sandbox.files.encodings import decode_start  # noqa: PLC0415

    with path.open("rb") as file:
        return decode_start(file.read(MAX_READ_BYTES))
