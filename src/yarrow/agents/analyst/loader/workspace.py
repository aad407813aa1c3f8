"""The loader's desk over the scratch files of a workspace, its tables and the sandbox."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path, PurePosixPath

from yarrow.agents.analyst.loader.desk import (
    WORKSPACE,
    Computed,
    Loadable,
    Shown,
    Source,
    ToolRefused,
)
from yarrow.errors import Conflict, Forbidden, InvalidInput, NotFound
from yarrow.ids import AccountId
from yarrow.kit.json import encode_json
from yarrow.sandbox.errors import SandboxError
from yarrow.sandbox.model import FileToRead, JobLimits, SavedFrame
from yarrow.sandbox.python_session import PythonSession
from yarrow.sandbox.spool_files import remove_file
from yarrow.tables.duckdb_sql import matching_query
from yarrow.tables.model import Shelf, Table, Workspace
from yarrow.tables.read import csv_of, list_tables, list_workspaces, paths_of
from yarrow.tables.scratch import (
    FOLDER,
    ScratchFile,
    find_scratch,
    keep_file,
    list_scratch,
    name_within,
    write_scratch,
)
from yarrow.tables.temp_files import SpoolFile

MAX_READ_BYTES = 1024 * 1024
MAX_WRITE_BYTES = 8 * 1024 * 1024
MAX_FILES = 100
"""Files, and tables, that one Python session sees; the kernel's message for them is short."""
MAX_FRAMES = 20
OTHER_WORKSPACES = 20
PREVIEWED = 3

_READABLE = ("utf-8-sig", "gb18030")
_REFUSALS = (InvalidInput, Forbidden, NotFound, Conflict, SandboxError)


