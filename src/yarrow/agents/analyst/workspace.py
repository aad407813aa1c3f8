"""The analyst's desk over the tables of a workspace and the sandbox."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from yarrow.agents.analyst.desk import CodeFailed, Explored, Frame, TableFacts
from yarrow.charting import shape_of
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.threads import in_thread_if_large
from yarrow.kit.warnings import collect_stream_warning
from yarrow.sandbox.errors import SandboxError
from yarrow.sandbox.model import JobLimits, PythonResult, SavedFrame
from yarrow.sandbox.python_session import PythonSession
from yarrow.tables.create import save_derived
from yarrow.tables.duckdb_sql import columns_query, top_rows_query
from yarrow.tables.inline_rows import keep_given_rows
from yarrow.tables.model import Shelf, Table, Workspace
from yarrow.tables.read import find_tables, list_tables, paths_of, shapes_of
from yarrow.tables.rules import table_name

SHOWN_ROWS = 50
"""How many rows of a query a model gets to read."""
TABLES_BY_DEFAULT = 50
"""How many tables of a workspace are looked at when a question names none."""
UNREADABLE = "TABLE_READ_FAILED"

_WRONG = (InvalidInput, SandboxError)


class WorkspaceDesks:
    """Opens desks; `display_rows` is how many rows of a result go to the client."""

    def __init__(self, shelf: Shelf, *, display_rows: int) -> None:
        self._shelf, self._limits = shelf, JobLimits(rows=display_rows)

    @asynccontextmanager
    async def open(
        self,
        account_id: AccountId,
        workspace: str,
        tables: Sequence[str],
        *,
        rows: Mapping[str, str],
    ) -> AsyncIterator["WorkspaceDesk"]:
        """A desk with the named tables, or with the workspace's first ones if none is named."""
        place = Workspace(account_id, workspace)
        for name in await keep_given_rows(self._shelf, place, rows):
            collect_stream_warning(f"The rows of '{name}' are no table.", code=UNREADABLE)
        found = await (self._named(place, tables) if tables else self._first(place))
        reason = await self._shelf.sandbox.why_no_python()
        async with AsyncExitStack() as stack:
            yield WorkspaceDesk(
                self._shelf, place, found, limits=self._limits, reason=reason, stack=stack
            )

    async def _first(self, place: Workspace) -> dict[str, Table]:
        first = await list_tables(self._shelf, place, limit=TABLES_BY_DEFAULT)
        return {table.name: table for table in first}

    async def _named(self, place: Workspace, names: Sequence[str]) -> dict[str, Table]:
        """The tables of these names, as they are kept or as their owner wrote them."""
        wanted = [spelled for name in names for spelled in (name, table_name(name))]
        there = await find_tables(self._shelf, place, wanted)
        found: dict[str, Table] = {}
        for name in names:
            table = _called(name, there)
            if table is None:
                said = f"Table '{name}' is unavailable. It may have been removed."
                collect_stream_warning(said, code=UNREADABLE)
            else:
                found[table.name] = table
        return found


