"""List, sample, page and export tables. Rows are read by the sandbox."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from yarrow.charting import ChartColumn, DType, TableShape
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId
from yarrow.kit.json import JsonMapping, JsonValue
from yarrow.sandbox.client import RETRY_S
from yarrow.sandbox.errors import QueryFailed, SandboxError, SandboxFailed
from yarrow.sandbox.model import ROW_ID, Column, JobLimits, TableResult
from yarrow.tables import store
from yarrow.tables.duckdb_sql import (
    COLUMNS_PER_QUERY,
    SqlQuery,
    build_csv_lines_query,
    build_page_query,
    build_sample_count_query,
    build_sample_query,
    build_statistics_query,
    read_count,
)
from yarrow.tables.errors import TableFileGone, TableNotFound
from yarrow.tables.model import SampleRequest, StoredTable, Tables, TableSample, Workspace

MAX_SAMPLE = 100_000
MAX_PAGE = 10_000
EXACT_ROWS = 200_000
"""In larger tables, distinct values are estimated."""
PROMPT_COLUMNS = 200
PROMPT_SAMPLES = 5
SAMPLE_CHARS = 120

_DELIMITERS = (",", "\t")
_BOM = b"\xef\xbb\xbf"
_NO_LIMIT = JobLimits(rows=MAX_SAMPLE)


async def list_tables(
    tables: Tables, workspace: Workspace, *, limit: int | None = None, after: str | None = None
) -> Sequence[StoredTable]:
    """The tables of a workspace, oldest first; with `after`, those behind this one."""
    last = None if after is None else await find_table(tables, workspace, after)
    async with tables.database.connection() as tx:
        return await store.list_tables(
            tx, workspace, folder=tables.sandbox.folder, limit=limit, after=last
        )


async def list_workspaces(tables: Tables, account_id: AccountId) -> Sequence[str]:
    """The workspaces in which the account has tables."""
    async with tables.database.connection() as tx:
        return await store.list_workspaces(tx, account_id)


async def find_table(tables: Tables, workspace: Workspace, name: str) -> StoredTable:
    """The table of this name; `TableNotFound` if the workspace has none."""
    async with tables.database.connection() as tx:
        matches = await store.find_tables(tx, workspace, [name], folder=tables.sandbox.folder)
    if not matches:
        raise TableNotFound(name)
    return matches[0]


async def find_tables(
    tables: Tables, workspace: Workspace, names: Sequence[str]
) -> Mapping[str, StoredTable]:
    """The named tables that exist, in the order of the names."""
    async with tables.database.connection() as tx:
        matches = await store.find_tables(tx, workspace, names, folder=tables.sandbox.folder)
    by_name = {table.name: table for table in matches}
    return {name: by_name[name] for name in dict.fromkeys(names) if name in by_name}


async def require_files(tables: Tables, selected: Sequence[StoredTable]) -> None:
    """Bring the files of tables to this server; `TableFileGone` if one is lost."""
    for table in await tables.files.fetch(selected):
        raise TableFileGone(table.name)


async def open_table(tables: Tables, workspace: Workspace, name: str) -> StoredTable:
    """The table of this name with its file at hand."""
    table = await find_table(tables, workspace, name)
    await require_files(tables, [table])
    return table


@contextmanager
def notice_lost_file(table: StoredTable) -> Iterator[None]:
    """Within the block, a job that fails because the table was deleted raises `TableFileGone`: its
    process found no file, which looks like a crash."""
    try:
        yield
    except (QueryFailed, SandboxError):
        if _has_file(table):
            raise
        raise TableFileGone(table.name) from None


async def sample_table(
    tables: Tables, workspace: Workspace, name: str, *, request: SampleRequest
) -> TableSample:
    """Rows of a table, filtered, ordered or grouped, and the number of all of them."""
    if not 0 <= request.size <= MAX_SAMPLE or request.offset < 0:
        raise InvalidInput(f"size must be 0 to {MAX_SAMPLE}, offset 0 or more")
    table = await open_table(tables, workspace, name)
    query, count_query = (
        build_sample_query(table, request),
        build_sample_count_query(table, request).text,
    )
    with notice_lost_file(table):
        result = await _run_query(tables, table, query, count_query=count_query)
    return TableSample(result.rows, result.total or 0)


async def get_table(
    tables: Tables, workspace: Workspace, name: str, *, page: int = 1, page_size: int = 100
) -> tuple[StoredTable, Sequence[JsonMapping]]:
    """A table and one page of its rows, in the order of its file."""
    if page < 1 or not 1 <= page_size <= MAX_PAGE:
        raise InvalidInput(f"page must be 1 or more, page_size 1 to {MAX_PAGE}")
    table = await open_table(tables, workspace, name)
    query = build_page_query(table, page=page, page_size=page_size)
    with notice_lost_file(table):
        return table, (await _run_query(tables, table, query)).rows


async def export_csv(
    tables: Tables, workspace: Workspace, name: str, *, delimiter: str = ","
) -> tuple[StoredTable, AsyncIterator[bytes]]:
    """The table, and a stream of it as CSV with a byte order mark."""
    if delimiter not in _DELIMITERS:
        raise InvalidInput("delimiter must be a comma or a tab", field="delimiter")
    table = await open_table(tables, workspace, name)
    return table, _stream_table(tables, table, delimiter)


async def read_shapes(tables: Tables, selected: Sequence[StoredTable]) -> Mapping[str, TableShape]:
    """Shapes for a prompt, by table name; columns are counted once, and the counts stored.

    A table whose file is missing is left out. Columns too expensive to count have no counts.
    """
    uncounted = [table for table in selected if table.counts is None and _has_file(table)]
    async with asyncio.TaskGroup() as group:
        counting = [(table, group.create_task(_count_values(tables, table))) for table in uncounted]
    new = {table.id: counts for table, task in counting if (counts := task.result()) is not None}
    if new:
        async with tables.database.transaction() as tx:
            await store.save_counts(tx, new)
    all_counts = {table.id: table.counts or new.get(table.id, ()) for table in selected}
    readable = [table for table in selected if table.counts is not None or table in uncounted]
    return {table.name: _make_shape(table, all_counts[table.id]) for table in readable}


def _make_shape(table: StoredTable, counts: Sequence[Sequence[int]]) -> TableShape:
    columns = tuple(
        _build_column_shape(table, column, counts[at] if at < len(counts) else ())
        for at, column in enumerate(table.columns[:PROMPT_COLUMNS])
    )
    return TableShape(columns, table.row_count, table.name)


def _build_column_shape(table: StoredTable, column: Column, counts: Sequence[int]) -> ChartColumn:
    samples = tuple(_list_samples(table, column.name))
    filled, distinct = counts or (table.row_count, len(samples))
    return ChartColumn(
        name=column.name,
        dtype=DType(column.type),
        distinct=distinct,
        nulls=table.row_count - filled,
        samples=samples,
        is_counted=bool(counts),
    )


def map_table_paths(selected: Mapping[str, StoredTable]) -> dict[str, Path]:
    """Files by table name, as the sandbox takes them."""
    return {name: table.path for name, table in selected.items()}


async def _run_query(
    tables: Tables, table: StoredTable, query: SqlQuery, *, count_query: str | None = None
) -> TableResult:
    return await tables.sandbox.run_sql(
        query.text,
        {table.name: table.path},
        _NO_LIMIT,
        parameters=query.parameters,
        numbered=True,
        count_query=count_query,
    )


async def stream_csv(
    tables: Tables,
    path: Path,
    columns: Sequence[str],
    *,
    delimiter: str = ",",
    rows: int | None = None,
) -> AsyncIterator[bytes]:
    """Stream a Parquet file as CSV with a header, without a byte order mark.

    The header comes with the first rows: what fails before them raises in place of any chunk.
    """
    start = f"{delimiter.join(_write_cell(name, delimiter) for name in columns)}\n".encode()
    query = build_csv_lines_query("rows", columns, delimiter=delimiter, rows=rows)
    async for chunk in _stream_lines(tables, query, path):
        yield start + chunk
        start = b""
    if start:
        yield start


async def _stream_lines(tables: Tables, query: SqlQuery, path: Path) -> AsyncIterator[bytes]:
    """The lines of a query. It runs once more if its process dies before the first of them."""
    lines = tables.sandbox.stream_lines(query.text, {"rows": path})
    try:
        first = await anext(lines, b"")
    except SandboxFailed:
        await asyncio.sleep(RETRY_S)
        lines = tables.sandbox.stream_lines(query.text, {"rows": path})
        first = await anext(lines, b"")
    if first:
        yield first
    async for chunk in lines:
        yield chunk


async def _stream_table(tables: Tables, table: StoredTable, delimiter: str) -> AsyncIterator[bytes]:
    columns = [name for name in table.column_types if name != ROW_ID]
    start = _BOM
    with notice_lost_file(table):
        async for chunk in stream_csv(tables, table.path, columns, delimiter=delimiter):
            yield start + chunk
            start = b""


def _write_cell(text: str, delimiter: str) -> str:
    special = any(mark in text for mark in ('"', delimiter, "\r", "\n"))
    return '"' + text.replace('"', '""') + '"' if special else text


def _has_file(table: StoredTable) -> bool:
    return table.path.is_file()


async def _count_values(tables: Tables, table: StoredTable) -> Sequence[Sequence[int]] | None:
    """Non-null and distinct values per column, as `StoredTable.counts`; None if the sandbox is
    unavailable."""
    columns = [column.name for column in table.columns[:PROMPT_COLUMNS]]
    counts: list[Sequence[int]] = []
    try:
        for start in range(0, len(columns), COLUMNS_PER_QUERY):
            some = columns[start : start + COLUMNS_PER_QUERY]
            counts += await _count_columns(tables, table, some)
    except SandboxError:
        return None
    return counts


async def _count_columns(
    tables: Tables, table: StoredTable, columns: Sequence[str]
) -> list[Sequence[int]]:
    """Count exactly in small tables; if that exceeds the limits, or in large ones, estimate."""
    for exactly in dict.fromkeys((table.row_count <= EXACT_ROWS, False)):
        try:
            result = await _run_query(
                tables, table, build_statistics_query(table, columns, exactly=exactly)
            )
        except QueryFailed:
            continue
        row = result.rows[0]
        return [
            [read_count(row, f"{at}_filled"), read_count(row, f"{at}_distinct")]
            for at in range(len(columns))
        ]
    return [()] * len(columns)


def _list_samples(table: StoredTable, column: str) -> list[JsonValue]:
    """A few distinct values from the first rows, shortened for a prompt."""
    values = [row[column] for row in table.sample if row.get(column) is not None]
    short = [value[:SAMPLE_CHARS] if isinstance(value, str) else value for value in values]
    return list(dict.fromkeys(short))[:PROMPT_SAMPLES]
