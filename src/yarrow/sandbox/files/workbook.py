"""Excel workbooks: choose a sheet, and write its cells as CSV with the types of its cells."""

import csv
import io
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TextIO

from msgspec import Struct, field
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook

from yarrow.sandbox.files.errors import FileUnreadable

ANY_CELL = "VARCHAR"
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


class SheetCells(Struct):
    """A sheet that is being written, with the column types that its cells have so far."""

    header: list[str]
    types: list[str | None] = field(default_factory=list)
    rows: int = 0

    def columns(self) -> dict[str, str]:
        return {name: kind or ANY_CELL for name, kind in zip(self.header, self.types, strict=True)}


def open_workbook(source: Path, *, max_bytes: int) -> CalamineWorkbook:
    """Open the workbook if its unpacked content has at most `max_bytes`."""
    data = source.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > max_bytes:
                raise FileUnreadable(f"unpacked, the workbook has more than {max_bytes} bytes")
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(data))
    except CalamineError:
        raise FileUnreadable("the workbook is broken, or protected by a password") from None


def choose_sheet(names: Sequence[str], *, hint: str | None, table_name: str) -> str:
    """The hinted sheet, else one that the table's name ends with or contains, else the first."""
    if not names:
        raise FileUnreadable("the workbook has no sheets")
    if hint is not None:
        same = [name for name in names if name == hint]
        alike = [name for name in names if name.lower() == hint.strip().lower()]
        if same or alike:
            return (same or alike)[0]
    name_lower = table_name.lower()
    ends = [name for name in names if name_lower.endswith(name.strip().lower())]
    within = [name for name in names if name.strip().lower() in name_lower]
    return next(iter([*ends, *within, *names]))


def write_cells(sheet: CalamineSheet, target: TextIO, *, max_rows: int | None = None) -> SheetCells:
    """Write the sheet as CSV with a header."""
    rows = iter(sheet.to_python(skip_empty_area=True))
    header = unique_names([_text(cell) for cell in next(rows, [])])
    cells = SheetCells(header, [None] * len(header))
    writer = csv.writer(target, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        if max_rows is not None and cells.rows >= max_rows:
            break
        _update_types(cells, row)
        writer.writerow([_text(cell) for cell in row])
        cells.rows += 1
    return cells


def unique_names(names: Sequence[str]) -> list[str]:
    """Name empty columns by position and number repeated ones, ignoring case."""
    taken: dict[str, str] = {}
    for position, name in enumerate(names, 1):
        plain = name.strip() or f"column_{position}"
        unique, number = plain, 2
        while unique.lower() in taken:
            unique, number = f"{plain}_{number}", number + 1
        taken[unique.lower()] = unique
    return list(taken.values())


def _update_types(cells: SheetCells, row: Sequence[object]) -> None:
    for position, cell in enumerate(row):
        if cell == "" or cell is None:
            continue
        known, kind = cells.types[position], _cell_type(cell)
        both = frozenset((known or kind, kind))
        cells.types[position] = kind if len(both) == 1 else _WIDER.get(both, ANY_CELL)


def _cell_type(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return _TYPES[int]
    return _TYPES.get(type(cell), ANY_CELL)


def _text(cell: object) -> str:
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
