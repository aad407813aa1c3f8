"""Analyse: the numbers of every column of a table."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from yarrow.kit.json import JsonObject
from yarrow.sandbox.model import JobLimits, TableResult
from yarrow.tables.create import find_table
from yarrow.tables.duckdb_sql import (
    AT_ONCE,
    MAX_LEVELS,
    Query,
    levels_query,
    statistics_query,
)
from yarrow.tables.model import Shelf, Table, Workspace

MAX_SECONDS = 60.0

_SUMMARIES = ("min", "max", "avg")
_LIMITS = JobLimits(rows=AT_ONCE * (MAX_LEVELS + 1))
_NOT_ALL = "only {done} of {all} columns were counted within {seconds:g} seconds"


@dataclass(frozen=True, slots=True)
class Analysis:
    """For each column `{column, type, statistics}`; `notes` say what is missing."""

    columns: Sequence[JsonObject]
    notes: Sequence[str] = ()


async def analyse(
    shelf: Shelf, workspace: Workspace, name: str, *, seconds: float = MAX_SECONDS
) -> Analysis:
    """The columns that could be counted in time; frequent values where there are few."""
    table = await find_table(shelf, workspace, name)
    found: list[JsonObject] = []
    names = [column.name for column in table.columns]
    try:
        async with asyncio.timeout(seconds):
            for start in range(0, len(names), AT_ONCE):
                found += await _some(shelf, table, names[start : start + AT_ONCE])
    except TimeoutError:
        note = _NOT_ALL.format(done=len(found), all=len(names), seconds=seconds)
        return Analysis(found, [note])
    return Analysis(found)


async def _some(shelf: Shelf, table: Table, names: Sequence[str]) -> list[JsonObject]:
    query = statistics_query(table, names, exactly=True)
    row = (await _ask(shelf, table, query)).rows[0]
    numbers = {name: _numbers(row, at) for at, name in enumerate(names)}
    await _add_levels(shelf, table, numbers)
    types = table.column_types
    return [
        {"column": name, "type": types[name], "statistics": found}
        for name, found in numbers.items()
    ]


async def _add_levels(shelf: Shelf, table: Table, numbers: dict[str, JsonObject]) -> None:
    """To the numbers of columns with few values; none if they are too long to be shown."""
    few = [name for name, found in numbers.items() if 1 <= found["unique_count"] <= MAX_LEVELS]
    if not few:
        return
    asked = await _ask(shelf, table, levels_query(table, few))
    if asked.truncated:
        return
    for at, name in enumerate(few):
        rows = [row for row in asked.rows if row[str(at)] is not None]
        numbers[name]["levels"] = [row[str(at)] for row in rows]
        numbers[name]["level_counts"] = [row["n"] for row in rows]


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


async def _ask(shelf: Shelf, table: Table, query: Query) -> TableResult:
    return await shelf.sandbox.run_sql(query.text, {table.name: table.path}, _LIMITS)
