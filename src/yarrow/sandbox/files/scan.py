"""DuckDB's table functions for a file, in the order in which they are tried."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.duckdb_session import write_stored_expression
from yarrow.sandbox.files.blank_keys import name_blank_keys
from yarrow.sandbox.files.cells import CellFormat
from yarrow.sandbox.files.delimiters import MAX_LINE_BYTES
from yarrow.sandbox.files.duration_units import read_parquet_time_units
from yarrow.sandbox.files.errors import FileUnreadable
from yarrow.sandbox.files.text_marks import may_have_worded_dates
from yarrow.sandbox.model import ROW_ID
from yarrow.sandbox.table_notes import Sentence, list_some

_FIRST_BYTES = 1024 * 1024
LINE_LIMIT = f"max_line_size = {MAX_LINE_BYTES}"
QUOTED = "quote = '\"', escape = '\"'"
_ANY_JSON = "JSON"
"""Type of a column of mixed values; strings in it are unquoted."""
_WHOLE = "json"
"""The single column that DuckDB makes of values it does not recognise as records."""
_NUMBERED = re.compile(r"(.+)_\d+")
_MAX_KEYS = 10_000
"""With more distinct keys, objects are maps and not records."""
_DATES = frozenset(("DATE", "TIMESTAMP", duckdb_session.ZONED))
_NESTED = ("STRUCT", "MAP", "UNION")
_TOO_LONG_FOR_PARQUET = ("HUGEINT", "UHUGEINT")
"""Parquet has no such type; DuckDB would write a double and lose digits."""
MAX_COLUMNS = 5000


class FileScan(Struct, frozen=True):
    """A table function and its columns; `notes` are for the file's owner."""

    relation: str
    columns: str = "*"
    notes: tuple[CodedNote, ...] = ()
    casts: Mapping[str, str] = field(default_factory=dict)
    """Columns of text that are converted, with the expression."""
    may_be_single: bool = True
    """Accept a result of one column that holds whole records."""
    durations: tuple[str, ...] = ()
    """Columns that are stored in seconds."""
    percents: tuple[str, ...] = ()
    """Columns of percentages as they are written."""
    text: Path | None = None
    """The text that is read; None if the file is no text."""
    is_json: bool = False
    total_line: str = ""
    """The last line of the text, if it may be a total."""


def require_columns(count: int) -> None:
    """Refuse a table that is too wide for the memory of a job."""
    if count > MAX_COLUMNS:
        raise FileUnreadable(Sentence.TOO_MANY_COLUMNS, count=count, max=MAX_COLUMNS)


def apply_formats(scan: FileScan, formats: Sequence[CellFormat]) -> FileScan:
    casts = {
        cell_format.column: cell_format.expression
        for cell_format in formats
        if cell_format.expression
    }
    durations = tuple(cell_format.column for cell_format in formats if cell_format.is_duration)
    percents = tuple(cell_format.column for cell_format in formats if cell_format.is_percent)
    notes = (*scan.notes, *(cell_format.note for cell_format in formats))
    return replace(scan, casts=casts, durations=durations, percents=percents, notes=notes)


def scan_cells(path: Path, columns: Mapping[str, str]) -> FileScan:
    """A sheet as `sheet_cells.write_cells` wrote it: all types are known."""
    typed = ", ".join(f"{quote_text(name)}: {quote_text(kind)}" for name, kind in columns.items())
    options = f"auto_detect = false, header = true, delim = ',', {QUOTED}, {LINE_LIMIT}"
    reader = f"read_csv({quote_text(str(path))}, {options}, columns = {{{typed}}})"
    return FileScan(reader, text=path)


def scan_json(path: Path, spare: Path) -> Iterator[FileScan]:
    """Retry with more keys allowed, then with empty keys named in a copy at `spare`, then accept
    one column of whole records."""
    yield FileScan(_read_json(path), may_be_single=False, text=path, is_json=True)
    wide = f"map_inference_threshold = {_MAX_KEYS}"
    yield FileScan(_read_json(path, wide), may_be_single=False, text=path, is_json=True)
    if (named := name_blank_keys(path, spare)) is not None:
        yield FileScan(_read_json(named, wide), may_be_single=False, text=named, is_json=True)
    yield FileScan(_read_json(path), text=path, is_json=True)


