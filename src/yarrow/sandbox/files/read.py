"""Convert one file to Parquet, or return its sheets with their first rows."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
from msgspec.structs import replace

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_text
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.files.cells import CellOptions, find_formats
from yarrow.sandbox.files.encodings import (
    DAMAGED_UTF8,
    UTF8,
    convert_to_utf8,
    read_sample,
    strip_bom,
    unpack_gzip,
)
from yarrow.sandbox.files.errors import FileUnreadable
from yarrow.sandbox.files.file_kind import (
    HEAD_BYTES,
    FileKind,
    detect_archive,
    detect_kind,
    detect_unsupported,
    has_no_rows,
    looks_like_text,
)
from yarrow.sandbox.files.hidden_cells import find_hidden
from yarrow.sandbox.files.infinite_cells import note_infinite
from yarrow.sandbox.files.rank_encodings import find_rival
from yarrow.sandbox.files.rounded_cells import note_rounded
from yarrow.sandbox.files.scan import (
    FileScan,
    apply_formats,
    flatten_columns,
    is_single_column,
    keep_worded_dates,
    note_nested,
    note_renamed_keys,
    require_columns,
    scan_cells,
    scan_json,
    scan_parquet,
)
from yarrow.sandbox.files.sheet_cells import ANY_CELL, write_cells
from yarrow.sandbox.files.sheet_marks import note_marks
from yarrow.sandbox.files.text_scan import scan_text
from yarrow.sandbox.files.total_row import leave_out_total
from yarrow.sandbox.files.workbook import choose_sheet, list_sheets, open_workbook, read_rows
from yarrow.sandbox.messages import (
    FileRequest,
    FileSheets,
    FileWritten,
    PreviewFile,
    ReadFile,
    Sheet,
)
from yarrow.sandbox.model import ROW_ID, Column, WrittenTable
from yarrow.sandbox.query_errors import explain_query_error
from yarrow.sandbox.table_notes import Sentence

_MESSAGES = {
    "sniffing file": Sentence.OPEN_QUOTE,
    "could not allocate": Sentence.NO_MEMORY,
    "failed to allocate": Sentence.NO_MEMORY,
    "failed to pin": Sentence.NO_MEMORY,
}
"""Parts of DuckDB's errors, and the message for the file's owner."""
_MAX_NOTES = 100
_PARQUET = "FORMAT parquet, USE_TMP_FILE false"
_BAD_JSON = re.compile(r"Malformed JSON .*? in (record|line)\S* (\d+)")
_KEY_TWICE = re.compile(r"in record/value (\d+):.* has duplicate key (\".*\")")
_BAD_LINE = re.compile(r"CSV Error on Line: (\d+)")
_QUOTED = re.compile(r"(?:\b(?:the )?file )?(?:\"[^\"]*/[^\"]*\"|'[^']*/[^']*')")


class _SingleColumn(Exception):
    """The result is one column of whole records; the next scan may split them."""


def read_file(request: ReadFile, database: duckdb.DuckDBPyConnection) -> FileWritten:
    """Every row of the file, up to the limit, in the order of the file.

    A JSON array without rows has no columns, and nothing is written.
    """
    database.execute(f"SET memory_limit = '{request.memory_mb}MB'")
    file, kind, notes = _prepare_file(request)
    if kind is FileKind.WORKBOOK:
        sheets = list_sheets(open_workbook(file, max_bytes=request.max_bytes))
        sheet, notes = choose_sheet(sheets, hint=request.sheet_name, table_name=request.table_name)
        if (scan := _scan_sheet(file, sheet, request, database)) is None:
            raise FileUnreadable(Sentence.EMPTY_SHEET, name=sheet)
        scans = iter([scan])
    elif kind is FileKind.JSON and has_no_rows(_read_head(file)):
        return FileWritten(WrittenTable([], 0, notes))
    else:
        scans = _list_scans(file, kind, request, database)
    return _write_first_readable(scans, kind, request, database, notes)


def preview_file(request: PreviewFile, database: duckdb.DuckDBPyConnection) -> FileSheets:
    """Each sheet's columns and first rows; other files have one sheet, named like the file."""
    database.execute(f"SET memory_limit = '{request.memory_mb}MB'")
    file, kind, notes = _prepare_file(request)
    if kind is FileKind.JSON and has_no_rows(_read_head(file)):
        return FileSheets([Sheet(request.filename, [], [], 0)])
    if kind is not FileKind.WORKBOOK:
        scans = _list_scans(file, kind, request, database)
        return FileSheets(
            [_preview_first_readable(request.filename, scans, kind, request, database, notes)]
        )
    sheets = list_sheets(open_workbook(file, max_bytes=request.max_bytes))
    return FileSheets([_preview_sheet(file, sheet.name, request, database) for sheet in sheets])


