"""DuckDB queries over a table: names are quoted, values are parameters.

Every query runs in a job that can only read this one table, so an injection could show an account
no more than its own rows.
"""

import re
from collections.abc import Mapping, Sequence
from typing import assert_never

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonMapping, JsonValue
from yarrow.kit.sql_text import quote_name
from yarrow.sandbox.model import ROW_ID
from yarrow.tables.model import (
    ContainsFilter,
    InFilter,
    RangeFilter,
    RowFilter,
    SampleMethod,
    SampleRequest,
    StoredTable,
)

COUNT_ALIAS = "_count"
MAX_LEVELS = 100
COLUMNS_PER_QUERY = 50
"""More columns in one query would need more memory than a job has."""

_NUMERIC = frozenset(("integer", "number"))
_ORDERED = frozenset(("integer", "number", "datetime", "date", "time"))
_BOUND_TYPES = {
    "datetime": "TIMESTAMP",
    "date": "DATE",
    "time": "TIME",
    "duration": "INTERVAL",
    "integer": "DOUBLE",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
}
_VALUE_TYPES = {**_BOUND_TYPES, "integer": "HUGEINT"}
_FUNCTIONS = {
    **dict.fromkeys(("avg", "average", "mean"), "avg"),
    "sum": "sum",
    "min": "min",
    "max": "max",
}
_AGGREGATED_TYPES = {
    "avg": frozenset(("integer", "number", "datetime", "date", "time", "duration")),
    "sum": frozenset(("integer", "number", "boolean")),
}
"""Types that a function accepts; other functions accept all."""
_DATE_ONLY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LAST_MOMENT = " 23:59:59.999999"


class SqlQuery(Struct, frozen=True):
    """A statement and its parameters."""

    text: str
    parameters: Sequence[JsonValue] = ()


def build_sample_query(table: StoredTable, request: SampleRequest) -> SqlQuery:
    """Rows of a sample, each with its position in the table, or in the result if grouped."""
    where, parameters = _write_where(table, request.filters)
    known = table.column_types
    selected = [name for name in request.select if name in known]
    ordered = [name for name in request.order_by if name in known]
    if aggregates := _list_aggregates(request, known):
        return SqlQuery(_build_group_query(table, request, where, selected, aggregates), parameters)
    columns = ", ".join(quote_name(name) for name in (selected or known))
    rows = f"SELECT {quote_name(ROW_ID)}, {columns} FROM {quote_name(table.name)}{where}"
    limits = f"LIMIT {request.size} OFFSET {request.offset}"
    match request.method:
        case SampleMethod.RANDOM:
            picked = f"SELECT {quote_name(ROW_ID)} FROM {quote_name(table.name)}{where}"
            drawn = f"{quote_name(ROW_ID)} IN ({picked} ORDER BY random() {limits})"
            every = f"SELECT {quote_name(ROW_ID)}, {columns} FROM {quote_name(table.name)}"
            return SqlQuery(f"{every} WHERE {drawn} ORDER BY {quote_name(ROW_ID)}", parameters)
        case SampleMethod.HEAD:
            return SqlQuery(f"{rows}{_write_order(ordered, 'ASC')} {limits}", parameters)
        case SampleMethod.BOTTOM:
            return SqlQuery(f"{rows}{_write_order(ordered, 'DESC')} {limits}", parameters)
        case _:
            assert_never(request.method)


def build_sample_count_query(table: StoredTable, request: SampleRequest) -> SqlQuery:
    """The number of rows, or groups, that a sample is taken from."""
    where, parameters = _write_where(table, request.filters)
    known = table.column_types
    selected = [name for name in request.select if name in known]
    source = f"{quote_name(table.name)}{where}"
    if _list_aggregates(request, known):
        groups = f"DISTINCT {_quote_names(selected)}" if selected else "count(*)"
        source = f"(SELECT {groups} FROM {source})"
    return SqlQuery(f"SELECT count(*) AS total FROM {source}", parameters)


def build_page_query(table: StoredTable, *, page: int, page_size: int) -> SqlQuery:
    """One page by the numbers of its rows: an offset would sort all rows before it in memory."""
    names, row_id = _quote_names(table.column_types), quote_name(ROW_ID)
    offset = (page - 1) * page_size
    rows = f"WHERE {row_id} > {offset} AND {row_id} <= {offset + page_size} ORDER BY {row_id}"
    return SqlQuery(f"SELECT {names} FROM {quote_name(table.name)} {rows}")


