"""Scan CSV and similar texts: dialects, names and types of columns, in the order they are tried."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
from msgspec import Struct
from msgspec.structs import replace

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.files.cell_sql import has_match, is_match
from yarrow.sandbox.files.cells import CellFormat, CellOptions, find_formats
from yarrow.sandbox.files.date_forms import DATED, check_dates
from yarrow.sandbox.files.delimiters import (
    MAX_LINE_BYTES,
    are_rows,
    detect_delimiter,
    read_declared,
    read_lines,
)
from yarrow.sandbox.files.header import ColumnNames, name_columns
from yarrow.sandbox.files.infinite_columns import find_infinite_columns
from yarrow.sandbox.files.number_forms import NumberForms, find_dotted, find_powers
from yarrow.sandbox.files.scan import LINE_LIMIT, QUOTED, FileScan, apply_formats, require_columns
from yarrow.sandbox.files.text_marks import may_have_codes, may_have_powers
from yarrow.sandbox.files.total_row import find_total_line, note_early_total
from yarrow.sandbox.table_notes import Sentence

_FIRST_BYTES = 1024 * 1024
_SKIP_ONE = "skip = 1"
_PAD = "null_padding = true"
_ALL_ROWS = "sample_size = -1"
_LONG_LINES = "long_lines"
_MAX_LONG = 10_000
_DATES = frozenset(("DATE", "TIMESTAMP"))
_NUMBERS = frozenset(("BIGINT", "DOUBLE", "HUGEINT", "INTEGER"))
_BOOLEANS = ("(?i:true|false)", "(?i:t|f)")
"""Forms of which all cells of a column have one."""
_TEXT_OR_DATE = _DATES | {"VARCHAR", "TIME"}


class TextFile(Struct, frozen=True):
    """A text in UTF-8, and what is known of it."""

    path: Path
    first_lines: bytes
    """Those behind the first one."""
    delimiter: str
    day_first: bool

    @property
    def cell_options(self) -> CellOptions:
        return CellOptions(
            day_first=self.day_first,
            decimal_comma=self.delimiter == ";",
            is_comma_free=self.delimiter != ",",
        )


def scan_text(
    path: Path, filename: str, database: duckdb.DuckDBPyConnection, *, day_first: bool
) -> Iterator[FileScan]:
    """Read the text by the rules of CSV; then accept short lines, quotes that do not pair up and
    line ends of several kinds."""
    with path.open("rb") as file:
        header = file.readline(MAX_LINE_BYTES)
        first_lines = file.read(_FIRST_BYTES)
    declared = read_declared(header)
    delimiter = declared or detect_delimiter(header + first_lines, filename)
    where = f"read_csv({quote_text(str(path))}, delim = {quote_text(delimiter)}, {LINE_LIMIT}"
    where = f"{where}, {_SKIP_ONE}" if declared else where
    text = TextFile(path, first_lines, delimiter, day_first=day_first)
    lines = read_lines(path, _count_skipped(f"{where}, {QUOTED}, header = true", database))
    notes: tuple[CodedNote, ...] = ()
    padded = write_note(Sentence.PADDED)
    if are_rows(path, lines, delimiter):
        yield from _scan_dialect(f"{where}, {QUOTED}, {_PAD}", text, database, (padded,))
    elif any(line.strip() for line in lines) and not declared:
        count = len(lines)
        notes = (write_note(Sentence.SKIPPED_LINES, count=count, begin=count + 1),)
    has_quotes = b'"' in header + first_lines
    loose = (write_note(Sentence.LOOSE_QUOTES),) if has_quotes else ()
    for dialect, told in (
        (QUOTED, ()),
        (f"{QUOTED}, {_PAD}", (padded,)),
        ("quote = '', escape = ''", (write_note(Sentence.UNPAIRED_QUOTES),)),
        (f"{QUOTED}, strict_mode = false", loose),
        (f"{QUOTED}, {_PAD}, strict_mode = false", (padded, *loose)),
    ):
        yield from _scan_dialect(f"{where}, {dialect}", text, database, (*notes, *told))


def _scan_dialect(
    reader: str, text: TextFile, database: duckdb.DuckDBPyConnection, notes: tuple[CodedNote, ...]
) -> Iterator[FileScan]:
    """Nothing if DuckDB cannot tell the columns of the first lines."""
    found = _read_types(f"{reader}, header = true)", database)
    if not found:
        return
    width = _find_width(reader, len(found), database) if _PAD in reader else len(found)
    require_columns(width)
    others = (f"column_{position}" for position in range(len(found) + 1, width + 1))
    named = _name_columns(reader, [*found, *others], database)
    names = ", ".join(map(quote_text, named.names))
    is_header = "false" if named.is_headless else "true"
    known = f"{reader}, header = {is_header}, names = [{names}]"
    blank = _find_blank(known, named.unnamed, database)
    columns = f"* EXCLUDE ({', '.join(map(quote_name, blank))})" if blank else "*"
    total = find_total_line(text.path, text.delimiter)
    told = (*notes, *named.list_notes(blank), *note_early_total(text.path, text.delimiter))
    for scan in _try_scans(known, text, database, ignored=blank):
        yield replace(
            scan,
            columns=columns,
            notes=(*told, *scan.notes),
            text=text.path,
            total_line=total,
        )


def _find_width(reader: str, columns: int, database: duckdb.DuckDBPyConnection) -> int:
    """The cells of the longest line; DuckDB counts those of the first lines only."""
    rejects = f"store_rejects = true, rejects_table = '{_LONG_LINES}', rejects_limit = {_MAX_LONG}"
    query = f"FROM {reader}, header = true, all_varchar = true, {rejects}) SELECT count(*)"
    try:
        database.execute(query).fetchall()
        longest = database.execute(f"FROM {_LONG_LINES} SELECT max(column_idx)").fetchone()
        database.execute(f"DROP TABLE {_LONG_LINES}")
    except duckdb.Error:
        return columns  # explained when the rows are read
    return max(columns, longest[0] or 0) if longest else columns


def _name_columns(
    reader: str, found: Sequence[str], database: duckdb.DuckDBPyConnection
) -> ColumnNames:
    """Names by the first two rows, if DuckDB begins there without a header as well."""
    query = f"FROM {reader}, header = false, all_varchar = true) LIMIT 2"
    try:
        rows = database.execute(query).fetchall()
    except duckdb.Error:
        rows = []
    width = len(found)
    first, second = [[*row[:width], *[None] * (width - len(row))] for row in (*rows, (), ())][:2]
    if all(name.startswith((cell or "").strip()) for name, cell in zip(found, first, strict=True)):
        return name_columns(first, second, row=Sentence.LINE)
    return ColumnNames(list(found), list(found))


def _find_blank(known: str, names: Sequence[str], database: duckdb.DuckDBPyConnection) -> list[str]:
    """Those of the unnamed columns that have no value."""
    if not names:
        return []
    counts = ", ".join(f"count({quote_name(name)})" for name in names)
    try:
        row = database.execute(f"FROM {known}, all_varchar = true) SELECT {counts}").fetchone()
    except duckdb.Error:
        return []  # explained when the rows are read
    return [name for name, count in zip(names, row or (), strict=True) if not count]


def _try_scans(
    known: str,
    text: TextFile,
    database: duckdb.DuckDBPyConnection,
    *,
    ignored: Sequence[str],
) -> Iterator[FileScan]:
    """Detect types from all lines: below whole numbers in the first ones DuckDB rounds 1.5, and
    below dates it cuts times off."""
    types = dict.fromkeys(find_infinite_columns(text.first_lines, known, database), "DOUBLE")
    first, known = known, f"{known}, {_ALL_ROWS}"
    natives = _read_types(f"{known})", database)
    if natives == _read_types(f"{first})", database):
        known = first
    names = [n for n, native in natives.items() if native in _TEXT_OR_DATE and n not in ignored]
    texts = {name for name in names if natives[name] == "VARCHAR" and name not in types}
    cells = f"{known}, all_varchar = true)"
    formats = find_formats(cells, names, database, text.cell_options, texts=texts)
    numbers = [name for name, native in natives.items() if native in _NUMBERS]
    forms = _find_number_forms(cells, numbers, text, database, formats=formats)
    formats += forms.formats
    formatted = {cell_format.column for cell_format in formats}
    kinds = {"BOOLEAN"} | (_NUMBERS if may_have_codes(text.path, text.delimiter) else set())
    checked = {
        name: native
        for name, native in natives.items()
        if native in kinds and name not in formatted
    }
    dated = {
        n: kind for n, kind in natives.items() if kind in DATED and n not in {*formatted, *types}
    }
    dates = check_dates(cells, dated, database)
    spelled = dict.fromkeys([*_find_spelled(known, checked, database), *forms.codes], "VARCHAR")
    spelled |= dates.types
    told = (*forms.notes, *dates.notes)
    if formats:
        yield _scan_typed(
            known, types | spelled | dict.fromkeys(formatted, "VARCHAR"), formats, told
        )
    if types:
        yield _scan_typed(known, types | spelled, notes=told)
    yield _scan_typed(known, spelled, notes=told)
    yield _scan_typed(f"{first}, {_ALL_ROWS}", spelled, notes=told)
    if mixed := [name for name, native in natives.items() if native in _DATES]:
        yield _scan_mixed_dates(first, types | spelled, formats, dates=mixed, database=database)


def _find_number_forms(
    cells: str,
    numbers: Sequence[str],
    text: TextFile,
    database: duckdb.DuckDBPyConnection,
    *,
    formats: Sequence[CellFormat],
) -> NumberForms:
    forms = NumberForms()
    if may_have_powers(text.path):
        find_powers(cells, numbers, database, forms)
    if text.cell_options.decimal_comma:
        is_thousands = any(cell_format.has_decimal_comma for cell_format in formats)
        find_dotted(cells, numbers, database, forms, is_thousands=is_thousands)
    return forms


def _find_spelled(
    known: str, natives: Mapping[str, str], database: duckdb.DuckDBPyConnection
) -> list[str]:
    """Columns whose text says more than the type that DuckDB finds, in any row of the file.

    A zero before digits belongs to a code (00123), `Yes` is not `true`, 0x1F and 0b11 are no
    quantities; `t` and `f` are how PostgreSQL writes booleans.
    Patterns, because DuckDB plans comparisons of two thousand columns for minutes.
    """
    checks = {
        name: f"bool_or({has_match(name, '^[-+]?0[0-9xXbB]')})"
        if native in _NUMBERS
        else " AND ".join(f"bool_or(NOT {is_match(name, form)})" for form in _BOOLEANS)
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
    reader = f"{known}, {_ALL_ROWS}"
    types = {**types, **{cell_format.column: "VARCHAR" for cell_format in formats}}
    unknown = [name for name in dates if name not in types]
    texts = dict.fromkeys(unknown, "VARCHAR")
    read: list[str] = []
    for name in unknown:
        others = {other: kind for other, kind in texts.items() if other != name}
        if _can_read([*read, name], _scan_typed(reader, types | others).relation, database):
            read.append(name)
            texts = others
    mixed = _scan_typed(reader, types | texts, formats)
    notes = (write_note(Sentence.MIXED_DATES, name=[*texts]),) if texts else ()
    return replace(mixed, notes=(*notes, *mixed.notes))


def _can_read(names: Sequence[str], relation: str, database: duckdb.DuckDBPyConnection) -> bool:
    counts = ", ".join(f"count({quote_name(name)})" for name in names)
    try:
        database.execute(f"FROM {relation} SELECT {counts}").fetchall()
    except duckdb.Error:
        return False
    return True


def _count_skipped(reader: str, database: duckdb.DuckDBPyConnection) -> int:
    """How many lines DuckDB leaves out: it begins where lines have the most cells."""
    sniffer = reader.replace("read_csv(", "sniff_csv(", 1)
    try:
        row = database.execute(f"FROM {sniffer}) SELECT SkipRows").fetchone()
    except duckdb.Error:
        return 0  # explained when the rows are read
    return int(row[0]) if row else 0


def _scan_typed(
    reader: str,
    types: Mapping[str, str],
    formats: Sequence[CellFormat] = (),
    notes: tuple[CodedNote, ...] = (),
) -> FileScan:
    listed = ", ".join(f"{quote_text(name)}: '{kind}'" for name, kind in types.items())
    typed = f", types = {{{listed}}}" if types else ""
    return apply_formats(FileScan(f"{reader}{typed})", notes=notes), formats)


def _read_types(relation: str, database: duckdb.DuckDBPyConnection) -> Mapping[str, str]:
    """Columns with the types that DuckDB finds; it guesses the order of dates."""
    try:
        database.execute(f"FROM {relation} LIMIT 0")
    except duckdb.Error:
        return {}
    return duckdb_session.list_native_types(database)
