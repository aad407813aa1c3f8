"""Rows as a table in DuckDB, as jobs of the sandbox have them."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

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
SHARED_TABLES = 500
_TABLE = r'("(?:[^"]|"")+"|\w+)'
_CREATE = re.compile(rf"CREATE OR REPLACE TEMP TABLE {_TABLE}")
_DELETE = re.compile(rf"DELETE FROM {_TABLE}")


@cache
def open_duckdb() -> duckdb.DuckDBPyConnection:
    """One for all sources: opening one takes 20 ms. Temporary tables are of one cursor only."""
    return duckdb.connect(config={"threads": 1})


class Statement(NamedTuple):
    """What a result depends on: a statement and those that made the temporary tables it reads."""

    sql: str
    parameters: str
    reads: tuple[tuple[str, "Statement"], ...]


class TableReader:
    """Executes the statements of charts of one table, whose rows never change.

    A statement is executed once for the same contents of the temporary tables that it reads.
    Charts replace these all the time: a table is made again when a statement needs it that was
    not executed on its contents yet.
    """

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self.database = database
        self._wanted: dict[str, Statement] = {}
        """By temporary table: the statement that made what it holds for the charts."""
        self._made: dict[str, Statement] = {}
        """The same for what it holds in DuckDB."""
        self._parameters: dict[Statement, list[JsonValue]] = {}
        self._kept: dict[Statement, list[list[JsonValue]]] = {}

    def run(self, sql: str, parameters: Sequence[JsonValue]) -> list[list[JsonValue]]:
        changed = find_changed_table(sql)
        body = _CREATE.sub("", sql)
        reads = tuple((n, made) for n, made in self._wanted.items() if n in body)
        statement = Statement(sql, repr(parameters), reads)
        if statement not in self._kept:
            self._parameters[statement] = list(parameters)
            self._kept[statement] = self._execute(statement)
        if changed:
            self._wanted[changed] = statement
        return [[v.copy() if isinstance(v, list) else v for v in r] for r in self._kept[statement]]

    def _execute(self, statement: Statement) -> list[list[JsonValue]]:
        for name, made in statement.reads:
            if self._made.get(name) != made:
                self._execute(made)
        self.database.execute(statement.sql, self._parameters[statement])
        rows = self.database.fetchall()
        if changed := find_changed_table(statement.sql):
            self._made[changed] = statement
        return [[to_chart_value(value) for value in row] for row in rows]


def find_changed_table(sql: str) -> str | None:
    """The temporary table that a statement makes or deletes rows of, without quotation marks."""
    changed = _CREATE.match(sql) or _DELETE.match(sql)
    assert changed or sql.startswith(("SELECT", "WITH")), sql
    return changed[1].strip('"') if changed else None


class RowTable(NamedTuple):
    """A table that is in DuckDB."""

    columns: Mapping[str, DType]
    reader: TableReader


_tables: dict[str, RowTable] = {}
"""By rows and types as text: many tests draw the same rows."""


class RowSource:
    """A source of rows that a test wrote."""

    def __init__(
        self, rows: Sequence[JsonObject], types: Mapping[str, DType] | None = None
    ) -> None:
        if len(_tables) > SHARED_TABLES:
            _tables.clear()
        key = repr((rows, types))
        if key not in _tables:
            _tables[key] = make_table(rows, types or {})
        self.columns, self.reader = _tables[key]
        self.row_count = len(rows)
        self.relation = "_rows"

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        return self.reader.run(sql, parameters)


def make_table(rows: Sequence[JsonObject], types: Mapping[str, DType]) -> RowTable:
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = {name: types.get(name) or dtype_of([row.get(name) for row in rows]) for name in names}
    lists = [[cell(row.get(n), dtype) for row in rows] for n, dtype in columns.items()]
    return RowTable(columns, TableReader(create_rows(columns, lists, len(rows))))


def create_rows(
    columns: Mapping[str, DType], lists: Sequence[Sequence[JsonValue]], count: int
) -> duckdb.DuckDBPyConnection:
    """A cursor with the temporary table `_rows`, from a list of cells for each column."""
    database = open_duckdb().cursor()
    cells = [f"{quote_name(name)} {NATIVE[dtype]}" for name, dtype in columns.items()]
    database.execute(f"CREATE TEMP TABLE _rows ({', '.join([*cells, ROW])} BIGINT)")
    if columns and count:
        # One INSERT: one for each row takes longer than the tests themselves.
        marks = [f"unnest(?::{NATIVE[dtype]}[])" for dtype in columns.values()]
        insert = f"INSERT INTO _rows SELECT {', '.join([*marks, 'unnest(?::BIGINT[])'])}"
        database.execute(insert, [*lists, list(range(count))])
    return database


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
