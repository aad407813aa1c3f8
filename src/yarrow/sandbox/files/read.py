"""Read: one file becomes one Parquet file, or a look at its first rows."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb

from yarrow.sandbox import duckdb_session
from yarrow.sandbox.files.decode import UTF8, as_utf8, unpack, without_mark
from yarrow.sandbox.files.failure import Unreadable
from yarrow.sandbox.files.kind import (
    HEAD_BYTES,
    FileKind,
    foreign_kind,
    has_no_rows,
    kind_of,
    looks_like_text,
)
from yarrow.sandbox.files.scan import (
    Scan,
    flattened,
    scan_cells,
    scan_json,
    scan_parquet,
    scan_text,
    stays_whole,
)
from yarrow.sandbox.files.workbook import choose_sheet, open_workbook, write_cells
from yarrow.sandbox.model import Column, WrittenTable
from yarrow.sandbox.protocol import PreviewFile, ReadFile, Sheet, Sheets, Written

_BROKEN_PARQUET = "the Parquet file is broken or cut off"
_OTHER_SHEET = "there is no sheet {hint}; {chosen} was read"
_NAME_TAKEN = f"the column {duckdb_session.ROW_ID} was left out: rows are numbered under this name"
_CLEARER = {
    "sniffing file": "the lines cannot be cut into columns; a quote may not be closed",
    "magic bytes": _BROKEN_PARQUET,
    "Footer": _BROKEN_PARQUET,
    "TProtocol": _BROKEN_PARQUET,
}
"""What DuckDB says, and what its words mean to the one who brought the file."""
_FIRST_ROWS = "only the first {rows} rows were kept"
_PARQUET = "(FORMAT parquet, USE_TMP_FILE false)"
_QUOTED = re.compile(r"(?:\b(?:the )?file )?(?:\"[^\"]*/[^\"]*\"|'[^']*/[^']*')")


class _Whole(Exception):
    """The rows are one column; another way may take them apart."""


def read_file(order: ReadFile, database: duckdb.DuckDBPyConnection) -> Written:
    """Every row of the file, up to the limit, in the order of the file.

    A JSON array without rows has no columns, and nothing is written.
    """
    database.execute(f"SET memory_limit = '{order.memory_mb}MB'")
    file, kind, notes = _prepare(order)
    if kind is FileKind.WORKBOOK:
        names = open_workbook(file, max_bytes=order.max_bytes).sheet_names
        sheet = choose_sheet(names, hint=order.sheet_name, table_name=order.table_name)
        notes += _sheet_notes(order.sheet_name, sheet)
        if (scan := _sheet_scan(file, sheet, order)) is None:
            raise Unreadable(f"the sheet {sheet} is empty")
        scans = iter([scan])
    elif kind is FileKind.JSON and has_no_rows(_head(file)):
        return Written(WrittenTable([], 0, notes))
    else:
        scans = _scans(file, kind, order, database)
    return _write(scans, order, database, notes)


def preview_file(order: PreviewFile, database: duckdb.DuckDBPyConnection) -> Sheets:
    """Each sheet's columns and first rows; other files have one sheet, named like the file."""
    database.execute(f"SET memory_limit = '{order.memory_mb}MB'")
    file, kind, _ = _prepare(order)
    if kind is FileKind.JSON and has_no_rows(_head(file)):
        return Sheets([Sheet(order.filename, [], [], 0)])
    if kind is not FileKind.WORKBOOK:
        scans = _scans(file, kind, order, database)
        return Sheets([_look(order.filename, scans, order, database)])
    names = open_workbook(file, max_bytes=order.max_bytes).sheet_names
    return Sheets([_look_at_sheet(file, name, order, database) for name in names])


def _prepare(order: ReadFile | PreviewFile) -> tuple[Path, FileKind, list[str]]:
    """The file without its wrappings, in UTF-8 if it is text."""
    file = unpack(Path(order.source), Path(order.unpacked), max_bytes=order.max_bytes)
    head = _head(file)
    if not head.removeprefix(b"\xef\xbb\xbf").strip():
        raise Unreadable("the file is empty")
    _refuse_foreign(head)
    kind = kind_of(head, order.filename)
    if kind in {FileKind.WORKBOOK, FileKind.PARQUET}:
        return file, kind, []
    text, encoding = as_utf8(file, Path(order.decoded), max_bytes=order.max_bytes)
    head = _head(text)
    if not looks_like_text(head):
        raise Unreadable("the file is no text, and no table of a kind we read")
    _refuse_foreign(head)
    notes = [] if encoding == UTF8 else [f"the text was read as {encoding}"]
    kind = kind_of(head, order.filename)
    if kind is FileKind.JSON:
        text = without_mark(text, Path(order.decoded))
    return text, kind, notes


def _refuse_foreign(head: bytes) -> None:
    if (foreign := foreign_kind(head)) is not None:
        raise Unreadable(f"the file is {foreign}, not a table")


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(HEAD_BYTES)


