"""DuckDB as the jobs use it: opened once before the fork, locked once in the job.

With no threads of its own the open database survives the fork, which saves opening it per job.
"""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import duckdb
import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sandbox.model import Column
from yarrow.sandbox.protocol import Made

ROW_ID = "#rowId"
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
_FLOATING = frozenset(("FLOAT", "DOUBLE"))
_ZONED = "TIMESTAMP WITH TIME ZONE"
_IN_UTC = "'%Y-%m-%dT%H:%M:%S.%g+00:00'"
_CLOSED = (
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "allow_community_extensions = false",
    "python_enable_replacements = false",
)
_LOCKS = ("enable_external_access = false", "lock_configuration = true")


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory that starts no thread and writes no temporary file."""
    database = duckdb.connect(config={"threads": 1, "async_threads": 0, "temp_directory": ""})
    database.execute("SET TimeZone = 'UTC'")
    return database


def connect_closed() -> duckdb.DuckDBPyConnection:
    """The same, with as much of the lock as can be set before the files are known.

    A statement costs a fork more than the process it came from: it touches memory that is shared
    until then.
    """
    database = connect()
    for setting in _CLOSED:
        database.execute(f"SET {setting}")
    return database


def shake_dice(database: duckdb.DuckDBPyConnection) -> None:
    """Chance of a job's own: every fork would draw what the others draw."""
    seed = int.from_bytes(os.urandom(4)) / 2**31 - 1
    database.execute("SELECT setseed(?)", [seed]).fetchall()


def lock(
    database: duckdb.DuckDBPyConnection, *, paths: Sequence[str], memory_mb: int, max_ms: int
) -> None:
    """From here on these files can be opened and no others, and nothing can be set.

    For a database of `connect_closed`: the rest of the lock is there already.
    """
    allowed = f"allowed_paths = [{', '.join(quote_text(path) for path in paths)}]"
    _lock(database, allowed, memory_mb=memory_mb, max_ms=max_ms)


def lock_room(
    database: duckdb.DuckDBPyConnection, folder: str, *, memory_mb: int, max_ms: int
) -> None:
    """The same with all the files of a folder, also those that come later."""
    allowed = f"allowed_directories = [{quote_text(folder)}]"
    _lock(database, allowed, memory_mb=memory_mb, max_ms=max_ms)


def _lock(
    database: duckdb.DuckDBPyConnection, allowed: str, *, memory_mb: int, max_ms: int
) -> None:
    shake_dice(database)
    settings = (f"memory_limit = '{memory_mb}MB'", f"max_execution_time = {max_ms}", allowed)
    for setting in (*settings, *_LOCKS):
        database.execute(f"SET {setting}")


def show_tables(
    database: duckdb.DuckDBPyConnection, tables: Mapping[str, str], *, numbered: bool
) -> None:
    """Each file as a view of its table's name."""
    for name, path in tables.items():
        source = f"read_parquet({quote_text(path)}"
        columns = "*"
        if numbered:
            source += ", file_row_number = true"
            columns = f"file_row_number + 1 AS {quote_name(ROW_ID)}, * EXCLUDE (file_row_number)"
        database.execute(f"CREATE VIEW {quote_name(name)} AS FROM {source}) SELECT {columns}")


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def number_or_null(column: str, native: str) -> str:
    """An expression for a column of this type: NaN and the infinities, if it has any, are null.

    DuckDB takes NaN for the largest number there is, so it must not get into a table.
    """
    if not may_be_no_number(native):
        return column
    return f"CASE WHEN isfinite({column}) THEN {column} END"


def may_be_no_number(native: str) -> bool:
    return native in _FLOATING


def label_of(native: str) -> str:
    """Our word for a type of DuckDB's; nested ones and the rest are shown as text."""
    if native.endswith("]"):
        return "string"
    return _LABELS.get(native.partition("(")[0].partition(" ")[0].partition("_")[0], "string")