def build_columns_query(name: str, columns: Sequence[str], condition: str = "") -> str:
    """Some columns of a table, all if none is named, of the rows that fulfil a condition."""
    where = f" WHERE {condition}" if condition else ""
    return f"SELECT {_quote_names(columns) or '*'} FROM {quote_name(name)}{where}"


def build_top_rows_query(
    table: StoredTable, *, columns: Sequence[str], order_by: str | None, limit: int
) -> SqlQuery:
    """A few rows, the largest values of a column first; all columns if none is named."""
    names = _quote_names(columns or list(table.column_types))
    ordered = f" ORDER BY {quote_name(order_by)} DESC NULLS LAST" if order_by else ""
    return SqlQuery(f"SELECT {names} FROM {quote_name(table.name)}{ordered} LIMIT {limit}")


def build_first_rows_query(name: str, *, rows: int) -> SqlQuery:
    return SqlQuery(f"SELECT * FROM {quote_name(name)} LIMIT {rows}")


def build_statistics_query(
    table: StoredTable, columns: Sequence[str], *, exactly: bool
) -> SqlQuery:
    """One row with the statistics of these columns, as `{position}_{statistic}`."""
    count_distinct = "count(DISTINCT {})" if exactly else "approx_count_distinct({})"
    parts = ["count(*) AS row_count"]
    for position, name in enumerate(columns):
        column, kind = quote_name(name), table.column_types[name]
        parts.append(f"count({column}) AS {quote_name(f'{position}_filled')}")
        parts.append(f"{count_distinct.format(column)} AS {quote_name(f'{position}_distinct')}")
        if kind in _ORDERED:
            parts.append(f"min({column}) AS {quote_name(f'{position}_min')}")
            parts.append(f"max({column}) AS {quote_name(f'{position}_max')}")
        if kind in _NUMERIC:
            parts.append(f"avg({column}) AS {quote_name(f'{position}_avg')}")
    return SqlQuery(f"SELECT {', '.join(parts)} FROM {quote_name(table.name)}")


def read_count(row: JsonMapping, name: str) -> int:
    """A count in a row of `build_statistics_query`."""
    return msgspec.convert(row[name], int)


def build_levels_query(table: StoredTable, columns: Sequence[str]) -> SqlQuery:
    """The distinct values of each of these columns, the frequent ones first.

    A row has its value under the position of its column, and `n`; the other columns are null.
    """
    qualified = [f"given.{quote_name(name)}" for name in columns]
    levels = ", ".join(f"{name} AS {quote_name(str(at))}" for at, name in enumerate(qualified))
    sets = ", ".join(f"({name})" for name in qualified)
    return SqlQuery(
        f"SELECT count(*) AS n, {levels} FROM {quote_name(table.name)} AS given "
        f"GROUP BY GROUPING SETS ({sets}) ORDER BY n DESC, {', '.join(qualified)}"
    )


def build_csv_lines_query(
    name: str, columns: Sequence[str], *, delimiter: str, rows: int | None = None
) -> SqlQuery:
    """Every row, or the first ones, as a line of CSV, in the order of the file."""
    special = f"'[\"{delimiter}\\r\\n]'"
    cells = [
        f"coalesce(CASE WHEN regexp_matches({quote_name(column)}::VARCHAR, {special}) "
        f"THEN '\"' || replace({quote_name(column)}::VARCHAR, '\"', '\"\"') || '\"' "
        f"ELSE {quote_name(column)}::VARCHAR END, '')"
        for column in columns
    ]
    line = f" || '{delimiter}' || ".join(cells)
    limit = "" if rows is None else f" LIMIT {rows}"
    return SqlQuery(f"SELECT {line} || chr(10) AS line FROM {quote_name(name)}{limit}")


def build_matching_query(pattern: str, texts: Sequence[str]) -> SqlQuery:
    """The positions, as `place`, of the texts that match a regular expression."""
    numbered = "SELECT unnest(?::VARCHAR[]) AS text, unnest(range(len(?::VARCHAR[]))) AS place"
    query = f"SELECT place FROM ({numbered}) WHERE regexp_matches(text, ?, 'i')"
    return SqlQuery(query, [list(texts), list(texts), pattern])


def _quote_names(columns: Sequence[str] | dict[str, str]) -> str:
    return ", ".join(quote_name(name) for name in columns)


def _write_order(fields: Sequence[str], direction: str) -> str:
    parts = [f"{quote_name(name)} {direction} NULLS LAST" for name in fields]
    return f" ORDER BY {', '.join([*parts, f'{quote_name(ROW_ID)} {direction}'])}"