def _sheet_notes(hint: str | None, chosen: str) -> list[str]:
    if hint is None or hint.strip().lower() == chosen.strip().lower():
        return []
    return [_OTHER_SHEET.format(hint=hint, chosen=chosen)]


def _scans(
    file: Path,
    kind: FileKind,
    order: ReadFile | PreviewFile,
    database: duckdb.DuckDBPyConnection,
) -> Iterator[Scan]:
    match kind:
        case FileKind.JSON:
            work_files = (Path(order.decoded), Path(order.unpacked))
            yield from scan_json(file, next(free for free in work_files if free != file))
        case FileKind.PARQUET:
            yield scan_parquet(file)
        case _:
            yield from scan_text(file, order.filename, database)


def _look_at_sheet(
    file: Path, name: str, order: PreviewFile, database: duckdb.DuckDBPyConnection
) -> Sheet:
    """A sheet that holds nothing is one of the workbook's all the same."""
    scan = _sheet_scan(file, name, order)
    if scan is None:
        return Sheet(name, [], [], 0)
    return _look(name, iter([scan]), order, database)


def _sheet_scan(file: Path, sheet: str, order: ReadFile | PreviewFile) -> Scan | None:
    """None if no cell of the sheet is filled."""
    workbook = open_workbook(file, max_bytes=order.max_bytes)
    cells_file = Path(order.decoded)
    with cells_file.open("w", encoding=UTF8, newline="") as target:
        cells = write_cells(workbook.get_sheet_by_name(sheet), target)
    return scan_cells(cells_file, cells.columns()) if cells.header else None


def _write(
    scans: Iterator[Scan],
    order: ReadFile,
    database: duckdb.DuckDBPyConnection,
    notes: list[str],
) -> Written:
    failure = "the file cannot be read"
    target = duckdb_session.quote_text(order.target)
    for scan in scans:
        try:
            flat = _flat(scan, database)
            query = f"FROM {flat.relation} SELECT {flat.columns} LIMIT {order.max_rows}"
            database.execute(f"COPY ({query}) TO {target} {_PARQUET}")
            columns, count = measure(database, order.target)
            if count == order.max_rows and _has_more(flat, order.max_rows, database):
                notes.append(_FIRST_ROWS.format(rows=order.max_rows))
        except (duckdb.Error, UnicodeDecodeError, _Whole) as error:
            failure = _words(error)
            continue
        told = [*notes, *([flat.note] if flat.note else [])]
        return Written(WrittenTable(columns, count, told))
    raise Unreadable(failure)


def _look(
    name: str, scans: Iterator[Scan], order: PreviewFile, database: duckdb.DuckDBPyConnection
) -> Sheet:
    failure = "the file cannot be read"
    for scan in scans:
        try:
            flat = _flat(scan, database)
            counted = database.execute(f"FROM {flat.relation} SELECT count(*)").fetchone()
            query = f"FROM {flat.relation} SELECT {flat.columns} LIMIT {order.max_rows}"
            database.execute(query)
            columns = duckdb_session.described(database)
            rows, _ = duckdb_session.fetch_rows(
                database, columns, max_rows=order.max_rows, max_bytes=order.max_bytes
            )
        except (duckdb.Error, _Whole) as error:
            failure = _words(error)
            continue
        return Sheet(name, columns, rows, counted[0] if counted else 0)
    raise Unreadable(failure)


def _flat(scan: Scan, database: duckdb.DuckDBPyConnection) -> Scan:
    """The same rows, nested values as text."""
    database.execute(f"FROM {scan.relation} SELECT {scan.columns} LIMIT 0")
    natives = duckdb_session.natives(database)
    if stays_whole(natives) and not scan.may_stay_whole:
        raise _Whole
    notes = [scan.note, _NAME_TAKEN if duckdb_session.ROW_ID in natives else None]
    note = "; ".join(note for note in notes if note) or None
    return replace(scan, columns=flattened(natives), note=note)


def _has_more(scan: Scan, rows: int, database: duckdb.DuckDBPyConnection) -> bool:
    return bool(database.execute(f"FROM {scan.relation} OFFSET {rows} LIMIT 1").fetchall())


def measure(database: duckdb.DuckDBPyConnection, path: str) -> tuple[list[Column], int]:
    """The columns and the number of rows of a Parquet file."""
    where = f"read_parquet({duckdb_session.quote_text(path)})"
    database.execute(f"FROM {where} LIMIT 0")
    columns = duckdb_session.described(database)
    counted = database.execute(f"FROM {where} SELECT count(*)").fetchone()
    return columns, counted[0] if counted else 0


def _words(error: Exception) -> str:
    """What DuckDB means, else the first line of what it says, without the names of our files."""
    said = str(error).partition("\n")[0].partition(": ")[2] or "the file cannot be read"
    for theirs, ours in _CLEARER.items():
        if theirs in said:
            return ours
    return _QUOTED.sub("the file", said)[:300]