def _read_json(path: Path, *options: str) -> str:
    limits = (f"maximum_object_size = {MAX_LINE_BYTES}", "sample_size = -1")
    arguments = (quote_text(str(path)), *limits, "union_by_name = true", *options)
    return f"read_json({', '.join(arguments)})"


def keep_worded_dates(scan: FileScan, natives: Mapping[str, str]) -> FileScan:
    """The scan of JSON with its columns of dates as text, if some may be words: DuckDB reads
    `infinity` and `epoch` as the first day of 1900."""
    dated = [name for name, native in natives.items() if native in _DATES]
    if not dated or not scan.is_json or scan.text is None or not may_have_worded_dates(scan.text):
        return scan
    if note_renamed_keys(natives, scan.text):
        return scan  # the names are not those of the keys
    kinds = {**natives, **dict.fromkeys(dated, "VARCHAR")}
    listed = ", ".join(f"{quote_text(name)}: {quote_text(kind)}" for name, kind in kinds.items())
    relation = f"{scan.relation.removesuffix(')')}, columns = {{{listed}}})"
    notes = tuple(write_note(Sentence.MIXED_DATES, name=name) for name in dated)
    return replace(scan, relation=relation, notes=(*scan.notes, *notes))


def is_single_column(natives: Mapping[str, str]) -> bool:
    """Whether DuckDB did not split JSON records into columns."""
    return list(natives) == [_WHOLE] and natives[_WHOLE].startswith((_ANY_JSON, "MAP"))


def scan_parquet(path: Path, database: duckdb.DuckDBPyConnection) -> FileScan:
    """Parquet has no durations: pandas and Arrow write whole numbers, the unit in the metadata."""
    scan = FileScan(f"read_parquet({quote_text(str(path))})")
    units = read_parquet_time_units(path, database)
    if not units:
        return scan
    try:
        database.execute(f"FROM {scan.relation} LIMIT 0")
    except duckdb.Error:
        return scan  # explained when the rows are read
    natives = duckdb_session.list_native_types(database)
    casts = {
        name: f"{quote_name(name)} / {per_second}"
        for name, per_second in units.items()
        if natives.get(name) == "BIGINT"
    }
    return replace(scan, casts=casts, durations=tuple(casts))


def note_nested(natives: Mapping[str, str]) -> list[CodedNote]:
    """A note of the columns that `flatten_columns` makes text of."""
    nested = [name for name, native in natives.items() if _is_nested(native)]
    return [write_note(Sentence.NESTED, names=list_some(nested))] if nested else []


def note_renamed_keys(natives: Mapping[str, str], path: Path | None) -> list[CodedNote]:
    """A note of the keys of JSON that differ in case only, which DuckDB numbers."""
    if path is None:
        return []
    with path.open("rb") as file:
        head = file.read(_FIRST_BYTES)
    lowered = [name.lower() for name in natives]
    renamed = [
        write_note(Sentence.NOW_NAMED, written=key[1], name=name)
        for name in natives
        if (key := _NUMBERED.fullmatch(name)) and key[1].lower() in lowered
        if f'"{name}"'.encode() not in head and f'"{key[1]}"'.encode() in head
    ]
    return [write_note(Sentence.RENAMED, names=list_some(renamed))] if renamed else []


def _is_nested(native: str) -> bool:
    return native.endswith("]") or native.startswith(_NESTED)


def flatten_columns(natives: Mapping[str, str], casts: Mapping[str, str]) -> str:
    """A select list with types that Parquet has: nested values become JSON text."""
    parts = [
        f"{casts[name]} AS {quote_name(name)}" if name in casts else _flatten_column(name, native)
        for name, native in natives.items()
        if name != ROW_ID
    ]
    return ", ".join(parts)


def _flatten_column(name: str, native: str) -> str:
    column = quote_name(name)
    if native == _ANY_JSON:
        return f"{column} ->> '$' AS {column}"
    if _is_nested(native):
        return f"to_json({column})::VARCHAR AS {column}"
    if native in _TOO_LONG_FOR_PARQUET:
        return f"{column}::DECIMAL(38, 0) AS {column}"
    return f"{write_stored_expression(column, native)} AS {column}"