class WorkspaceDesk:
    """One workspace during one run. Tables that are made on the way join those it began with."""

    def __init__(
        self,
        shelf: Shelf,
        workspace: Workspace,
        tables: Mapping[str, Table],
        *,
        limits: JobLimits,
        reason: str | None,
        stack: AsyncExitStack,
    ) -> None:
        self._shelf, self._workspace, self._limits = shelf, workspace, limits
        self._tables = dict(tables)
        self._made: dict[Path, SavedFrame] = {}
        self._why_no_python = reason
        self._stack = stack
        self._session: PythonSession | None = None

    @property
    def can_run_python(self) -> bool:
        return self._why_no_python is None

    async def facts(self, names: Sequence[str] = ()) -> Sequence[TableFacts]:
        """What the named tables look like, or all on the desk if none is named."""
        called = (_called(name, self._tables) for name in names or self._tables)
        tables = {table.name: table for table in called if table is not None}
        shapes = await shapes_of(self._shelf, list(tables.values()))
        for name in tables.keys() - shapes.keys():
            collect_stream_warning(f"Table '{name}' cannot be read.", code=UNREADABLE)
        return [TableFacts(name, shapes[name], tables[name].sample) for name in shapes]

    async def top_rows(
        self, name: str, *, columns: Sequence[str], sort_by: str, limit: int
    ) -> Sequence[JsonObject]:
        """Some rows of a table, the largest of a column first; raises `CodeFailed`."""
        table = _called(name, self._tables)
        if table is None:
            raise CodeFailed(f"there is no table {name}")
        known = [column for column in columns if column in table.column_types]
        order = sort_by if sort_by in table.column_types else None
        query = top_rows_query(table, columns=known, order_by=order, limit=limit)
        try:
            result = await self._shelf.sandbox.run_sql(query.text, {table.name: table.path})
        except _WRONG as failure:
            raise CodeFailed(str(failure)) from failure
        return result.rows

    async def query(self, sql: str) -> str:
        """The first rows as lines of JSON; raises `CodeFailed`."""
        limits = replace(self._limits, rows=SHOWN_ROWS)
        try:
            result = await self._shelf.sandbox.run_sql(
                sql, paths_of(self._tables), limits, workspace=self._workspace.key
            )
        except _WRONG as failure:
            raise CodeFailed(str(failure)) from failure
        lines = [encode_json(row).decode() for row in result.rows]
        more = ["… (more rows)"] if result.truncated else []
        return "\n".join([*lines, *more]) or "(no rows)"

    async def explore(self, code: str) -> Explored:
        """Run a piece of Python that shares its names with the pieces before it."""
        try:
            session = await self._open_session()
            ran = await session.run(code)
        except _WRONG as failure:
            return Explored("", str(failure))
        if not ran.alive:
            await self._close_session()
        return Explored(ran.stdout, ran.error or "")

    async def make_by_python(self, code: str, output_variable: str) -> Frame:
        try:
            ran = await self._shelf.sandbox.run_python(
                code,
                paths_of(self._tables),
                self._limits,
                workspace=self._workspace.key,
                output_variable=output_variable,
            )
        except _WRONG as failure:
            raise CodeFailed(str(failure)) from failure
        if ran.error is not None or ran.output is None:
            raise CodeFailed(ran.error or _nothing_made(ran, output_variable))
        return await self._frame(ran.output)

    def selecting(self, table: str, columns: Sequence[str]) -> str:
        return columns_query(table, columns)

    async def make_by_sql(self, sql: str) -> Frame:
        try:
            saved = await self._shelf.sandbox.save_query(
                sql, paths_of(self._tables), self._limits, workspace=self._workspace.key
            )
        except _WRONG as failure:
            raise CodeFailed(str(failure)) from failure
        return await self._frame(saved)

    async def _frame(self, made: SavedFrame) -> Frame:
        self._made[made.path] = made
        rows = made.first.rows
        shape = await in_thread_if_large(rows, partial(shape_of, rows))
        return Frame(replace(shape, row_count=made.row_count), rows, made.path)

    async def keep(self, frame: Frame, name: str) -> str:
        """The frame as a table of the workspace, which later code of the run can use too."""
        made = self._made.pop(frame.file)
        table = await save_derived(self._shelf, self._workspace, name, frame=made)
        self._tables[table.name] = table
        await self._close_session()
        return table.name

    def drop(self, frame: Frame) -> None:
        self._made.pop(frame.file).path.unlink(missing_ok=True)

    async def _open_session(self) -> PythonSession:
        if self._session is None:
            opening = self._shelf.sandbox.python_session(paths_of(self._tables), self._limits)
            self._session = await self._stack.enter_async_context(opening)
        return self._session

    async def _close_session(self) -> None:
        """The next piece begins anew: with the tables of now, or after a crash."""
        await self._stack.aclose()
        self._session = None


def _nothing_made(ran: PythonResult, wanted: str) -> str:
    there = ", ".join(ran.frames) or "none"
    return f"{wanted} is no DataFrame; the DataFrames of this program are: {there}"


def _called(name: str, tables: Mapping[str, Table]) -> Table | None:
    return tables.get(name) or tables.get(table_name(name))