class WorkspaceLoadingDesks:
    """Opens desks."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    @asynccontextmanager
    async def open(
        self, account_id: AccountId, workspace: str, *, row_limit: int
    ) -> AsyncIterator["WorkspaceLoadingDesk"]:
        reason = await self._shelf.sandbox.why_no_python()
        async with AsyncExitStack() as stack:
            place = Workspace(account_id, workspace)
            yield WorkspaceLoadingDesk(
                self._shelf, place, row_limit=row_limit, jailed=reason is None, stack=stack
            )


class WorkspaceLoadingDesk:
    """One workspace during one run. The Python session begins with the first program."""

    def __init__(
        self,
        shelf: Shelf,
        workspace: Workspace,
        *,
        row_limit: int,
        jailed: bool,
        stack: AsyncExitStack,
    ) -> None:
        self._shelf, self._workspace = shelf, workspace
        self._row_limit = row_limit
        self.can_run_python = jailed
        self._stack = stack
        self._session: PythonSession | None = None

    async def read_file(self, path: str) -> str:
        found = self._find(path)
        data = await asyncio.to_thread(_head, found.path)
        if b"\0" in data[:4096]:
            raise ToolRefused(f"{found.shown} is not text; read it with execute_python")
        return _decoded(data)

    async def write_file(self, path: str, content: str) -> tuple[str, int]:
        data = content.encode("utf-8", "replace")
        if not path.strip() or len(data) > MAX_WRITE_BYTES:
            raise ToolRefused(f"a file needs a name and at most {MAX_WRITE_BYTES} bytes")
        try:
            kept = write_scratch(self._shelf, self._workspace, path, data=data)
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused
        if self._session is not None:
            await self._session.run(_WRITE.format(path=kept.shown, data=data))
        return kept.shown, kept.size

    async def list_directory(self, path: str) -> Sequence[str]:
        try:
            name = name_within(path) if path.strip() not in ("", ".", "./") else ""
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused
        if name or PurePosixPath(path).parts not in ((), (".",), (FOLDER,)):
            raise ToolRefused(f"there is no folder {path}")
        files = list_scratch(self._shelf, self._workspace)
        return [file.name for file in files if not file.name.startswith(".")]

    async def run_python(self, code: str) -> Computed:
        try:
            session = await self._open_session()
            ran = await session.run(code)
            if not ran.alive:
                await self._close_session()
            if ran.error is not None:
                return Computed(ran.stdout, ran.error)
            saved = await self._saved(session, ran.frames[:MAX_FRAMES])
        except _REFUSALS as refused:
            return Computed("", str(refused))
        return Computed(ran.stdout, None, saved)

    async def show(self, path: str, *, rows: int) -> Shown:
        found = self._find(path)
        file = FileToRead(found.path, found.name)
        try:
            sheets = await self._shelf.sandbox.preview_file(file, rows=rows)
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused
        if not sheets:
            raise ToolRefused(f"{found.shown} holds no table")
        first = sheets[0]
        columns = [column.name for column in first.columns]
        return Shown(found.shown, columns, first.rows[:rows], first.row_count)

    async def sources(self) -> Sequence[Source]:
        """The workspace, its scratch files, and the account's other workspaces."""
        files = list_scratch(self._shelf, self._workspace)
        here = await self._tables_of(self._workspace.name)
        found = [Source(WORKSPACE, here), Source(FOLDER, [_loadable(file) for file in files])]
        names = await list_workspaces(self._shelf, self._workspace.account_id)
        others = [name for name in names if name != self._workspace.name]
        further = [
            Source(f"workspaces/{name}", await self._tables_of(name))
            for name in others[:OTHER_WORKSPACES]
        ]
        return [*found, *further]

    async def describe(self, source: Source, table: Loadable) -> str:
        if source.id == FOLDER:
            shown = await self.show(table.key, rows=PREVIEWED)
            rows = encode_json(shown.rows).decode()
            return (
                f"{shown.path}: {shown.total_rows} rows\nColumns: {_listed(shown.columns)}\n{rows}"
            )
        name = source.id.partition("/")[2] or self._workspace.name
        workspace = Workspace(self._workspace.account_id, name)
        tables = {found.name: found for found in await list_tables(self._shelf, workspace)}
        if table.key not in tables:
            raise ToolRefused(f"{source.id} has no table {table.key}")
        return _described(tables[table.key])

    async def matching(self, pattern: str, texts: Sequence[str]) -> Sequence[int]:
        """Matched by DuckDB: its engine takes no pattern that never ends."""
        query = matching_query(pattern, texts)
        try:
            found = await self._shelf.sandbox.run_sql(
                query.text, {}, JobLimits(rows=len(texts)), parameters=query.parameters
            )
        except _REFUSALS as refused:
            raise ToolRefused(f"the pattern cannot be used: {refused}") from refused
        return [row["place"] for row in found.rows]

    async def _tables_of(self, name: str) -> list[Loadable]:
        workspace = Workspace(self._workspace.account_id, name)
        tables = await list_tables(self._shelf, workspace)
        return [
            Loadable(
                table.name,
                table.name,
                columns=list(table.column_types),
                row_count=table.row_count,
                description=table.original_name,
            )
            for table in tables
        ]

    def _find(self, path: str) -> ScratchFile:
        try:
            return find_scratch(self._shelf, self._workspace, path)
        except _REFUSALS as refused:
            raise ToolRefused(str(refused)) from refused

    async def _saved(self, session: PythonSession, names: Sequence[str]) -> Mapping[str, Shown]:
        saved: dict[str, Shown] = {}
        for name in names:
            frame = (await session.run("", output_variable=name)).output
            if frame is None:
                continue
            try:
                saved[name] = await self._save(name, frame)
            finally:
                remove_file(frame.path)
        return saved

    async def _save(self, name: str, frame: SavedFrame) -> Shown:
        columns = [column.name for column in frame.first.columns]
        shelf = self._shelf
        spool = SpoolFile(shelf.sandbox.spool_path(".csv"), max_bytes=shelf.scratch_bytes)
        try:
            async for chunk in csv_of(shelf, frame.path, columns, rows=self._row_limit):
                spool.write(chunk)
            spool.close()
            kept = keep_file(shelf, self._workspace, f"{name}.csv", source=spool.path)
        finally:
            spool.discard()
        count = min(frame.row_count, self._row_limit)
        return Shown(kept.shown, columns, frame.first.rows[:PREVIEWED], count)

    async def _open_session(self) -> PythonSession:
        if self._session is None:
            tables = await list_tables(self._shelf, self._workspace)
            files = list_scratch(self._shelf, self._workspace)[:MAX_FILES]
            opening = self._shelf.sandbox.python_session(
                paths_of({table.name: table for table in tables[:MAX_FILES]}),
                JobLimits(rows=PREVIEWED),
                files={file.shown: file.path for file in files},
            )
            self._session = await self._stack.enter_async_context(opening)
            await self._session.run(_FOLDER)
        return self._session

    async def _close_session(self) -> None:
        await self._stack.aclose()
        self._session = None


_FOLDER = f"import os as _os\n_os.makedirs({FOLDER!r}, exist_ok=True)\n"
_WRITE = "open({path!r}, 'wb').write({data!r})\n"


def _loadable(file: ScratchFile) -> Loadable:
    return Loadable(file.name, file.name, description=f"{file.size} bytes")


def _described(table: Table) -> str:
    columns = _listed([f"{column.name} ({column.type})" for column in table.columns])
    rows = encode_json(list(table.sample[:PREVIEWED])).decode()
    return f"{table.name}: {table.row_count} rows\nColumns: {columns}\nFirst rows: {rows}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_READ_BYTES)


def _decoded(data: bytes) -> str:
    """As UTF-8, else as Chinese; a cut may have halved the last character."""
    for encoding in _READABLE:
        for cut in range(4):
            try:
                return data[: len(data) - cut].decode(encoding)
            except UnicodeDecodeError:
                continue
    return data.decode("latin-1")
