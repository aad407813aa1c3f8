"""The table of a chart: a port for its queries in DuckDB, and the facts about its columns."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from yarrow.charting.columns import SAMPLES, ChartColumn, TableShape
from yarrow.charting.errors import ChartWithoutRows
from yarrow.charting.model import DType
from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name

ROW = '"#chart row"'
"""A column of every relation, quoted: the position of a row in its table, from 0."""
COUNTED_ROWS, BLOCKS = 10_000, 8
"""Distinct values are counted among so many rows, in blocks evenly spaced over the table."""
EXACT_ROWS = 200_000
"""Of more filtered rows, distinct values are estimated."""
_DAY_S = 86_400

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
    """Counts and ranges over all rows, which a Parquet file has in its metadata; distinct values
    and samples from blocks of rows, of which DuckDB reads no others."""
    totals = ", ".join(_select_totals(source, name) for name in names)
    (total_row,) = source.run(f"SELECT {totals} FROM {source.relation}")
    spacing = max(1, min(source.row_count, COUNTED_ROWS) // SAMPLES)
    picks = ", ".join(_select_samples(name, spacing) for name in names)
    (pick_row,) = source.run(f"SELECT {picks} FROM ({_select_blocks(source, names)})")
    facts = zip(names, split_batches(total_row, 3), split_batches(pick_row, 3), strict=True)
    return [_build_column(source, name, total, pick) for name, total, pick in facts]


def _select_blocks(source: ChartSource, names: Sequence[str]) -> str:
    """All rows of a small table; of a large one evenly spaced blocks."""
    select = f"SELECT {', '.join(map(quote_name, names))}, {ROW} FROM {source.relation}"
    if source.row_count <= COUNTED_ROWS:
        return select
    starts = (source.row_count * block // BLOCKS for block in range(BLOCKS))
    size = COUNTED_ROWS // BLOCKS
    return " UNION ALL ".join(
        f"{select} WHERE {ROW} BETWEEN {start} AND {start + size - 1}" for start in starts
    )


def _select_totals(source: ChartSource, name: str) -> str:
    column, dtype = quote_name(name), source.columns[name]
    if dtype in _NUMBERS or dtype in _TIMES:
        return f"count({column}), min({column}), max({column})"
    return f"count({column}), NULL, NULL"


def _select_samples(name: str, spacing: int) -> str:
    column = quote_name(name)
    picked = f"{ROW} % {spacing} = 0 AND {column} IS NOT NULL"
    samples = f"list({column}) FILTER (WHERE {picked})"
    return f"count(DISTINCT {column}), {samples}, any_value({column})"


def _build_column(
    source: ChartSource,
    name: str,
    totals: Sequence[JsonValue],
    picks: Sequence[JsonValue],
) -> ChartColumn:
    (filled, low, high), (distinct, samples, value) = totals, picks
    values = samples if isinstance(samples, list) else []
    count = int(str(filled))
    if count and not values:
        ((found,),) = source.run(f"SELECT any_value({quote_name(name)}) FROM {source.relation}")
        values = [found if value is None else value]
    counted = distinct_found = max(int(str(distinct)), 1 if count else 0)
    if source.row_count > COUNTED_ROWS and source.columns[name] in _TIMES:
        counted = max(counted, min(count, count_moments(source.columns[name], low, high)))
    return ChartColumn(
        name,
        source.columns[name],
        distinct=counted,
        nulls=source.row_count - count,
        samples=tuple(values[:SAMPLES]),
        low=low,
        high=high,
        distinct_found=distinct_found,
    )


def count_moments(dtype: DType, low: JsonValue, high: JsonValue) -> int:
    """How many days, or seconds, lie between two moments."""
    first, last = parse_moment(low), parse_moment(high)
    if first is None or last is None:
        return 1
    seconds = (last - first).total_seconds()
    return int(seconds / _DAY_S if dtype is DType.DATE else seconds) + 1


def parse_moment(value: JsonValue) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value)).replace(tzinfo=None) if value else None
    except ValueError:
        return None


def split_batches(values: Sequence[JsonValue], size: int) -> list[Sequence[JsonValue]]:
    return [values[start : start + size] for start in range(0, len(values), size)]


class RowFilter(Struct, frozen=True):
    """A condition in SQL on the rows of a table, by its name, and how many fulfil it."""

    table: str
    condition: str
    row_count: int


class RelationSource(Struct, frozen=True):
    """A source with another relation, of all its rows or of some of them."""

    inner: ChartSource
    relation: str
    rows_kept: int | None = None

    @property
    def row_count(self) -> int:
        return self.inner.row_count if self.rows_kept is None else self.rows_kept

    @property
    def columns(self) -> Mapping[str, DType]:
        return self.inner.columns

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        return self.inner.run(sql, parameters)


def filter_source(source: ChartSource, row_filter: RowFilter) -> ChartSource:
    """The rows that fulfil a condition; raises `ChartWithoutRows` if there are none."""
    if not row_filter.row_count:
        raise ChartWithoutRows("no row fulfils the condition")
    relation = f"(SELECT * FROM {source.relation} WHERE {row_filter.condition})"
    return RelationSource(source, relation, row_filter.row_count)


def narrow_shape(source: ChartSource, shape: TableShape, names: Sequence[str]) -> TableShape:
    """The shape with counts and ranges of the rows of the source; samples stay as they are."""
    if source.row_count == shape.row_count:
        return shape
    known = [name for name in dict.fromkeys(names) if name in source.columns]
    if not known:
        return replace(shape, row_count=source.row_count)
    is_few = source.row_count <= EXACT_ROWS
    distinct = "count(DISTINCT {})" if is_few else "approx_count_distinct({})"
    parts = (
        f"{_select_totals(source, name)}, {distinct.format(quote_name(name))}" for name in known
    )
    (row,) = source.run(f"SELECT {', '.join(parts)} FROM {source.relation}")
    facts = dict(zip(known, split_batches(row, 4), strict=True))
    columns = tuple(
        _narrow_column(column, source.row_count, facts[column.name])
        if column.name in facts
        else column
        for column in shape.columns
    )
    return replace(shape, columns=columns, row_count=source.row_count)


def _narrow_column(column: ChartColumn, rows: int, facts: Sequence[JsonValue]) -> ChartColumn:
    filled, low, high, distinct = facts
    nulls, count = rows - int(str(filled)), int(str(distinct))
    return replace(column, distinct=count, nulls=nulls, low=low, high=high, distinct_found=count)
