"""How DuckDB is asked for the rows of a file, and what is tried when the first way fails."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from yarrow.sandbox.duckdb_session import ROW_ID, number_or_null, quote_name, quote_text
from yarrow.sandbox.files.infinite import infinite_columns
from yarrow.sandbox.files.records import name_blank_keys

PADDED = "lines of different lengths were filled up with empty cells"

_TAB = "\t"
_TAB_NAMES = (".tsv", ".tab")
_DELIMITERS = (",", ";", _TAB, "|")
_MAX_LINE_BYTES = 16 * 1024 * 1024
_FIRST_BYTES = 1024 * 1024
_DIALECT = f"header = true, quote = '\"', escape = '\"', max_line_size = {_MAX_LINE_BYTES}"
_ANY_JSON = "JSON"
"""A column of values of different kinds; its texts are shown without the quotes of JSON."""
_WHOLE = "json"
"""The one column that DuckDB makes of values that are no records to it."""
_MAX_KEYS = 10_000
"""More than so many different keys are values, not columns."""
_NESTED = ("STRUCT", "MAP", "UNION")
_TOO_LONG_FOR_PARQUET = ("HUGEINT", "UHUGEINT")
"""It would be written as a floating number, without its last digits."""
_QUOTED_CELL = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True)
class Scan:
    """One way to read a file; `note` is what its owner should know about it."""

    relation: str
    columns: str = "*"
    note: str | None = None
    may_stay_whole: bool = True
    """Whether one column that holds all of each row is an answer."""


def scan_text(path: Path, filename: str, database: duckdb.DuckDBPyConnection) -> Iterator[Scan]:
    """Types are guessed from the first lines, then from all, then lines may be uneven."""
    with path.open("rb") as file:
        header = file.readline(_MAX_LINE_BYTES).decode("utf-8", "replace")
        first_lines = file.read(_FIRST_BYTES)
    delimiter = delimiter_of(header, filename)
    known = f"read_csv({quote_text(str(path))}, delim = {quote_text(delimiter)}, {_DIALECT}"
    if infinite := infinite_columns(first_lines, known, database):
        types = ", ".join(f"{quote_text(name)}: 'DOUBLE'" for name in infinite)
        yield Scan(f"{known}, types = {{{types}}})")
    yield Scan(f"{known})")
    yield Scan(f"{known}, sample_size = -1)")
    yield Scan(f"{known}, sample_size = -1, null_padding = true, strict_mode = false)", note=PADDED)


def delimiter_of(header: str, filename: str) -> str:
    """What the first line is cut at; a file without any such mark has one column."""
    name = filename.lower().removesuffix(".gz")
    if name.endswith(_TAB_NAMES):
        return _TAB
    bare = _QUOTED_CELL.sub("", header)
    counts = {mark: bare.count(mark) for mark in _DELIMITERS}
    return max(counts, key=counts.__getitem__)


def scan_cells(path: Path, columns: Mapping[str, str]) -> Scan:
    """A sheet we wrote ourselves: nothing has to be guessed."""
    typed = ", ".join(f"{quote_text(name)}: {quote_text(kind)}" for name, kind in columns.items())
    options = f"auto_detect = false, delim = ',', {_DIALECT}"
    return Scan(f"read_csv({quote_text(str(path))}, {options}, columns = {{{typed}}})")


def scan_json(path: Path, spare: Path) -> Iterator[Scan]:
    """Records whose keys are many, or blank, stay whole at first; `spare` is for a copy."""
    yield Scan(_read_json(path), may_stay_whole=False)
    wide = f"map_inference_threshold = {_MAX_KEYS}"
    yield Scan(_read_json(path, wide), may_stay_whole=False)
    if (named := name_blank_keys(path, spare)) is not None:
        yield Scan(_read_json(named, wide), may_stay_whole=False)
    yield Scan(_read_json(path))


def _read_json(path: Path, *options: str) -> str:
    limits = (f"maximum_object_size = {_MAX_LINE_BYTES}", "sample_size = -1")
    given = (quote_text(str(path)), *limits, "union_by_name = true", *options)
    return f"read_json({', '.join(given)})"


def stays_whole(natives: Mapping[str, str]) -> bool:
    """Whether the rows of JSON did not come apart into columns."""
    return list(natives) == [_WHOLE] and natives[_WHOLE].startswith((_ANY_JSON, "MAP"))


def scan_parquet(path: Path) -> Scan:
    return Scan(f"read_parquet({quote_text(str(path))})")


def flattened(natives: Mapping[str, str]) -> str:
    """Columns by name, in types that Parquet has: nested values become JSON text."""
    parts = [_flat(name, native) for name, native in natives.items() if name != ROW_ID]
    return ", ".join(parts)


def _flat(name: str, native: str) -> str:
    column = quote_name(name)
    if native == _ANY_JSON:
        return f"{column} ->> '$' AS {column}"
    if native.endswith("]") or native.startswith(_NESTED):
        return f"to_json({column})::VARCHAR AS {column}"
    if native in _TOO_LONG_FOR_PARQUET:
        return f"{column}::DECIMAL(38, 0) AS {column}"
    return f"{number_or_null(column, native)} AS {column}"