def _prepare_file(request: FileRequest) -> tuple[Path, FileKind, list[CodedNote]]:
    """The file decompressed, and in UTF-8 if it is text; its kind; notes for its owner."""
    file = unpack_gzip(Path(request.source), Path(request.unpacked), max_bytes=request.max_bytes)
    head = _read_head(file)
    if not head.removeprefix(b"\xef\xbb\xbf").strip():
        raise FileUnreadable(Sentence.EMPTY_FILE)
    _refuse_unsupported(head)
    kind = detect_kind(head, request.filename)
    if kind in {FileKind.WORKBOOK, FileKind.PARQUET}:
        return file, kind, []
    text, encoding = convert_to_utf8(
        file, Path(request.decoded), max_bytes=request.max_bytes, encoding=request.encoding
    )
    head = _read_head(text)
    if not looks_like_text(head):
        raise FileUnreadable(Sentence.NO_TABLE)
    _refuse_unsupported(head)
    kind = detect_kind(head, request.filename)
    if kind is FileKind.JSON:
        text = strip_bom(text, Path(request.decoded))
    is_named = request.encoding is not None
    return text, kind, _note_encoding(file, encoding, is_named=is_named)


def _note_encoding(file: Path, encoding: str, *, is_named: bool) -> list[CodedNote]:
    """Notes of a text in another encoding than UTF-8."""
    if encoding == UTF8:
        return []
    if encoding == DAMAGED_UTF8:
        return [write_note(Sentence.DAMAGED_TEXT)]
    rival = None if is_named else find_rival(read_sample(file), encoding)
    if rival is None:
        return [write_note(Sentence.ENCODING, encoding=encoding)]
    return [write_note(Sentence.GUESSED_ENCODING, encoding=encoding, rival=rival)]


def _refuse_unsupported(head: bytes) -> None:
    if (packing := detect_archive(head)) is not None:
        raise FileUnreadable(Sentence.PACKED, format=write_note(packing))
    if (format_name := detect_unsupported(head)) is not None:
        raise FileUnreadable(Sentence.NOT_A_TABLE, format=write_note(format_name))


def _read_head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(HEAD_BYTES)


def _list_scans(
    file: Path,
    kind: FileKind,
    request: FileRequest,
    database: duckdb.DuckDBPyConnection,
) -> Iterator[FileScan]:
    match kind:
        case FileKind.JSON:
            work_files = (Path(request.decoded), Path(request.unpacked))
            yield from scan_json(file, next(free for free in work_files if free != file))
        case FileKind.PARQUET:
            yield scan_parquet(file, database)
        case _:
            yield from scan_text(file, request.filename, database, day_first=request.day_first)


def _preview_sheet(
    file: Path, name: str, request: PreviewFile, database: duckdb.DuckDBPyConnection
) -> Sheet:
    """An empty sheet is listed too."""
    scan = _scan_sheet(file, name, request, database)
    if scan is None:
        return Sheet(name, [], [], 0)
    return _preview_first_readable(name, iter([scan]), FileKind.WORKBOOK, request, database)


