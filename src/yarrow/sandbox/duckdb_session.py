"""DuckDB inside jobs: opened before the fork, locked to its files after it.

Without threads an open database survives the fork, which saves opening one per job.
"""

import contextlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import duckdb
import msgspec

from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox.messages import FrameHeader, Scalar
from yarrow.sandbox.model import ROW_ID, Column

MAX_INT = 2**63 - 1
FETCH = 1000

_LABELS = {
    "TIMESTAMP": "datetime",
    "DATE": "date",
    "TIME": "time",
    "INTERVAL": "duration",
    "BOOLEAN": "boolean",
    "FLOAT": "number",
    "DOUBLE": "number",
    "DECIMAL": "number",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
}
DURATION = "INTERVAL"
SECONDS_KEY, PERCENT_KEY = "yarrow_seconds", "yarrow_percent"
"""Of the metadata of a Parquet file: columns that are durations, and percentages (12 is 12 %)."""
_FLOATING = frozenset(("FLOAT", "DOUBLE"))
ZONED = "TIMESTAMP WITH TIME ZONE"
_IN_UTC = "'%Y-%m-%dT%H:%M:%S.%g+00:00'"
_CLOSED = (
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "allow_community_extensions = false",
    "python_enable_replacements = false",
)
_LOCKS = ("enable_external_access = false", "lock_configuration = true")


def connect_database() -> duckdb.DuckDBPyConnection:
    """An in-memory database that starts no threads and writes no temporary files."""
    database = duckdb.connect(config={"threads": 1, "async_threads": 0, "temp_directory": ""})
    database.execute("SET TimeZone = 'UTC'")
    return database


def connect_restricted() -> duckdb.DuckDBPyConnection:
    """Like `connect_database`, with every restriction that can be set before the files are known.

    Before the fork: in a job, each statement copies memory pages it shares with the fork server.
    """
    database = connect_database()
    for setting in _CLOSED:
        database.execute(f"SET {setting}")
    return database


def reseed_random(database: duckdb.DuckDBPyConnection) -> None:
    """Set a new random seed: forks inherit the same generator state."""
    seed = int.from_bytes(os.urandom(4)) / 2**31 - 1
    database.execute("SELECT setseed(?)", [seed]).fetchall()


def lock_to_files(
    database: duckdb.DuckDBPyConnection, *, paths: Sequence[str], memory_mb: int, max_ms: int
) -> None:
    """Allow these files only and forbid further settings, on a database of `connect_restricted`."""
    allowed = f"allowed_paths = [{', '.join(quote_text(path) for path in paths)}]"
    _lock_settings(database, allowed, memory_mb=memory_mb, max_ms=max_ms)


def lock_to_folder(
    database: duckdb.DuckDBPyConnection, folder: str, *, memory_mb: int, max_ms: int
) -> None:
    """Like `lock_to_files`, for all present and future files of a folder."""
    allowed = f"allowed_directories = [{quote_text(folder)}]"
    _lock_settings(database, allowed, memory_mb=memory_mb, max_ms=max_ms)


def _lock_settings(
    database: duckdb.DuckDBPyConnection, allowed: str, *, memory_mb: int, max_ms: int
) -> None:
    reseed_random(database)
    settings = (f"memory_limit = '{memory_mb}MB'", f"max_execution_time = {max_ms}", allowed)
    for setting in (*settings, *_LOCKS):
        database.execute(f"SET {setting}")


def create_views(
    database: duckdb.DuckDBPyConnection, tables: Mapping[str, str], *, numbered: bool
) -> None:
    """Create a view for each table, over its Parquet file."""
    for name, path in tables.items():
        source = f"read_parquet({quote_text(path)}"
        columns = "*"
        if numbered:
            source += ", file_row_number = true"
            columns = f"file_row_number + 1 AS {quote_name(ROW_ID)}, * EXCLUDE (file_row_number)"
        database.execute(f"CREATE VIEW {quote_name(name)} AS FROM {source}) SELECT {columns}")


def write_stored_expression(column: str, native: str) -> str:
    """An expression for a column of this type as tables store it.

    NaN and infinities are null, because DuckDB sorts NaN as the largest number. Durations are
    numbers of seconds, which SQL, pandas and charts can all measure.
    """
    if native == DURATION:
        return f"epoch({column})"
    if native in _FLOATING:
        return f"CASE WHEN isfinite({column}) THEN {column} END"
    return column


def is_stored_as_is(native: str) -> bool:
    return native not in _FLOATING and native != DURATION


def describe_unit(names: Sequence[str]) -> bytes:
    """The value of `SECONDS_KEY` or `PERCENT_KEY` of a Parquet file with these columns."""
    return msgspec.json.encode(list(names))