def _list_aggregates(request: SampleRequest, known: dict[str, str]) -> dict[str, str]:
    """Aggregate expressions by their name in the result."""
    parts: dict[str, str] = {}
    for field, name in request.aggregates:
        function = name.strip().lower()
        if function == "count":
            parts[COUNT_ALIAS] = "count(*)"
        elif field is not None and _can_aggregate(function, known.get(field)):
            parts[f"{field}_{function}"] = f"{_FUNCTIONS[function]}({quote_name(field)})"
    return parts


def _can_aggregate(name: str, kind: str | None) -> bool:
    function = _FUNCTIONS.get(name)
    if function is None or kind is None:
        return False
    return function not in _AGGREGATED_TYPES or kind in _AGGREGATED_TYPES[function]


def _build_group_query(
    table: StoredTable,
    request: SampleRequest,
    where: str,
    selected: Sequence[str],
    aggregates: Mapping[str, str],
) -> str:
    groups = [quote_name(name) for name in selected]
    values = [f"{value} AS {quote_name(name)}" for name, value in aggregates.items()]
    selection = ", ".join([*groups, *values])
    group_by = f" GROUP BY {', '.join(groups)}" if groups else ""
    ordered = [name for name in request.order_by if name in selected or name in aggregates]
    order_names = dict.fromkeys([*ordered, *selected])
    direction = "DESC" if request.method is SampleMethod.BOTTOM else "ASC"
    order = ", ".join(f"{quote_name(name)} {direction} NULLS LAST" for name in order_names)
    if request.method is SampleMethod.RANDOM:
        order = "random()"
    window = f"row_number() OVER (ORDER BY {order})" if order else "row_number() OVER ()"
    inner = f"SELECT {selection} FROM {quote_name(table.name)}{where}{group_by}"
    return (
        f"SELECT {window} AS {quote_name(ROW_ID)}, * FROM ({inner}) "
        f"ORDER BY 1 LIMIT {request.size} OFFSET {request.offset}"
    )


def _write_where(
    table: StoredTable, filters: Sequence[RowFilter]
) -> tuple[str, Sequence[JsonValue]]:
    parts: list[str] = []
    parameters: list[JsonValue] = []
    for row_filter in filters:
        kind = table.column_types.get(row_filter.field)
        if kind is None:
            continue
        condition, values = _write_condition(row_filter, kind)
        if condition:
            parts.append(f"({condition})")
            parameters.extend(values)
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), parameters


def _write_condition(row_filter: RowFilter, kind: str) -> tuple[str, Sequence[JsonValue]]:
    match row_filter:
        case RangeFilter():
            return _write_range(row_filter, kind)
        case InFilter(field, values):
            return _write_membership(quote_name(field), values, kind)
        case ContainsFilter(field, text):
            return f"contains(lower({quote_name(field)}::VARCHAR), lower(?::VARCHAR))", [text]
        case _:
            assert_never(row_filter)


def _write_range(row_filter: RangeFilter, kind: str) -> tuple[str, Sequence[JsonValue]]:
    column = quote_name(row_filter.field)
    cast = f"TRY_CAST(? AS {_BOUND_TYPES.get(kind, 'VARCHAR')})"
    bounds = {">=": row_filter.low, "<=": _extend_to_day_end(row_filter.high, kind)}
    present = {sign: bound for sign, bound in bounds.items() if bound is not None}
    between = " AND ".join(f"{column} {sign} {cast}" for sign in present)
    missing = f"{column} IS NULL"
    if not between:
        return (missing if row_filter.include_nulls else ""), []
    condition = f"({between}) OR {missing}" if row_filter.include_nulls else between
    return condition, [_to_text(bound) for bound in present.values()]


def _extend_to_day_end(bound: JsonValue, kind: str) -> JsonValue:
    """A date as the upper bound of timestamps means the end of that day."""
    if kind != "datetime" or not isinstance(bound, str):
        return bound
    day = bound.strip()
    return f"{day}{_LAST_MOMENT}" if _DATE_ONLY.fullmatch(day) else bound


def _write_membership(
    column: str, values: Sequence[JsonValue], kind: str
) -> tuple[str, Sequence[JsonValue]]:
    texts = [_to_text(value) for value in values if value is not None]
    compared = f"date_trunc('millisecond', {column})" if kind == "datetime" else column
    cast = f"TRY_CAST(? AS {_VALUE_TYPES.get(kind, 'VARCHAR')})"
    parts = [f"{compared} IN ({', '.join([cast] * len(texts))})"] if texts else []
    if len(texts) < len(values):
        parts.append(f"{column} IS NULL")
    return " OR ".join(parts) or "false", texts


def _to_text(value: JsonValue) -> str:
    """Values are passed as text: DuckDB casts them to the column's type, or matches nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