def _scan_sheet(
    file: Path,
    sheet: str,
    request: FileRequest,
    database: duckdb.DuckDBPyConnection,
) -> FileScan | None:
    """None if no cell of the sheet is filled."""
    workbook = open_workbook(file, max_bytes=request.max_bytes)
    cells_file = Path(request.decoded)
    with cells_file.open("w", encoding=UTF8, newline="") as target:
        cells = write_cells(*read_rows(workbook, sheet), target)
    if not cells.columns:
        return None
    scan = scan_cells(cells_file, cells.columns)
    texts = [name for name, kind in cells.columns.items() if kind == ANY_CELL]
    options = CellOptions(day_first=request.day_first, decimal_comma=False, is_comma_free=False)
    formats = find_formats(scan.relation, texts, database, options, texts=set(texts))
    read = {cell_format.column for cell_format in formats if cell_format.expression}
    mixed = (note for name, note in cells.mixed.items() if name not in read)
    notes = (*cells.notes, *mixed, *note_marks(file, sheet, cells))
    return apply_formats(replace(scan, notes=notes), formats)


def _write_first_readable(
    scans: Iterator[FileScan],
    kind: FileKind,
    request: ReadFile,
    database: duckdb.DuckDBPyConnection,
    notes: list[CodedNote],
) -> FileWritten:
    failure = FileUnreadable(Sentence.CANNOT_BE_READ)
    target = quote_text(request.target)
    for scan in scans:
        try:
            flat = leave_out_total(_flatten_scan(scan, database), database)
            query = f"FROM {flat.relation} SELECT {flat.columns} LIMIT {request.max_rows}"
            database.execute(f"COPY ({query}) TO {target} {_write_parquet_options(flat)}")
            columns, count = measure_parquet(database, request.target)
            if count == request.max_rows and _has_more(flat, request.max_rows, database):
                notes.append(write_note(Sentence.FIRST_ROWS, rows=request.max_rows))
        except (duckdb.Error, UnicodeDecodeError, _SingleColumn) as error:
            failure = _explain_error(error, kind)
            continue
        if count == 0:
            notes.append(write_note(Sentence.NO_ROWS))
        infinite = note_infinite(flat, database, request.target, rows=count)
        rounded = note_rounded(flat, database, request.target)
        told = _limit_notes([*notes, *flat.notes, *infinite, *rounded])
        return FileWritten(WrittenTable(columns, count, told))
    raise failure


def _preview_first_readable(
    name: str,
    scans: Iterator[FileScan],
    kind: FileKind,
    request: PreviewFile,
    database: duckdb.DuckDBPyConnection,
    notes: Sequence[CodedNote] = (),
) -> Sheet:
    failure = FileUnreadable(Sentence.CANNOT_BE_READ)
    for scan in scans:
        try:
            flat = leave_out_total(_flatten_scan(scan, database), database)
            counted = database.execute(f"FROM {flat.relation} SELECT count(*)").fetchone()
            query = f"FROM {flat.relation} SELECT {flat.columns} LIMIT {request.max_rows}"
            database.execute(query)
            columns = duckdb_session.list_result_columns(database)
            rows, _ = duckdb_session.fetch_rows(
                database, columns, max_rows=request.max_rows, max_bytes=request.max_bytes
            )
        except (duckdb.Error, _SingleColumn) as error:
            failure = _explain_error(error, kind)
            continue
        told = _limit_notes([*notes, *flat.notes])
        return Sheet(name, columns, rows, counted[0] if counted else 0, told)
    raise failure


def _limit_notes(notes: list[CodedNote]) -> list[CodedNote]:
    """At most `_MAX_NOTES`: thousands of columns may have one each."""
    more = len(notes) - _MAX_NOTES
    if more <= 0:
        return notes
    return [*notes[:_MAX_NOTES], write_note(Sentence.MORE_NOTES, count=more)]


