"""The table of a chart: a port for its queries in DuckDB, and the facts about its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from yarrow.charting.columns import SAMPLES, ChartColumn, TableShape
from yarrow.charting.model import DType
from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name

ROW = '"#chart row"'
"""A column of every relation, quoted: the position of a row in its table, from 0."""
COUNTED_ROWS = 10_000
"""Distinct values are counted among so many rows, evenly spaced over the table."""

_NUMBERS = frozenset((DType.INTEGER, DType.NUMBER, DType.DURATION))
_TIMES = frozenset((DType.DATE, DType.DATETIME))


class ChartSource(Protocol):
    """A table in DuckDB.

    Of its columns DuckDB sees only plain types: durations are seconds, moments have no zone,
    and what is neither a number, a boolean nor a date is text.
    """

    @property
    def relation(self) -> str:
        """What to select from: all columns, and `ROW`."""

    @property
    def row_count(self) -> int: ...

    @property
    def columns(self) -> Mapping[str, DType]: ...

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        """Execute one statement; the rows of its result, as JSON values."""


def read_shape(source: ChartSource, names: Sequence[str]) -> TableShape:
    """The table's columns; the named ones with counts, range and samples, the others without."""
    known = [name for name in dict.fromkeys(names) if name in source.columns]
    facts = dict(zip(known, _read_facts(source, known), strict=True)) if known else {}
    columns = tuple(
        facts.get(name) or ChartColumn(name, dtype, distinct=1, is_counted=False)
        for name, dtype in source.columns.items()
    )
    return TableShape(columns, source.row_count)


def _read_facts(source: ChartSource, names: Sequence[str]) -> list[ChartColumn]:
    """One query over all rows."""
    parts = [part for name in names for part in _facts_of(source, name)]
    (row,) = source.run(f"SELECT {', '.join(parts)} FROM {source.relation}")
    width = len(parts) // len(names)
    return [
        _to_column(source, name, row[at * width : (at + 1) * width])
        for at, name in enumerate(names)
    ]


def _facts_of(source: ChartSource, name: str) -> tuple[str, ...]:
    column, dtype = quote_name(name), source.columns[name]
    counted = f"{ROW} % {max(1, source.row_count // COUNTED_ROWS)} = 0"
    picked = f"{ROW} % {max(1, source.row_count // SAMPLES)} = 0 AND {column} IS NOT NULL"
    is_sampled = source.row_count > COUNTED_ROWS
    distinct = f"count(DISTINCT {column}) FILTER (WHERE {counted})"
    if dtype in _TIMES and is_sampled:
        distinct = f"approx_count_distinct({column})"
    has_range = dtype in _NUMBERS or dtype in _TIMES
    return (
        f"count({column})",
        distinct,
        f"list({column}) FILTER (WHERE {picked})",
        f"any_value({column})",
        f"min({column})" if has_range else "NULL",
        f"max({column})" if has_range else "NULL",
    )


def _to_column(source: ChartSource, name: str, facts: Sequence[JsonValue]) -> ChartColumn:
    filled, distinct, samples, any_value, low, high = facts
    values = samples if isinstance(samples, list) else []
    if any_value is not None and not values:
        values = [any_value]
    return ChartColumn(
        name,
        source.columns[name],
        distinct=max(int(str(distinct)), 1 if any_value is not None else 0),
        nulls=source.row_count - int(str(filled)),
        samples=tuple(values[:SAMPLES]),
        low=low,
        high=high,
    )


@dataclass(frozen=True, slots=True)
class RelationSource:
    """A source with another relation."""

    inner: ChartSource
    relation: str

    @property
    def row_count(self) -> int:
        return self.inner.row_count

    @property
    def columns(self) -> Mapping[str, DType]:
        return self.inner.columns

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        return self.inner.run(sql, parameters)
