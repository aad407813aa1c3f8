"""Read: what is on the shelf, and rows of it. Every row is read by the sandbox."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from yarrow.charting import Column as ColumnShape
from yarrow.charting import DType, TableShape
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sandbox.errors import QueryFailed, SandboxError
from yarrow.sandbox.model import Column, JobLimits, TableResult
from yarrow.tables import store
from yarrow.tables.create import find_table
from yarrow.tables.duckdb_sql import (
    AT_ONCE,
    ROW_ID,
    Query,
    csv_lines_query,
    page_query,
    sample_count_query,
    sample_query,
    statistics_query,
)
from yarrow.tables.model import Sample, SampleRequest, Shelf, Table, Workspace

MAX_SAMPLE = 100_000
MAX_PAGE = 10_000
EXACT_ROWS = 200_000
"""Above so many rows, different values are estimated for a prompt."""
PROMPT_COLUMNS = 200
PROMPT_SAMPLES = 5
SAMPLE_CHARS = 120

_DELIMITERS = (",", "\t")
_BOM = b"\xef\xbb\xbf"
_NO_LIMIT = JobLimits(rows=MAX_SAMPLE)


async def list_tables(
    shelf: Shelf, workspace: Workspace, *, limit: int | None = None
) -> Sequence[Table]:
    """The tables of a workspace, oldest first, from the database alone."""
    async with shelf.database.connection() as tx:
        return await store.all_in(tx, workspace, folder=shelf.sandbox.folder, limit=limit)


async def list_workspaces(shelf: Shelf, account_id: AccountId) -> Sequence[str]:
    """The workspaces in which the account has tables."""
    async with shelf.database.connection() as tx:
        return await store.workspaces_of(tx, account_id)


async def find_tables(
    shelf: Shelf, workspace: Workspace, names: Sequence[str]
) -> Mapping[str, Table]:
    """Those of the named tables that are there, in the order of the names."""
    async with shelf.database.connection() as tx:
        found = await store.find(tx, workspace, names, folder=shelf.sandbox.folder)
    by_name = {table.name: table for table in found}
    return {name: by_name[name] for name in dict.fromkeys(names) if name in by_name}


async def sample_table(
    shelf: Shelf, workspace: Workspace, name: str, *, request: SampleRequest
) -> Sample:
    """Some rows of a table, filtered, ordered or grouped, and how many there are in all."""
    if not 0 <= request.size <= MAX_SAMPLE or request.offset < 0:
        raise InvalidInput(f"size must be 0 to {MAX_SAMPLE}, offset 0 or more")
    table = await find_table(shelf, workspace, name)
    counted = sample_count_query(table, request)
    found = await _ask(shelf, table, sample_query(table, request), count_query=counted.text)
    return Sample(found.rows, found.total or 0)


async def get_table(
    shelf: Shelf, workspace: Workspace, name: str, *, page: int = 1, page_size: int = 100
) -> tuple[Table, Sequence[JsonObject]]:
    """A table and one page of its rows, in their order."""
    if page < 1 or not 1 <= page_size <= MAX_PAGE:
        raise InvalidInput(f"page must be 1 or more, page_size 1 to {MAX_PAGE}")
    table = await find_table(shelf, workspace, name)
    query = page_query(table, page=page, page_size=page_size)
    return table, (await _ask(shelf, table, query)).rows


async def export_csv(
    shelf: Shelf, workspace: Workspace, name: str, *, delimiter: str = ","
) -> tuple[Table, AsyncIterator[bytes]]:
    """The table, and its bytes as CSV with a mark of UTF-8, as they are made."""
    if delimiter not in _DELIMITERS:
        raise InvalidInput("delimiter must be a comma or a tab", field="delimiter")
    table = await find_table(shelf, workspace, name)
    return table, _csv(shelf, table, delimiter)


async def shapes_of(shelf: Shelf, tables: Sequence[Table]) -> Mapping[str, TableShape]:
    """What a prompt says of tables, by name; counted once and kept.

    One whose file is gone is missing. Columns that take too much to count are told without.
    """
    uncounted = [table for table in tables if table.counts is None and _is_there(table)]
    async with asyncio.TaskGroup() as group:
        counting = [(table, group.create_task(_counts(shelf, table))) for table in uncounted]
    new = {table.id: counted for table, task in counting if (counted := task.result()) is not None}
    if new:
        async with shelf.database.transaction() as tx:
            await store.keep_counts(tx, new)
    counts = {table.id: table.counts or new.get(table.id, ()) for table in tables}
    known = [table for table in tables if table.counts is not None or table in uncounted]
    return {table.name: _shape(table, counts[table.id]) for table in known}


def _shape(table: Table, counts: Sequence[Sequence[int]]) -> TableShape:
    columns = tuple(
        _column_shape(table, column, counts[at] if at < len(counts) else ())
        for at, column in enumerate(table.columns[:PROMPT_COLUMNS])
    )
    return TableShape(columns, table.row_count, table.name)


def _column_shape(table: Table, column: Column, counted: Sequence[int]) -> ColumnShape:
    samples = tuple(_samples(table, column.name))
    filled, distinct = counted or (table.row_count, len(samples))
    return ColumnShape(
        name=column.name,
        dtype=DType(column.type),
        distinct=distinct,
        nulls=table.row_count - filled,
        samples=samples,
        is_counted=bool(counted),
    )


def paths_of(tables: Mapping[str, Table]) -> dict[str, Path]:
    """Tables as the sandbox wants them."""
    return {name: table.path for name, table in tables.items()}


async def _ask(
    shelf: Shelf, table: Table, query: Query, *, count_query: str | None = None
) -> TableResult:
    return await shelf.sandbox.run_sql(
        query.text,
        {table.name: table.path},
        _NO_LIMIT,
        parameters=query.parameters,
        numbered=True,
        count_query=count_query,
    )


async def csv_of(
    shelf: Shelf,
    path: Path,
    columns: Sequence[str],
    *,
    delimiter: str = ",",
    rows: int | None = None,
) -> AsyncIterator[bytes]:
    """A Parquet file of ours as CSV with a heading, without the mark of UTF-8."""
    yield f"{delimiter.join(_cell(name, delimiter) for name in columns)}\n".encode()
    query = csv_lines_query("rows", columns, delimiter=delimiter, rows=rows)
    async for chunk in shelf.sandbox.stream_lines(query.text, {"rows": path}):
        yield chunk


async def _csv(shelf: Shelf, table: Table, delimiter: str) -> AsyncIterator[bytes]:
    columns = [name for name in table.column_types if name != ROW_ID]
    yield _BOM
    async for chunk in csv_of(shelf, table.path, columns, delimiter=delimiter):
        yield chunk


def _cell(text: str, delimiter: str) -> str:
    special = any(mark in text for mark in ('"', delimiter, "\r", "\n"))
    return '"' + text.replace('"', '""') + '"' if special else text


def _is_there(table: Table) -> bool:
    return table.path.is_file()


async def _counts(shelf: Shelf, table: Table) -> Sequence[Sequence[int]] | None:
    """For each column: how many values it has, and how many different ones.

    Empty for a column that takes too much; None if the sandbox cannot say at the moment.
    """
    columns = [column.name for column in table.columns[:PROMPT_COLUMNS]]
    found: list[Sequence[int]] = []
    try:
        for start in range(0, len(columns), AT_ONCE):
            found += await _counted(shelf, table, columns[start : start + AT_ONCE])
    except SandboxError:
        return None
    return found


async def _counted(shelf: Shelf, table: Table, columns: Sequence[str]) -> list[Sequence[int]]:
    """Exactly if there are few rows; what that is too much for is estimated."""
    for exactly in dict.fromkeys((table.row_count <= EXACT_ROWS, False)):
        try:
            counted = await _ask(shelf, table, statistics_query(table, columns, exactly=exactly))
        except QueryFailed:
            continue
        row = counted.rows[0]
        return [[row[f"{at}_filled"], row[f"{at}_distinct"]] for at in range(len(columns))]
    return [()] * len(columns)


def _samples(table: Table, column: str) -> list[JsonValue]:
    """A few different values from the first rows, cut to a length a prompt can bear."""
    seen = [row[column] for row in table.sample if row.get(column) is not None]
    short = [value[:SAMPLE_CHARS] if isinstance(value, str) else value for value in seen]
    return list(dict.fromkeys(short))[:PROMPT_SAMPLES]
