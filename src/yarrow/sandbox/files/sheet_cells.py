"""Write the cells of a sheet as CSV, with the types they have, and note what was changed."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import TextIO

from msgspec import Struct, field
from python_calamine import CalamineSheet

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.files.header import name_columns
from yarrow.sandbox.files.layout import (
    LOOKED_AT,
    MergedCells,
    find_layout,
    is_filled,
    is_value,
    quote_rows,
    write_cell,
)
from yarrow.sandbox.files.total_row import LEFT_OUT, judge_last_row
from yarrow.sandbox.table_notes import Sentence

ANY_CELL = "VARCHAR"
_TYPES: dict[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    datetime: "TIMESTAMP",
    date: "DATE",
    time: "TIME",
    timedelta: "INTERVAL",
}
_WIDER = {
    frozenset(("BIGINT", "DOUBLE")): "DOUBLE",
    frozenset(("DATE", "TIMESTAMP")): "TIMESTAMP",
}
_MAX_FOOTNOTES = 5
_EXACT_DIGITS = 10**15
"""Excel keeps 15 digits of a number."""
_DAYS = range(25_569, 73_051)
"""1970 to 2099 as Excel counts days."""
_EPOCH = date(1899, 12, 30)
_DATE_NAME = re.compile(r"\bdate|date\b|\bday\b|datum|日期|日付|年月日|날짜", re.IGNORECASE)


class SheetCells(Struct, frozen=True):
    """A sheet that was written: types by column, and notes for its owner."""

    columns: dict[str, str]
    notes: list[CodedNote] = field(default_factory=list)
    mixed: dict[str, CodedNote] = field(default_factory=dict)
    """Notes about columns that are text because the types of their cells differ."""
    names: dict[int, str] = field(default_factory=dict)
    """Names by column of the sheet, from 0."""
    filled: dict[str, int] = field(default_factory=dict)
    """How many cells of a column are filled."""
    first_row: int = 0
    """The sheet's row of the first row of data, from 0."""


class _Column(Struct):
    """What the cells of a column are."""

    kinds: Counter[str] = field(default_factory=Counter)
    first_text: str = ""
    lowest: float = 0.0
    highest: float = 0.0

    def add(self, cell: object) -> None:
        kind = _find_cell_type(cell)
        if kind in {"BIGINT", "DOUBLE"}:
            number = float(cell)  # type: ignore[arg-type]
            is_first = not self.kinds["BIGINT"] + self.kinds["DOUBLE"]
            self.lowest = number if is_first else min(self.lowest, number)
            self.highest = number if is_first else max(self.highest, number)
        elif kind == ANY_CELL and not self.first_text:
            self.first_text = str(cell)
        self.kinds[kind] += 1

    def type(self) -> str:
        kinds = frozenset(self.kinds)
        return next(iter(kinds)) if len(kinds) == 1 else _WIDER.get(kinds, ANY_CELL)


