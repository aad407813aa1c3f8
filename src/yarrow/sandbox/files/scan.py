"""DuckDB's table functions for a file, in the order in which they are tried."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.duckdb_session import ROW_ID, stored_expression
from yarrow.sandbox.files.blank_keys import name_blank_keys
from yarrow.sandbox.files.cell_sql import contains, matches
from yarrow.sandbox.files.cells import MIXED_DATES, CellFormat, CellOptions, find_formats
from yarrow.sandbox.files.delimiters import MAX_LINE_BYTES, are_rows, detect_delimiter, read_lines
from yarrow.sandbox.files.infinite_columns import find_infinite_columns
from yarrow.sandbox.files.pandas_units import read_duration_units
from yarrow.sandbox.files.text_marks import may_have_codes

PADDED = "lines of different lengths were filled up with empty cells"
SKIPPED = (
    "the first {count} lines were left out: the table begins at line {begin}, where lines have "
    "more cells; fill up shorter lines to keep them"
)

_FIRST_BYTES = 1024 * 1024
_DIALECT = f"header = true, quote = '\"', escape = '\"', max_line_size = {MAX_LINE_BYTES}"
_ANY_JSON = "JSON"
"""Type of a column of mixed values; strings in it are unquoted."""
_WHOLE = "json"
"""The single column that DuckDB makes of values it does not recognise as records."""
_MAX_KEYS = 10_000
"""With more distinct keys, objects are maps and not records."""
_NESTED = ("STRUCT", "MAP", "UNION")
_TOO_LONG_FOR_PARQUET = ("HUGEINT", "UHUGEINT")
"""Parquet has no such type; DuckDB would write a double and lose digits."""
_DATES = frozenset(("DATE", "TIMESTAMP"))
_NUMBERS = frozenset(("BIGINT", "DOUBLE", "HUGEINT", "INTEGER"))
_BOOLEANS = ("(?i:true|false)", "(?i:t|f)")
"""Forms of which all cells of a column have one."""
_TEXT_OR_DATE = _DATES | {"VARCHAR", "TIME"}


class FileScan(Struct, frozen=True):
    """A table function and its columns; `notes` are for the file's owner."""

    relation: str
    columns: str = "*"
    notes: tuple[str, ...] = ()
    casts: Mapping[str, str] = field(default_factory=dict)
    """Columns of text that are converted, with the expression."""
    may_be_single: bool = True
    """Accept a result of one column that holds whole records."""
    durations: tuple[str, ...] = ()
    """Columns that are stored in seconds."""
    text: Path | None = None
    """The text that is read; None if the file is no text."""


def scan_text(
    path: Path, filename: str, database: duckdb.DuckDBPyConnection, *, day_first: bool
) -> Iterator[FileScan]:
    """Detect types from the first lines, then from all; last, accept lines of unequal length."""
    with path.open("rb") as file:
        header = file.readline(MAX_LINE_BYTES)
        first_lines = file.read(_FIRST_BYTES)
    delimiter = detect_delimiter(header + first_lines, filename)
    known = f"read_csv({quote_text(str(path))}, delim = {quote_text(delimiter)}, {_DIALECT}"
    options = CellOptions(day_first=day_first, decimal_comma=delimiter == ";")
    padded = f"{known}, null_padding = true"
    lines = read_lines(path, _count_skipped(known.removeprefix("read_csv("), database))
    notes: tuple[str, ...] = ()
    if are_rows(path, lines, delimiter):
        known, notes = padded, (PADDED,)
    elif any(line.strip() for line in lines):
        notes = (SKIPPED.format(count=len(lines), begin=len(lines) + 1),)
    has_codes = may_have_codes(path, delimiter)
    for scan in _try_scans(known, first_lines, database, options=options, has_codes=has_codes):
        yield replace(scan, notes=(*notes, *scan.notes), text=path)
    last_notes = tuple(dict.fromkeys((*notes, PADDED)))
    yield FileScan(f"{padded}, sample_size = -1, strict_mode = false)", notes=last_notes, text=path)


