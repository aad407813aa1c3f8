"""How DuckDB is asked for the rows of a file, and what is tried when the first way fails."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from yarrow.datasets.sandbox.duck import ROW_ID, number_or_null, quote_name, quote_text

PADDED = "lines of different lengths were filled up with empty cells"

_TAB = "\t"
_TAB_NAMES = (".tsv", ".tab")
_DELIMITERS = (",", ";", _TAB, "|")
_MAX_LINE_BYTES = 16 * 1024 * 1024
_DIALECT = f"header = true, quote = '\"', escape = '\"', max_line_size = {_MAX_LINE_BYTES}"
_ANY_JSON = "JSON"
"""A column of values of different kinds; its texts are shown without the quotes of JSON."""
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


def scan_text(path: Path, filename: str) -> Iterator[Scan]:
    """Types are guessed from the first lines, then from all, then lines may be uneven."""
    with path.open("rb") as file:
        header = file.readline(_MAX_LINE_BYTES).decode("utf-8", "replace")
    delimiter = delimiter_of(header, filename)
    known = f"read_csv({quote_text(str(path))}, delim = {quote_text(delimiter)}, {_DIALECT}"
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


def scan_json(path: Path) -> Scan:
    return Scan(
        f"read_json({quote_text(str(path))}, sample_size = -1, "
        f"maximum_object_size = {_MAX_LINE_BYTES}, union_by_name = true)"
    )


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