def write_cells(sheet: CalamineSheet, rows: list[list[object]], target: TextIO) -> SheetCells:
    """Write the sheet as CSV with a header; a sheet without cells has no columns."""
    if not rows or sheet.start is None:
        return SheetCells({})
    top, left = sheet.start
    merged = _shift_merged(sheet, top, left)
    first_merged = [cells for cells in merged if cells.top < LOOKED_AT]
    layout = find_layout(rows[: 2 * LOOKED_AT], first_merged)
    below = rows[layout.begin + layout.header_rows :][:1]
    below_header = [write_cell(cell) for cell in (below or [[]])[0]]
    named = name_columns(layout.names, below_header, row=Sentence.ROW)
    first_row = layout.begin + (0 if named.is_headless else layout.header_rows)
    notes = list(layout.notes(rows))
    notes += _fill_down(rows, merged, named.names, first_row)
    kept, removed = _remove_rows(rows[first_row:], sheet_row=top + first_row + 1)
    filled = [any(map(is_filled, cells)) for cells in zip(*kept, strict=True)] if kept else []
    blank = [name for p, name in enumerate(named.names) if kept and not filled[p]]
    blank = [name for name in blank if name in named.unnamed]
    positions = [p for p, name in enumerate(named.names) if name not in blank]
    names = [named.names[p] for p in positions]
    columns = [_Column() for _ in names]
    writer = csv.writer(target, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerow(names)
    for row in kept:
        cells = [row[p] for p in positions]
        for column, cell in zip(columns, cells, strict=True):
            if cell != "" and cell is not None:
                column.add(cell)
        writer.writerow(map(write_cell, cells))
    described = dict(zip(names, columns, strict=True))
    return SheetCells(
        {name: column.type() if column.kinds else ANY_CELL for name, column in described.items()},
        [*notes, *removed, *named.list_notes(blank), *_note_numbers(described)],
        mixed={
            name: note
            for name, column in described.items()
            if (note := _note_mixed_column(name, column))
        },
        names={left + p: name for p, name in zip(positions, names, strict=True)},
        filled={name: column.kinds.total() for name, column in described.items()},
        first_row=top + first_row,
    )


def _shift_merged(sheet: CalamineSheet, top: int, left: int) -> list[MergedCells]:
    """Merged cells by their place among the rows that are not empty at the edges."""
    return [
        MergedCells(first_row - top, first - left, last_row - top, last - left)
        for (first_row, first), (last_row, last) in sheet.merged_cell_ranges or ()
        if first_row >= top and first >= left
    ]


def _fill_down(
    rows: list[list[object]], merged: Sequence[MergedCells], names: Sequence[str], first_row: int
) -> list[CodedNote]:
    """Repeat labels that are merged over several rows of data; a number would count repeatedly."""
    labels: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    across = 0
    for cells in merged:
        if not first_row <= cells.top < len(rows) or cells.left >= len(names):
            continue
        cell = rows[cells.top][cells.left]
        across += cells.right > cells.left
        if cells.bottom == cells.top or not is_filled(cell):
            continue
        name = names[cells.left]
        if isinstance(cell, float | int) and not isinstance(cell, bool):
            numbers[name] += 1
            continue
        labels[name] += 1
        for row in rows[cells.top + 1 : cells.bottom + 1]:
            row[cells.left] = cell
    notes = [
        write_note(Sentence.FILLED_DOWN, name=name, count=count) for name, count in labels.items()
    ]
    notes += [
        write_note(Sentence.MERGED_NUMBERS, name=name, count=count)
        for name, count in numbers.items()
    ]
    if across:
        notes.append(write_note(Sentence.MERGED_ACROSS, count=across))
    return notes


def _remove_rows(
    rows: Sequence[Sequence[object]], *, sheet_row: int
) -> tuple[list[Sequence[object]], list[CodedNote]]:
    """The rows without empty ones and without footnotes below the table."""
    notes: list[CodedNote] = []
    end = _find_footnotes(rows)
    footnotes = [row for row in rows[end:] if any(map(is_filled, row))]
    if footnotes:
        text = quote_rows(footnotes)
        notes.append(write_note(Sentence.ROWS_BELOW, count=len(footnotes), text=text))
    kept: list[Sequence[object]] = []
    empty = 0
    for at, row in enumerate(rows[:end]):
        if any(map(is_filled, row)):
            if at and not any(map(is_filled, rows[at - 1])) and _begins_table(kept, row):
                facts = {"number": str(sheet_row + at), "text": quote_rows([row])}
                notes.append(write_note(Sentence.OTHER_TABLE, **facts))
            kept.append(row)
        else:
            empty += 1
    if empty:
        notes.append(write_note(Sentence.EMPTY_ROWS, count=empty))
    told = judge_last_row(kept) if len(kept) > 1 else None
    if told is not None:
        notes.append(write_note(told, row=write_note(Sentence.ROW), text=quote_rows(kept[-1:])))
        kept = kept[:-1] if told in LEFT_OUT else kept
    return kept, notes


def _find_footnotes(rows: Sequence[Sequence[object]]) -> int:
    """Where the table ends: before an empty row that only single texts follow."""
    at = end = len(rows)
    texts = 0
    while at and (filled := [cell for cell in rows[at - 1] if is_filled(cell)])[1:] == []:
        at -= 1
        if not filled:
            end = at
        elif not isinstance(filled[0], str) or is_value(filled[0]) or len(rows[at]) < 2:
            break
        texts += len(filled)
    return end if at and texts <= _MAX_FOOTNOTES else len(rows)


def _begins_table(above: Sequence[Sequence[object]], row: Sequence[object]) -> bool:
    """Whether a row has only text, also below a number."""
    filled = [p for p, cell in enumerate(row) if is_filled(cell)]
    texts = all(isinstance(row[p], str) and not is_value(row[p]) for p in filled)
    return (
        bool(above)
        and len(filled) > 1
        and texts
        and any(is_filled(above[-1][p]) and is_value(above[-1][p]) for p in filled)
    )


def _note_mixed_column(name: str, column: _Column) -> CodedNote | None:
    """A note about a column of text cells and others."""
    texts, cells = column.kinds[ANY_CELL], column.kinds.total()
    if column.type() != ANY_CELL or texts == cells:
        return None
    if not texts:
        return write_note(Sentence.DIFFERENT_TYPES, name=name)
    text = column.first_text[:40]
    return write_note(Sentence.TEXT_CELLS, name=name, count=texts, cells=cells, example=text)


def _note_numbers(columns: dict[str, _Column]) -> list[CodedNote]:
    """Note numbers that may be wrong in the workbook itself, or not be meant as numbers."""
    notes = []
    for name, column in columns.items():
        if column.type() not in {"BIGINT", "DOUBLE"}:
            continue
        if max(abs(column.lowest), abs(column.highest)) >= _EXACT_DIGITS and column.lowest % 1 == 0:
            notes.append(write_note(Sentence.FIFTEEN_DIGITS, name=name))
        days = (column.lowest, column.highest)
        if _DATE_NAME.search(name) and all(int(day) in _DAYS for day in days):
            day = _EPOCH + timedelta(days=int(column.lowest))
            facts = {"name": name, "example": str(int(column.lowest)), "value": str(day)}
            notes.append(write_note(Sentence.DAYS_OF_EXCEL, **facts))
    return notes


def _find_cell_type(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return _TYPES[int]
    return _TYPES.get(type(cell), ANY_CELL)