def read_units(database: duckdb.DuckDBPyConnection, path: str) -> dict[str, frozenset[str]]:
    """The columns of a Parquet file by their unit: `SECONDS_KEY` and `PERCENT_KEY`."""
    query = f"SELECT key, value FROM parquet_kv_metadata({quote_text(path)}) WHERE key IN (?, ?)"
    rows = database.execute(query, [SECONDS_KEY.encode(), PERCENT_KEY.encode()]).fetchall()
    units = dict.fromkeys((SECONDS_KEY, PERCENT_KEY), frozenset[str]())
    for key, value in rows:
        with contextlib.suppress(msgspec.DecodeError):
            units[key.decode()] = frozenset(msgspec.json.decode(value, type=list[str]))
    return units


def find_column_type(native: str) -> str:
    """The column type for a DuckDB type; nested and unknown types are strings.

    Whole numbers that are too long for Parquet's integers are decimals there.
    """
    if native.endswith("]"):
        return "string"
    if is_long_integer(native):
        return "integer"
    return _LABELS.get(native.partition("(")[0].partition(" ")[0].partition("_")[0], "string")


def is_long_integer(native: str) -> bool:
    """Whether a type holds whole numbers as decimals: DECIMAL(38,0)."""
    return native.startswith("DECIMAL(") and native.endswith(",0)")


def list_result_columns(database: duckdb.DuckDBPyConnection) -> list[Column]:
    """The columns of the current result."""
    return [
        Column(name, find_column_type(native))
        for name, native in list_native_types(database).items()
    ]


def list_native_types(database: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """DuckDB's types by column name; names are made unique because rows become objects."""
    natives: dict[str, str] = {}
    for name, native, *_ in database.description or ():
        unique, number = name, 2
        while unique in natives:
            unique, number = f"{name}_{number}", number + 1
        natives[unique] = str(native)
    return natives


def list_zoned_columns(database: duckdb.DuckDBPyConnection) -> list[str]:
    """Columns of type TIMESTAMP WITH TIME ZONE, which DuckDB converts only with `pytz`."""
    return [name for name, native in list_native_types(database).items() if native == ZONED]


def cast_zones_to_text(query: str, columns: Sequence[str]) -> str:
    """The same rows with these columns as text in UTC."""
    replaced = ", ".join(
        f"strftime({quote_name(name)} AT TIME ZONE 'UTC', {_IN_UTC}) AS {quote_name(name)}"
        for name in columns
    )
    return f"FROM ({query.rstrip().rstrip(';')}\n) SELECT * REPLACE ({replaced})"


def fetch_rows(
    database: duckdb.DuckDBPyConnection,
    columns: Sequence[Column],
    *,
    max_rows: int,
    max_bytes: int,
) -> tuple[list[dict[str, Scalar]], bool]:
    """Rows with JSON values, and whether there were more."""
    return to_json_rows(_fetch_all(database), columns, max_rows=max_rows, max_bytes=max_bytes)


def _fetch_all(database: duckdb.DuckDBPyConnection) -> Iterator[Sequence[object]]:
    while batch := database.fetchmany(FETCH):
        yield from batch


def to_json_rows(
    records: Iterable[Sequence[object]],
    columns: Sequence[Column],
    *,
    max_rows: int,
    max_bytes: int,
) -> tuple[list[dict[str, Scalar]], bool]:
    """The first records as objects with JSON values, and whether there were more."""
    names = [column.name for column in columns]
    rows: list[dict[str, Scalar]] = []
    size = 0
    for values in records:
        row = dict(zip(names, map(to_json_value, values), strict=True))
        size += len(msgspec.json.encode(row))
        if len(rows) >= max_rows or size > max_bytes:
            return rows, True
        rows.append(row)
    return rows, False


def read_header(
    database: duckdb.DuckDBPyConnection,
    parquet: str,
    *,
    row_count: int,
    max_rows: int,
    max_bytes: int,
) -> FrameHeader:
    """The first rows of a Parquet file, read as every later query reads them."""
    query = f"FROM read_parquet({quote_text(parquet)})"
    database.execute(query)
    columns = list_result_columns(database)
    if zoned := list_zoned_columns(database):
        database.execute(cast_zones_to_text(query, zoned))
    rows, truncated = fetch_rows(database, columns, max_rows=max_rows, max_bytes=max_bytes)
    return FrameHeader(columns, [list(row.values()) for row in rows], truncated, row_count)


def to_json_value(value: object) -> Scalar:
    """A JSON value: NaN and infinities as null, dates in ISO form, the rest as text."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -MAX_INT <= value <= MAX_INT else str(value)
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return _to_number(value)
        case datetime():
            return value.isoformat(timespec="milliseconds")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case list() | tuple() | dict():
            return msgspec.json.encode(_to_plain(value)).decode()
        case _:
            return str(value)


def _to_number(value: Decimal) -> Scalar:
    """Integers keep every digit."""
    if not value.is_finite():
        return None
    return to_json_value(int(value)) if value.as_tuple().exponent == 0 else float(value)


def _to_plain(value: object) -> JsonValue:
    match value:
        case dict():
            return {str(key): _to_plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_to_plain(inner) for inner in value]
        case _:
            return to_json_value(value)