def _flatten_scan(scan: FileScan, database: duckdb.DuckDBPyConnection) -> FileScan:
    """The same rows, nested values as text."""
    database.execute(f"FROM {scan.relation} SELECT {scan.columns} LIMIT 0")
    natives = duckdb_session.list_native_types(database)
    if (kept := keep_worded_dates(scan, natives)) is not scan:
        return _flatten_scan(replace(kept, is_json=False), database)
    require_columns(len(natives))
    if is_single_column(natives) and not scan.may_be_single:
        raise _SingleColumn
    taken = [write_note(Sentence.NAME_TAKEN, name=ROW_ID)] if ROW_ID in natives else []
    renamed = note_renamed_keys(natives, scan.text) if scan.is_json else []
    notes = (*scan.notes, *taken, *renamed, *note_nested(natives))
    intervals = [n for n, native in natives.items() if native == duckdb_session.DURATION]
    durations = (*scan.durations, *intervals)
    if durations:
        notes = (*notes, write_note(Sentence.IN_SECONDS, names=[*durations]))
    if zoned := [name for name, native in natives.items() if native == duckdb_session.ZONED]:
        notes = (*notes, write_note(Sentence.IN_UTC, names=[*zoned]))
    texts = [n for n, native in natives.items() if native == "VARCHAR" and n not in scan.casts]
    shown = find_hidden(scan, texts, database)
    columns = flatten_columns(natives, {**shown.casts, **scan.casts})
    return replace(scan, columns=columns, notes=(*notes, *shown.notes), durations=durations)


def _write_parquet_options(scan: FileScan) -> str:
    keys = {
        duckdb_session.SECONDS_KEY: scan.durations,
        duckdb_session.PERCENT_KEY: scan.percents,
    }
    named = [
        f"{key}: {quote_text(duckdb_session.describe_unit(names).decode())}"
        for key, names in keys.items()
        if names
    ]
    return f"({_PARQUET}, KV_METADATA {{{', '.join(named)}}})" if named else f"({_PARQUET})"


def _has_more(scan: FileScan, rows: int, database: duckdb.DuckDBPyConnection) -> bool:
    return bool(database.execute(f"FROM {scan.relation} OFFSET {rows} LIMIT 1").fetchall())


def measure_parquet(database: duckdb.DuckDBPyConnection, path: str) -> tuple[list[Column], int]:
    """The columns and the number of rows of a Parquet file."""
    where = f"read_parquet({quote_text(path)})"
    database.execute(f"FROM {where} LIMIT 0")
    columns = duckdb_session.list_result_columns(database)
    counted = database.execute(f"FROM {where} SELECT count(*)").fetchone()
    return columns, counted[0] if counted else 0


def _explain_error(error: Exception, kind: FileKind) -> FileUnreadable:
    """A message for the file's owner; else the first line of DuckDB's, without our paths.

    What DuckDB says of a Parquet file is about bytes.
    """
    text = str(error).partition("\n")[0].partition(": ")[2]
    for part, message in _MESSAGES.items():
        if part in text:
            return FileUnreadable(message)
    if kind is FileKind.PARQUET:
        return FileUnreadable(Sentence.BROKEN_PARQUET)
    if broken := _BAD_JSON.search(text):
        place = Sentence.AT_LINE if broken[1] == "line" else Sentence.AT_RECORD
        return FileUnreadable(Sentence.BROKEN_JSON, place=write_note(place, number=broken[2]))
    if twice := _KEY_TWICE.search(text):
        return FileUnreadable(Sentence.KEY_TWICE, number=twice[1], key=twice[2])
    if not text:
        return FileUnreadable(Sentence.CANNOT_BE_READ)
    if line := _BAD_LINE.match(text):
        return FileUnreadable(Sentence.ODD_LINE, number=line[1])
    text = _QUOTED.sub("the file", explain_query_error(text))[:300]
    return FileUnreadable(Sentence.OTHER, text=text)
