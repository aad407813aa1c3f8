"""Statistics of every column of a table."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.model import JobLimits, TableResult
from yarrow.sandbox.table_notes import Sentence
from yarrow.tables.duckdb_sql import (
    COLUMNS_PER_QUERY,
    MAX_LEVELS,
    SqlQuery,
    build_levels_query,
    build_statistics_query,
    read_count,
)
from yarrow.tables.model import StoredTable, Tables, Workspace
from yarrow.tables.read import EXACT_ROWS, notice_lost_file, open_table

MAX_SECONDS = 60.0

_SUMMARIES = ("min", "max", "avg")
_LIMITS = JobLimits(rows=COLUMNS_PER_QUERY * (MAX_LEVELS + 1))


class TableAnalysis(Struct, frozen=True):
    """`{column, type, statistics}` per column; `notes` say how it was read, and what is missing."""

    columns: Sequence[JsonMapping]
    notes: Sequence[CodedNote] = ()


async def compute_statistics(
    tables: Tables, workspace: Workspace, name: str, *, seconds: float = MAX_SECONDS
) -> TableAnalysis:
    """Statistics of the columns that can be computed in time, with levels where there are few."""
    table = await open_table(tables, workspace, name)
    columns: list[JsonObject] = []
    names = [column.name for column in table.columns]
    try:
        async with asyncio.timeout(seconds):
            for start in range(0, len(names), COLUMNS_PER_QUERY):
                some = names[start : start + COLUMNS_PER_QUERY]
                with notice_lost_file(table):
                    columns += await _analyse_columns(tables, table, some)
    except TimeoutError:
        facts = {"done": str(len(columns)), "all": str(len(names)), "seconds": f"{seconds:g}"}
        note = write_note(Sentence.NOT_ALL_COUNTED, **facts)
        return TableAnalysis(columns, [*table.notes, note, *_explain_counts(table)])
    return TableAnalysis(columns, [*table.notes, *_explain_counts(table)])


def _explain_counts(table: StoredTable) -> list[CodedNote]:
    """A note if the numbers of different values are estimates."""
    if table.row_count <= EXACT_ROWS:
        return []
    return [write_note(Sentence.ESTIMATED, rows=f"{table.row_count:,}")]


async def _analyse_columns(
    tables: Tables, table: StoredTable, names: Sequence[str]
) -> list[JsonObject]:
    is_exact = table.row_count <= EXACT_ROWS
    query = build_statistics_query(table, names, exactly=is_exact)
    row = (await _run_query(tables, table, query)).rows[0]
    estimated: JsonObject = {} if is_exact else {"unique_count_estimated": True}
    statistics = {name: _read_statistics(row, at) | estimated for at, name in enumerate(names)}
    await _add_levels(tables, table, statistics)
    types = table.column_types
    return [
        {"column": name, "type": types[name], "statistics": values}
        for name, values in statistics.items()
    ]


async def _add_levels(
    tables: Tables, table: StoredTable, statistics: dict[str, JsonObject]
) -> None:
    """Add the values of columns that have few, unless they are too long to return."""
    few = [
        name
        for name, values in statistics.items()
        if 1 <= read_count(values, "unique_count") <= MAX_LEVELS
    ]
    if not few:
        return
    result = await _run_query(tables, table, build_levels_query(table, few))
    if result.truncated:
        return
    for at, name in enumerate(few):
        rows = [row for row in result.rows if row[str(at)] is not None]
        statistics[name]["levels"] = [row[str(at)] for row in rows]
        statistics[name]["level_counts"] = [row["n"] for row in rows]
        if statistics[name].pop("unique_count_estimated", None):
            statistics[name]["unique_count"] = len(rows)


def _read_statistics(row: JsonMapping, at: int) -> JsonObject:
    statistics: JsonObject = {
        "count": row["row_count"],
        "unique_count": row[f"{at}_distinct"],
        "null_count": read_count(row, "row_count") - read_count(row, f"{at}_filled"),
    }
    for summary in _SUMMARIES:
        if f"{at}_{summary}" in row:
            statistics[summary] = row[f"{at}_{summary}"]
    return statistics


async def _run_query(tables: Tables, table: StoredTable, query: SqlQuery) -> TableResult:
    return await tables.sandbox.run_sql(query.text, {table.name: table.path}, _LIMITS)