def described(database: duckdb.DuckDBPyConnection) -> list[Column]:
    """The columns of the present result."""
    return [Column(name, label_of(native)) for name, native in natives(database).items()]


def natives(database: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The same with DuckDB's own types; names are made different, rows being objects."""
    found: dict[str, str] = {}
    for name, native, *_ in database.description or ():
        unique, number = name, 2
        while unique in found:
            unique, number = f"{name}_{number}", number + 1
        found[unique] = str(native)
    return found


def zoned(database: duckdb.DuckDBPyConnection) -> list[str]:
    """Columns of moments in a time zone, which DuckDB cannot hand to Python by itself."""
    return [name for name, native in natives(database).items() if native == _ZONED]


def without_zones(query: str, moments: Sequence[str]) -> str:
    """The same rows, those moments as text in UTC."""
    said = ", ".join(
        f"strftime({quote_name(name)} AT TIME ZONE 'UTC', {_IN_UTC}) AS {quote_name(name)}"
        for name in moments
    )
    return f"FROM ({query.rstrip().rstrip(';')}\n) SELECT * REPLACE ({said})"


def fetch_rows(
    database: duckdb.DuckDBPyConnection,
    columns: Sequence[Column],
    *,
    max_rows: int,
    max_bytes: int,
) -> tuple[list[JsonObject], bool]:
    """JSON-safe rows, and whether there would have been more."""
    return safe_rows(_fetched(database), columns, max_rows=max_rows, max_bytes=max_bytes)


def _fetched(database: duckdb.DuckDBPyConnection) -> Iterator[Sequence[JsonValue]]:
    while batch := database.fetchmany(FETCH):
        yield from batch


def safe_rows(
    found: Iterable[Sequence[JsonValue]],
    columns: Sequence[Column],
    *,
    max_rows: int,
    max_bytes: int,
) -> tuple[list[JsonObject], bool]:
    """The first of these rows as JSON can say them, and whether there were more."""
    names = [column.name for column in columns]
    rows: list[JsonObject] = []
    size = 0
    for values in found:
        row = dict(zip(names, map(json_safe, values), strict=True))
        size += len(msgspec.json.encode(row))
        if len(rows) >= max_rows or size > max_bytes:
            return rows, True
        rows.append(row)
    return rows, False


def look_at(
    database: duckdb.DuckDBPyConnection,
    parquet: str,
    *,
    row_count: int,
    max_rows: int,
    max_bytes: int,
) -> Made:
    """The first rows of a Parquet file, as every later reader sees them."""
    query = f"FROM read_parquet({quote_text(parquet)})"
    database.execute(query)
    columns = described(database)
    if moments := zoned(database):
        database.execute(without_zones(query, moments))
    rows, truncated = fetch_rows(database, columns, max_rows=max_rows, max_bytes=max_bytes)
    return Made(columns, [list(row.values()) for row in rows], truncated, row_count)


def json_safe(value: JsonValue) -> JsonValue:
    """What JSON can say of a value: no NaN, no infinity, dates in ISO form, the rest as text."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -MAX_INT <= value <= MAX_INT else str(value)
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return _number(value)
        case datetime():
            return value.isoformat(timespec="milliseconds")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return iso_duration(value)
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case list() | tuple() | dict():
            return msgspec.json.encode(_plain(value)).decode()
        case _:
            return str(value)


def _number(value: Decimal) -> JsonValue:
    """Whole numbers keep every digit."""
    if not value.is_finite():
        return None
    return json_safe(int(value)) if value.as_tuple().exponent == 0 else float(value)


def _plain(value: JsonValue) -> JsonValue:
    match value:
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case _:
            return json_safe(value)


def iso_duration(value: timedelta) -> str:
    """As ISO 8601 writes it: `P1DT2H3M4.5S`."""
    sign = "-" if value < timedelta() else ""
    rest = abs(value)
    minutes, seconds = divmod(rest.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest.microseconds:06d}".rstrip("0") if rest.microseconds else ""
    return f"{sign}P{rest.days}DT{hours}H{minutes}M{seconds}{fraction}S"
