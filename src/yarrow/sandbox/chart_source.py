"""A Parquet file as the table of a chart, in the DuckDB of a job."""

from collections.abc import Mapping, Sequence
from math import isfinite

import duckdb
from msgspec import Struct
from msgspec.structs import replace

from yarrow.charting import (
    PERCENT_UNIT,
    ROW,
    ChartColumn,
    DType,
    FieldMeaning,
    SemanticType,
    guess_meaning,
)
from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox import duckdb_session

IN_SECONDS = FieldMeaning(SemanticType.DURATION, unit="s")
IN_UTC = FieldMeaning(SemanticType.DATETIME, unit="UTC")


class ParquetSource(Struct, frozen=True):
    """Implements `yarrow.charting.ChartSource`."""

    database: duckdb.DuckDBPyConnection
    relation: str
    row_count: int
    columns: Mapping[str, DType]
    seconds: frozenset[str] = frozenset()
    """The columns that are durations."""
    percents: frozenset[str] = frozenset()
    """The columns that were read from percentages: 12 is 12 %."""
    zoned: frozenset[str] = frozenset()
    """The columns whose moments have a zone; their time of day is that of UTC."""

    def add_units(self, meanings: Mapping[str, FieldMeaning]) -> dict[str, FieldMeaning]:
        """The meanings of a request, with the units that the table's types have."""
        percents = {name: _in_percent(name) for name in self.percents}
        seconds = dict.fromkeys(self.seconds, IN_SECONDS)
        from_types = seconds | percents | dict.fromkeys(self.zoned, IN_UTC)
        with_units = {
            name: replace(meaning, unit=from_types[name].unit)
            for name, meaning in meanings.items()
            if name in self.zoned | self.percents and meaning.unit is None
        }
        return {**from_types, **meanings, **with_units}

    def run(self, sql: str, parameters: Sequence[JsonValue] = ()) -> list[list[JsonValue]]:
        self.database.execute(sql, list(parameters))
        return [[to_chart_value(value) for value in row] for row in self.database.fetchall()]


def open_parquet(database: duckdb.DuckDBPyConnection, path: str, row_count: int) -> ParquetSource:
    """A source over all rows of a file."""
    file = f"read_parquet({quote_text(path)}, file_row_number = true)"
    database.execute(f"DESCRIBE FROM read_parquet({quote_text(path)})")
    natives = {str(name): str(native) for name, native, *_ in database.fetchall()}
    columns = {
        name: DType(duckdb_session.find_column_type(native)) for name, native in natives.items()
    }
    seconds = frozenset(n for n, native in natives.items() if native == duckdb_session.DURATION)
    percents = frozenset[str]()
    if not {"DOUBLE", "BIGINT"}.isdisjoint(natives.values()):
        units = duckdb_session.read_units(database, path)
        seconds |= units[duckdb_session.SECONDS_KEY] & natives.keys()
        percents = units[duckdb_session.PERCENT_KEY] & natives.keys()
    replaced = [
        f"{expression} AS {quote_name(name)}"
        for name, native in natives.items()
        if (expression := _to_plain(name, native, columns[name])) is not None
    ]
    plain = f" REPLACE ({', '.join(replaced)})" if replaced else ""
    relation = f"(SELECT * EXCLUDE (file_row_number){plain}, file_row_number AS {ROW} FROM {file})"
    zoned = frozenset(n for n, native in natives.items() if native == duckdb_session.ZONED)
    return ParquetSource(database, relation, row_count, columns, seconds, percents, zoned)


def _in_percent(name: str) -> FieldMeaning:
    """A share, or a change by its name."""
    named = guess_meaning(ChartColumn(name, DType.NUMBER, distinct=1))
    is_change = named is SemanticType.PERCENTAGE_CHANGE
    meaning = SemanticType.PERCENTAGE_CHANGE if is_change else SemanticType.PERCENTAGE
    return FieldMeaning(meaning, unit=PERCENT_UNIT)


def _to_plain(name: str, native: str, dtype: DType) -> str | None:
    """An expression of a plain type: durations in seconds, moments in UTC; None if it is plain."""
    column = quote_name(name)
    if native == duckdb_session.ZONED:
        return f"({column} AT TIME ZONE 'UTC')"
    if duckdb_session.is_long_integer(native):
        return f"{column}::HUGEINT"
    match dtype:
        case DType.DURATION:
            return f"epoch({column})"
        case DType.NUMBER:
            return None if native in {"DOUBLE", "FLOAT"} else f"{column}::DOUBLE"
        case DType.TIME | DType.STRING:
            return None if native == "VARCHAR" else f"{column}::VARCHAR"
        case DType.BOOLEAN | DType.INTEGER | DType.DATE | DType.DATETIME:
            return None


def to_chart_value(value: object) -> JsonValue:
    """A JSON value; integers keep all digits, as a name may have them.

    The frequent types come first: a chart of 20,000 marks has 60,000 values.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, list):
        return [to_chart_value(item) for item in value]
    return duckdb_session.to_json_value(value)
