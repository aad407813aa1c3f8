"""Rows as a table in DuckDB, as jobs of the sandbox have them."""

import math
from collections.abc import Mapping, Sequence
from functools import cache

import duckdb
from tests.loose_json import JsonObject, JsonValue

from yarrow.charting import ROW, DType, TableShape, read_shape
from yarrow.kit.sql_text import quote_name
from yarrow.sandbox.chart_source import to_chart_value

NATIVE = {
    DType.BOOLEAN: "BOOLEAN",
    DType.INTEGER: "BIGINT",
    DType.NUMBER: "DOUBLE",
    DType.STRING: "VARCHAR",
    DType.DATE: "DATE",
}


@cache
def open_duckdb() -> duckdb.DuckDBPyConnection:
    """One for all sources: opening one takes 20 ms. Temporary tables are of one cursor only."""
    return duckdb.connect(config={"threads": 1})


class RowSource:
    """A source of rows that a test wrote."""

    def __init__(
        self, rows: Sequence[JsonObject], types: Mapping[str, DType] | None = None
    ) -> None:
        names = list(dict.fromkeys(key for row in rows for key in row))
        self.columns: Mapping[str, DType] = {
            name: (types or {}).get(name) or dtype_of([row.get(name) for row in rows])
            for name in names
        }
        self.row_count = len(rows)
        self.relation = "_rows"
        self.database = open_duckdb().cursor()
        cells = [f"{quote_name(n)} {NATIVE[d]}" for n, d in self.columns.items()]
        self.database.execute(f"CREATE TEMP TABLE _rows ({', '.join([*cells, ROW])} BIGINT)")
        # A list for each column: an INSERT for each row takes longer than the tests themselves.
        lists = [[cell(row.get(n), d) for row in rows] for n, d in self.columns.items()]
        if names and rows:
            marks = [f"unnest(?::{NATIVE[dtype]}[])" for dtype in self.columns.values()]
            insert = f"INSERT INTO _rows SELECT {', '.join([*marks, 'unnest(?::BIGINT[])'])}"
            self.database.execute(insert, [*lists, list(range(len(rows)))])

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        rows = self.database.execute(sql, list(parameters)).fetchall()
        return [[to_chart_value(value) for value in row] for row in rows]


def infer_shape(rows: Sequence[JsonObject], *, name: str = "") -> TableShape:
    """The shape of rows, with facts about every column."""
    source = RowSource(rows)
    shape = read_shape(source, tuple(source.columns))
    return TableShape(shape.columns, shape.row_count, name)


def dtype_of(values: Sequence[JsonValue]) -> DType:
    kinds = {type(value) for value in values if cell(value, DType.NUMBER) is not None}
    if kinds == {bool}:
        return DType.BOOLEAN
    if kinds == {int}:
        return DType.INTEGER
    return DType.NUMBER if kinds and kinds <= {int, float} else DType.STRING


def cell(value: JsonValue, dtype: DType) -> JsonValue:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if dtype is DType.STRING and isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if dtype is DType.STRING else value
