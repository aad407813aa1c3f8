"""Excel workbooks: which sheet is meant, and its cells as CSV with types that Excel knew."""

import csv
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TextIO

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook

from yarrow.kit.json import JsonValue
from yarrow.sandbox.files.failure import Unreadable

_ANY = "VARCHAR"
_TYPES: dict[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    datetime: "TIMESTAMP",
    date: "DATE",
}
_WIDER = {
    frozenset(("BIGINT", "DOUBLE")): "DOUBLE",
    frozenset(("DATE", "TIMESTAMP")): "TIMESTAMP",
}


@dataclass(slots=True)
class Cells:
    """A sheet on its way out: the types of its columns, as far as its cells have shown them."""

    header: list[str]
    types: list[str | None] = field(default_factory=list)
    rows: int = 0

    def columns(self) -> dict[str, str]:
        return {name: kind or _ANY for name, kind in zip(self.header, self.types, strict=True)}


def open_workbook(source: Path, *, max_bytes: int) -> CalamineWorkbook:
    """The workbook, unless unpacking it would take more than it may."""
    data = source.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > max_bytes:
                raise Unreadable(f"unpacked, the workbook has more than {max_bytes} bytes")
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(data))
    except CalamineError:
        raise Unreadable("the workbook is broken, or protected by a password") from None


def choose_sheet(names: Sequence[str], *, hint: str | None, table_name: str) -> str:
    """The hinted sheet; else the one the table's name ends with or contains; else the first."""
    if not names:
        raise Unreadable("the workbook has no sheets")
    if hint is not None:
        same = [name for name in names if name == hint]
        alike = [name for name in names if name.lower() == hint.strip().lower()]
        if same or alike:
            return (same or alike)[0]
    wanted = table_name.lower()
    ends = [name for name in names if wanted.endswith(name.strip().lower())]
    within = [name for name in names if name.strip().lower() in wanted]
    return next(iter([*ends, *within, *names]))


def write_cells(sheet: CalamineSheet, target: TextIO, *, max_rows: int | None = None) -> Cells:
    """The sheet as CSV with a header; empty cells are empty, and text is quoted."""
    rows = iter(sheet.to_python(skip_empty_area=True))
    header = unique_names([_text(cell) for cell in next(rows, [])])
    cells = Cells(header, [None] * len(header))
    writer = csv.writer(target, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        if max_rows is not None and cells.rows >= max_rows:
            break
        _note_types(cells, row)
        writer.writerow([_text(cell) for cell in row])
        cells.rows += 1
    return cells


def unique_names(names: Sequence[str]) -> list[str]:
    """Empty names get their position, repeated ones a number; case does not tell them apart."""
    found: dict[str, str] = {}
    for position, name in enumerate(names, 1):
        plain = name.strip() or f"column_{position}"
        unique, number = plain, 2
        while unique.lower() in found:
            unique, number = f"{plain}_{number}", number + 1
        found[unique.lower()] = unique
    return list(found.values())


def _note_types(cells: Cells, row: Sequence[JsonValue]) -> None:
    for position, cell in enumerate(row):
        if cell == "" or cell is None:
            continue
        known, seen = cells.types[position], _type_of(cell)
        both = frozenset((known or seen, seen))
        cells.types[position] = seen if len(both) == 1 else _WIDER.get(both, _ANY)


def _type_of(cell: JsonValue) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return _TYPES[int]
    return _TYPES.get(type(cell), _ANY)


def _text(cell: JsonValue) -> str:
    match cell:
        case float() if cell.is_integer() and abs(cell) < 2**53:
            return str(int(cell))
        case datetime():
            return cell.isoformat(sep=" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return str(cell)
        case None:
            return ""
        case _:
            return str(cell)
