"""The tables of a workspace during one run, with SQL, and Python where it can be isolated."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yarrow.agents.analyst.input import AnalystInput, read_input
from yarrow.agents.analyst.unreadable_tables import warn_unreadable
from yarrow.charting import CompiledChart, TableShape
from yarrow.db import Tx
from yarrow.errors import InvalidInput
from yarrow.journal.events import RunEvent, RunRestarted, Warned
from yarrow.kit.json import JsonMapping, JsonValue, encode_json
from yarrow.product_events.analyst import ChartResult
from yarrow.runs.agent import RunContext
from yarrow.runs.model import ClaimedRun
from yarrow.sandbox.errors import SandboxError
from yarrow.sandbox.job_spec import remove_file
from yarrow.sandbox.model import ChartRequest, JobLimits, PythonResult, SavedFrame
from yarrow.sandbox.python_session import PythonSession
from yarrow.tables import store as table_store
from yarrow.tables.create import create_tables, save_derived
from yarrow.tables.duckdb_sql import build_top_rows_query
from yarrow.tables.model import RunStep, StoredTable, Tables, Workspace
from yarrow.tables.read import find_tables, list_tables, map_table_paths, read_shapes
from yarrow.tables.table_names import normalise_table_name

QUERY_ROWS = 50
"""How many rows of a query the model reads."""
DEFAULT_TABLES = 50
"""How many tables of a workspace are used when the client names none."""
TABLE_READ_FAILED = "TABLE_READ_FAILED"

_CODE_ERRORS = (InvalidInput, SandboxError)


class CodeFailed(Exception):
    """Code of the model failed; the text may be shown and sent back to the model."""


class TableSummary(Struct, frozen=True):
    """A table as prompts describe it."""

    name: str
    shape: TableShape
    sample_rows: Sequence[JsonMapping]


class ChartTable(Struct, frozen=True):
    """A chart and its table, which is not saved yet if code made it."""

    chart: CompiledChart
    columns: Sequence[str]
    row_count: int
    rows: Sequence[JsonMapping]
    """All rows of the table; of a larger one than is displayed, those that the chart draws."""
    frame: SavedFrame | None = None
    name: str = ""
    """The stored table that is drawn as it is."""


class PythonOutput(Struct, frozen=True):
    """What a program printed, and the error that ended it, if any."""

    stdout: str
    error: str = ""


class MissingTables(Struct, frozen=True):
    """Why a workspace may show fewer tables than it has."""

    has_lost_files: bool
    unreadable: SandboxError | None
    """Why this server reads no tables at all."""


class AnalystWorkspaces:
    """Opens workspaces; `display_rows` limits the rows of a result that go to the client."""

    def __init__(self, stored_tables: Tables, *, display_rows: int) -> None:
        self._stored_tables, self._limits = stored_tables, JobLimits(rows=display_rows)

    @asynccontextmanager
    async def open(
        self, context: RunContext, analyst_input: AnalystInput
    ) -> AsyncIterator["AnalystWorkspace"]:
        """A workspace with the tables that the client named, or with the first ones.

        Rows that came with the request become tables first. Missing tables are warned of, and a
        server that reads none.
        """
        workspace = Workspace(context.run.account_id, analyst_input.workspace)
        unreadable = await self._stored_tables.sandbox.why_no_tables()
        tables: Sequence[StoredTable] = ()
        gone: Sequence[StoredTable] = ()
        if unreadable is None:
            tables = await self._select_tables(context, workspace, analyst_input)
            gone = await self._stored_tables.files.fetch(tables)
        else:
            warning = warn_unreadable(unreadable, analyst_input.chart_language)
            context.warnings.append(warning)
        for table in gone:
            message = f"The file of table '{table.name}' is gone. Upload it again."
            context.warnings.append(Warned(TABLE_READ_FAILED, message))
        tables = [table for table in tables if table not in gone]
        reason = await self._stored_tables.sandbox.why_no_python()
        async with AsyncExitStack() as stack:
            yield AnalystWorkspace(
                self._stored_tables,
                workspace,
                {table.name: table for table in tables},
                limits=self._limits,
                context=context,
                can_run_python=reason is None,
                stack=stack,
                missing=MissingTables(has_lost_files=bool(gone), unreadable=unreadable),
            )

    async def _select_tables(
        self, context: RunContext, workspace: Workspace, analyst_input: AnalystInput
    ) -> Sequence[StoredTable]:
        """Make tables of the rows of the request; give those that it names, else the first."""
        run, warnings = context.run, context.warnings
        rows, step = analyst_input.row_files, RunStep(run.id, run.attempt, "rows")
        for name in await create_tables(self._stored_tables, workspace, rows, step=step):
            warnings.append(Warned(TABLE_READ_FAILED, f"The rows of '{name}' are no table."))
        if analyst_input.tables:
            return await self._find_named_tables(workspace, analyst_input.tables, warnings)
        return await list_tables(self._stored_tables, workspace, limit=DEFAULT_TABLES)

    async def discard_unused_tables(
        self, tx: Tx, run: ClaimedRun, events: Sequence[RunEvent]
    ) -> None:
        """Discard the tables of the run that none of its charts in these events shows, or only one
        that a restart voids."""
        shown: list[str] = []
        for event in events:
            if isinstance(event, RunRestarted):
                shown.clear()
            elif isinstance(event, ChartResult):
                shown.append(event.chart.table_name)
        if await table_store.discard_of_run(tx, run.id, besides=shown):
            workspace = Workspace(run.account_id, read_input(run.input).workspace)
            self._stored_tables.names.forget(workspace.key)

    async def _find_named_tables(
        self, workspace: Workspace, names: Sequence[str], warnings: list[Warned]
    ) -> list[StoredTable]:
        """The tables of these names, as stored or as the client wrote them; adds warnings of
        missing ones."""
        spellings = [spelling for name in names for spelling in (name, normalise_table_name(name))]
        stored = await find_tables(self._stored_tables, workspace, spellings)
        tables: list[StoredTable] = []
        for name in names:
            table = _find_table(name, stored)
            if table is None:
                message = f"Table '{name}' is unavailable. It may have been removed."
                warnings.append(Warned(TABLE_READ_FAILED, message))
            else:
                tables.append(table)
        return tables


class AnalystWorkspace:
    """The tables of one run. Tables that are saved on the way join them.

    Variables of programs live until a table is saved or a program dies.
    """

    def __init__(
        self,
        stored_tables: Tables,
        workspace: Workspace,
        tables: Mapping[str, StoredTable],
        *,
        limits: JobLimits,
        context: RunContext,
        can_run_python: bool,
        stack: AsyncExitStack,
        missing: MissingTables,
    ) -> None:
        self.can_run_python, self.missing = can_run_python, missing
        self._stored_tables, self._workspace, self._limits = stored_tables, workspace, limits
        self._tables = dict(tables)
        self._run, self._warnings, self._saved_count = context.run, context.warnings, 0
        self._stack = stack
        self._session: PythonSession | None = None
        self._earlier_programs: list[str] = []

    async def summarise(self, names: Sequence[str] = ()) -> Sequence[TableSummary]:
        """The named tables, or all if none is named; one that cannot be read is warned of."""
        named = (_find_table(name, self._tables) for name in names or self._tables)
        tables = {table.name: table for table in named if table is not None}
        shapes = await read_shapes(self._stored_tables, list(tables.values()))
        for name in tables.keys() - shapes.keys():
            self._warnings.append(Warned(TABLE_READ_FAILED, f"Table '{name}' cannot be read."))
        return [TableSummary(name, shapes[name], tables[name].sample) for name in shapes]

    async def top_rows(
        self, name: str, *, columns: Sequence[str], sort_by: str, limit: int
    ) -> Sequence[JsonMapping]:
        """Rows of a table in descending order of a column; raises `CodeFailed`.

        Unknown columns are ignored; without a known one, all columns are returned.
        """
        table = _find_table(name, self._tables)
        if table is None:
            raise CodeFailed(f"there is no table {name}")
        known = [column for column in columns if column in table.column_types]
        order = sort_by if sort_by in table.column_types else None
        query = build_top_rows_query(table, columns=known, order_by=order, limit=limit)
        try:
            result = await self._stored_tables.sandbox.run_sql(query.text, {table.name: table.path})
        except _CODE_ERRORS as failure:
            raise CodeFailed(str(failure)) from failure
        return result.rows

    async def look_up(
        self, name: str, sql: str, parameters: Sequence[JsonValue] = ()
    ) -> Sequence[JsonMapping]:
        """The rows of a query of ours over one table; raises `CodeFailed`."""
        try:
            result = await self._stored_tables.sandbox.run_sql(
                sql,
                {name: self._tables[name].path},
                workspace=self._workspace.key,
                parameters=parameters,
            )
        except _CODE_ERRORS as failure:
            raise CodeFailed(str(failure)) from failure
        return result.rows

    async def run_query(self, sql: str) -> str:
        """The first rows of a query as lines of JSON; raises `CodeFailed`."""
        limits = replace(self._limits, rows=QUERY_ROWS)
        try:
            result = await self._stored_tables.sandbox.run_sql(
                sql, map_table_paths(self._tables), limits, workspace=self._workspace.key
            )
        except _CODE_ERRORS as failure:
            raise CodeFailed(str(failure)) from failure
        lines = [encode_json(row).decode() for row in result.rows]
        more = ["… (more rows)"] if result.truncated else []
        return "\n".join([*lines, *more]) or "(no rows)"

    async def run_python(self, code: str) -> PythonOutput:
        """Run a program that sees the variables of the programs before it."""
        try:
            session = await self._open_session()
            result = await session.run(code)
        except _CODE_ERRORS as failure:
            return PythonOutput("", str(failure))
        if not result.alive:
            await self._close_session()
        return PythonOutput(result.stdout, result.error or "")

    async def chart_by_python(
        self, code: str, output_variable: str, chart: ChartRequest
    ) -> ChartTable:
        """A chart of the table that the program leaves in the variable; raises `CodeFailed`."""
        try:
            result = await self._stored_tables.sandbox.run_python(
                code,
                map_table_paths(self._tables),
                self._limits,
                output_variable=output_variable,
            )
        except _CODE_ERRORS as failure:
            raise CodeFailed(str(failure)) from failure
        frame = result.output
        if result.error is not None or frame is None:
            raise CodeFailed(result.error or _explain_missing_frame(result, output_variable))
        drawn = False
        try:
            compiled = await self._draw_chart(chart, frame.path, frame.row_count)
            drawn = True
        finally:
            if not drawn:
                remove_file(frame.path)
        return _make_chart_table(replace(frame, chart=compiled))

    async def chart_by_sql(self, sql: str, chart: ChartRequest) -> ChartTable:
        """A chart of the table that the query returns; raises `CodeFailed`."""
        try:
            frame = await self._stored_tables.sandbox.save_query(
                sql,
                map_table_paths(self._tables),
                self._limits,
                workspace=self._workspace.key,
                chart=chart,
            )
        except _CODE_ERRORS as failure:
            raise CodeFailed(str(failure)) from failure
        return _make_chart_table(frame)

    async def chart_stored(self, name: str, chart: ChartRequest) -> ChartTable:
        """A chart of a table as it is stored; raises `CodeFailed`. Nothing is copied."""
        table = self._tables[name]
        compiled = await self._draw_chart(chart, table.path, table.row_count)
        return ChartTable(
            compiled, list(table.column_types), table.row_count, compiled.rows, name=table.name
        )

    async def _draw_chart(self, chart: ChartRequest, file: Path, row_count: int) -> CompiledChart:
        try:
            return await self._stored_tables.sandbox.draw_chart(
                chart, file, row_count, workspace=self._workspace.key
            )
        except _CODE_ERRORS as failure:
            raise CodeFailed(str(failure)) from failure

    async def save(self, result: ChartTable, name: str) -> str:
        """Save the table for later code of the run too; returns its name."""
        if result.frame is None:
            return result.name
        step = RunStep(self._run.id, self._run.attempt, f"chart {self._saved_count + 1}")
        table = await save_derived(
            self._stored_tables, self._workspace, name, frame=result.frame, step=step
        )
        self._saved_count += 1
        self._tables[table.name] = table
        await self._close_session()
        return table.name

    async def restore(self, name: str) -> None:
        """Use a table that an earlier attempt of the run has saved, unless it was deleted since."""
        self._saved_count += 1
        saved = await find_tables(self._stored_tables, self._workspace, [name])
        await self._stored_tables.files.fetch(list(saved.values()))
        self._tables |= saved
        self._earlier_programs.clear()

    def remember_program(self, code: str) -> None:
        """A program that an earlier attempt ran; it runs again before the next one."""
        self._earlier_programs.append(code)

    async def _open_session(self) -> PythonSession:
        if self._session is None:
            opening = self._stored_tables.sandbox.python_session(
                map_table_paths(self._tables), self._limits
            )
            self._session = await self._stack.enter_async_context(opening)
            if not await rerun_programs(self._session, self._earlier_programs):
                await self._close_session()
                return await self._open_session()
        return self._session

    async def _close_session(self) -> None:
        """The next program starts a new session, with the tables of then."""
        await self._stack.aclose()
        self._session = None


async def rerun_programs(session: PythonSession, programs: list[str]) -> bool:
    """Run programs of an earlier attempt for their variables, and remove them from the list.

    False when one of them ended the session, as it did in that attempt.
    """
    while programs:
        if not (await session.run(programs.pop(0))).alive:
            return False
    return True


def _make_chart_table(frame: SavedFrame) -> ChartTable:
    if frame.chart is None:
        raise CodeFailed("the chart was not compiled")
    rows = frame.chart.rows if frame.first.truncated else frame.first.rows
    columns = [column.name for column in frame.first.columns]
    return ChartTable(frame.chart, columns, frame.row_count, rows, frame)


def _explain_missing_frame(result: PythonResult, variable: str) -> str:
    frames = ", ".join(result.frames) or "none"
    return f"{variable} is no DataFrame; the DataFrames of this program are: {frames}"


def _find_table(name: str, tables: Mapping[str, StoredTable]) -> StoredTable | None:
    return tables.get(name) or tables.get(normalise_table_name(name))
