"""Analyse: the numbers of every column of a table."""

from collections.abc import Sequence

from yarrow.datasets.create import find_table
from yarrow.datasets.model import Shelf, Table, Workspace
from yarrow.datasets.parquet_store import MAX_LEVELS, Query, levels_query, statistics_query
from yarrow.datasets.sandbox.model import Limits
from yarrow.json_values import JsonObject

AT_ONCE = 50
"""Columns of one query; more would take more memory than a job has."""

_SUMMARIES = ("min", "max", "avg")


async def analyse(shelf: Shelf, workspace: Workspace, name: str) -> Sequence[JsonObject]:
    """For each column `{column, type, statistics}`; frequent values where there are few."""
    table = await find_table(shelf, workspace, name)
    found: list[JsonObject] = []
    names = [column.name for column in table.columns]
    for start in range(0, len(names), AT_ONCE):
        found += await _some(shelf, table, names[start : start + AT_ONCE])
    return found


async def _some(shelf: Shelf, table: Table, names: Sequence[str]) -> list[JsonObject]:
    row = (await _rows(shelf, table, statistics_query(table, names, exactly=True)))[0]
    found: list[JsonObject] = []
    for at, name in enumerate(names):
        numbers = _numbers(row, at)
        if 1 <= numbers["unique_count"] <= MAX_LEVELS:
            levels = await _rows(shelf, table, levels_query(table, name))
            numbers["levels"] = [level["level"] for level in levels]
            numbers["level_counts"] = [level["n"] for level in levels]
        found.append({"column": name, "type": table.column_types[name], "statistics": numbers})
    return found


def _numbers(row: JsonObject, at: int) -> JsonObject:
    numbers: JsonObject = {
        "count": row["row_count"],
        "unique_count": row[f"{at}_distinct"],
        "null_count": row["row_count"] - row[f"{at}_filled"],
    }
    for summary in _SUMMARIES:
        if f"{at}_{summary}" in row:
            numbers[summary] = row[f"{at}_{summary}"]
    return numbers


async def _rows(shelf: Shelf, table: Table, query: Query) -> Sequence[JsonObject]:
    limits = Limits(seconds=60.0, rows=MAX_LEVELS)
    return (await shelf.sandbox.run_sql(query.text, {table.name: table.path}, limits)).rows