def _try_scans(
    known: str,
    first_lines: bytes,
    database: duckdb.DuckDBPyConnection,
    *,
    options: CellOptions,
    has_codes: bool,
) -> Iterator[FileScan]:
    types = dict.fromkeys(find_infinite_columns(first_lines, known, database), "DOUBLE")
    natives = _read_types(f"{known})", database)
    names = [name for name, native in natives.items() if native in _TEXT_OR_DATE]
    texts = {name for name in names if natives[name] == "VARCHAR"}
    formats = find_formats(f"{known}, all_varchar = true)", names, database, options, texts=texts)
    kinds = {"BOOLEAN"} | (_NUMBERS if has_codes else set())
    checked = {name: native for name, native in natives.items() if native in kinds}
    spelled = dict.fromkeys(_find_spelled(known, checked, database), "VARCHAR")
    if formats:
        yield _typed(known, types | spelled | {f.column: "VARCHAR" for f in formats}, formats)
    if types:
        yield _typed(known, types | spelled)
    yield _typed(known, spelled)
    yield _typed(f"{known}, sample_size = -1", spelled)
    if dates := [name for name, native in natives.items() if native in _DATES]:
        yield _scan_mixed_dates(known, types | spelled, formats, dates=dates, database=database)


def _find_spelled(
    known: str, natives: Mapping[str, str], database: duckdb.DuckDBPyConnection
) -> list[str]:
    """Columns whose text says more than the type that DuckDB finds, in any row of the file.

    A zero before digits belongs to a code (00123), `Yes` is not `true`, and 0x1F is an address;
    `t` and `f` are how PostgreSQL writes booleans.
    Patterns, because DuckDB plans comparisons of two thousand columns for minutes.
    """
    checks = {
        name: f"bool_or({contains(name, '^0[0-9xX]')})"
        if native in _NUMBERS
        else " AND ".join(f"bool_or(NOT {matches(name, form)})" for form in _BOOLEANS)
        for name, native in natives.items()
    }
    if not checks:
        return []
    select = ", ".join(checks.values())
    try:
        row = database.execute(f"FROM {known}, all_varchar = true) SELECT {select}").fetchone()
    except duckdb.Error:
        return []  # explained when the rows are read
    return [name for name, is_spelled in zip(checks, row or (), strict=True) if is_spelled]


def _scan_mixed_dates(
    known: str,
    types: Mapping[str, str],
    formats: Sequence[CellFormat],
    *,
    dates: Sequence[str],
    database: duckdb.DuckDBPyConnection,
) -> FileScan:
    """Leave as text those columns of dates with which the file cannot be read, and name them."""
    reader = f"{known}, sample_size = -1"
    types = {**types, **{cell_format.column: "VARCHAR" for cell_format in formats}}
    unknown = [name for name in dates if name not in types]
    texts = dict.fromkeys(unknown, "VARCHAR")
    read: list[str] = []
    for name in unknown:
        others = {other: kind for other, kind in texts.items() if other != name}
        if _can_read([*read, name], _typed(reader, types | others).relation, database):
            read.append(name)
            texts = others
    mixed = _typed(reader, types | texts, formats)
    notes = (MIXED_DATES.format(names=", ".join(texts)),) if texts else ()
    return replace(mixed, notes=(*notes, *mixed.notes))


def _can_read(names: Sequence[str], relation: str, database: duckdb.DuckDBPyConnection) -> bool:
    counts = ", ".join(f"count({quote_name(name)})" for name in names)
    try:
        database.execute(f"FROM {relation} SELECT {counts}").fetchall()
    except duckdb.Error:
        return False
    return True


def _count_skipped(arguments: str, database: duckdb.DuckDBPyConnection) -> int:
    """How many lines DuckDB leaves out: it begins where lines have the most cells."""
    try:
        row = database.execute(f"FROM sniff_csv({arguments}) SELECT SkipRows").fetchone()
    except duckdb.Error:
        return 0  # explained when the rows are read
    return int(row[0]) if row else 0


def _typed(reader: str, types: Mapping[str, str], formats: Sequence[CellFormat] = ()) -> FileScan:
    listed = ", ".join(f"{quote_text(name)}: '{kind}'" for name, kind in types.items())
    typed = f", types = {{{listed}}}" if types else ""
    return apply_formats(FileScan(f"{reader}{typed})"), formats)


def apply_formats(scan: FileScan, formats: Sequence[CellFormat]) -> FileScan:
    casts = {
        cell_format.column: cell_format.expression
        for cell_format in formats
        if cell_format.expression
    }
    durations = tuple(cell_format.column for cell_format in formats if cell_format.is_duration)
    notes = (*scan.notes, *(cell_format.note for cell_format in formats))
    return replace(scan, casts=casts, durations=durations, notes=notes)


def _read_types(relation: str, database: duckdb.DuckDBPyConnection) -> Mapping[str, str]:
    """Columns with the types that DuckDB finds; it guesses the order of dates."""
    try:
        database.execute(f"FROM {relation} LIMIT 0")
    except duckdb.Error:
        return {}
    return duckdb_session.native_types(database)


def scan_cells(path: Path, columns: Mapping[str, str]) -> FileScan:
    """A sheet as `sheet_cells.write_cells` wrote it: all types are known."""
    typed = ", ".join(f"{quote_text(name)}: {quote_text(kind)}" for name, kind in columns.items())
    options = f"auto_detect = false, delim = ',', {_DIALECT}"
    reader = f"read_csv({quote_text(str(path))}, {options}, columns = {{{typed}}})"
    return FileScan(reader, text=path)


def scan_json(path: Path, spare: Path) -> Iterator[FileScan]:
    """Retry with more keys allowed, then with empty keys named in a copy at `spare`, then accept
    one column of whole records."""
    yield FileScan(_read_json(path), may_be_single=False, text=path)
    wide = f"map_inference_threshold = {_MAX_KEYS}"
    yield FileScan(_read_json(path, wide), may_be_single=False, text=path)
    if (named := name_blank_keys(path, spare)) is not None:
        yield FileScan(_read_json(named, wide), may_be_single=False, text=named)
    yield FileScan(_read_json(path), text=path)


def _read_json(path: Path, *options: str) -> str:
    limits = (f"maximum_object_size = {MAX_LINE_BYTES}", "sample_size = -1")
    arguments = (quote_text(str(path)), *limits, "union_by_name = true", *options)
    return f"read_json({', '.join(arguments)})"


def is_single_column(natives: Mapping[str, str]) -> bool:
    """Whether DuckDB did not split JSON records into columns."""
    return list(natives) == [_WHOLE] and natives[_WHOLE].startswith((_ANY_JSON, "MAP"))


def scan_parquet(path: Path, database: duckdb.DuckDBPyConnection) -> FileScan:
    """Parquet has no durations: pandas writes whole numbers, and their unit in the metadata."""
    scan = FileScan(f"read_parquet({quote_text(str(path))})")
    units = read_duration_units(path, database)
    if not units:
        return scan
    try:
        database.execute(f"FROM {scan.relation} LIMIT 0")
    except duckdb.Error:
        return scan  # explained when the rows are read
    natives = duckdb_session.native_types(database)
    casts = {
        name: f"{quote_name(name)} / {per_second}"
        for name, per_second in units.items()
        if natives.get(name) == "BIGINT"
    }
    return replace(scan, casts=casts, durations=tuple(casts))


def flatten_columns(natives: Mapping[str, str], casts: Mapping[str, str]) -> str:
    """A select list with types that Parquet has: nested values become JSON text."""
    parts = [
        f"{casts[name]} AS {quote_name(name)}" if name in casts else _flat(name, native)
        for name, native in natives.items()
        if name != ROW_ID
    ]
    return ", ".join(parts)


def _flat(name: str, native: str) -> str:
    column = quote_name(name)
    if native == _ANY_JSON:
        return f"{column} ->> '$' AS {column}"
    if native.endswith("]") or native.startswith(_NESTED):
        return f"to_json({column})::VARCHAR AS {column}"
    if native in _TOO_LONG_FOR_PARQUET:
        return f"{column}::DECIMAL(38, 0) AS {column}"
    return f"{stored_expression(column, native)} AS {column}"
