"""Where a table begins among the first rows of a sheet or text, and how many rows are its header.

A second row belongs to the header if merged cells say so, if it fills the gaps of the first, or if
it has units where the rows below have numbers.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from msgspec import Struct

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.files.cell_sql import PLACEHOLDERS
from yarrow.sandbox.table_notes import Sentence

LOOKED_AT = 100
_MAX_TITLE_ROWS = 30
_MAX_LINES_OF_TITLE = 4
_MAX_HEADER_ROWS = 4
_QUOTED_CHARACTERS = 60
_JOINT = " / "

_VALUE = re.compile(
    r"[-+−(]?\s*[$€£¥￥]?\s*[-+]?\d[\d.,'\s]*(?:[eE][-+]?\d+)?\s*[%％)$€£元円]?"
    r"|\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4}日?)?(?:[ T][\d:.]+(?:Z|[-+][\d:]+)?)?"
    r"|\d+:\d{2}(?::\d{2})?"
)
_YEAR = re.compile(r"(?:19|20)\d{2}(?:\.0)?")
_BRACKETED = re.compile(r"[(\[（【].*[)\]）】]")


class MergedCells(Struct, frozen=True):
    """A range of merged cells; the first row and column are 0, the ends are inclusive."""

    top: int
    left: int
    bottom: int
    right: int


class TableLayout(Struct, frozen=True):
    """The rows before the table, and those of its header."""

    begin: int = 0
    names: tuple[str, ...] = ()
    """May be empty or repeat."""
    header_rows: int = 1

    def notes(self, rows: Sequence[Sequence[object]]) -> tuple[CodedNote, ...]:
        notes = []
        if self.begin:
            facts = {"count": self.begin, "begin": self.begin + 1}
            text = quote_rows(rows[: self.begin])
            notes.append(write_note(Sentence.ROWS_ABOVE, **facts, text=text))
        if self.header_rows > 1:
            example = next(name for name in self.names if _JOINT in name)
            notes.append(write_note(Sentence.HEADER_ROWS, count=self.header_rows, example=example))
        return tuple(notes)


def quote_rows(rows: Sequence[Sequence[object]]) -> str:
    """The beginning of the text of some rows."""
    text = "; ".join(
        " ".join(" ".join(map(write_cell, filter(is_filled, row))).split())
        for row in rows
        if any(row)
    )
    return text if len(text) <= _QUOTED_CHARACTERS else f"{text[:_QUOTED_CHARACTERS]}…"


def is_filled(cell: object) -> bool:
    return cell is not None and not (isinstance(cell, str) and not cell.strip())


def is_value(cell: object) -> bool:
    """Whether a filled cell is a number, a date or a boolean, also as text."""
    return not isinstance(cell, str) or _VALUE.fullmatch(cell.strip()) is not None


def find_layout(
    rows: Sequence[Sequence[object]], merged: Sequence[MergedCells] = ()
) -> TableLayout:
    """Decide by the first rows, which have equal lengths."""
    begin = _find_begin(rows, merged)
    height = _count_merged_header(rows, begin, merged)
    is_spread = False
    if height == 1 and _fills_gaps(rows, begin):
        height, is_spread = 2, True
    elif height == 1 and _is_units_row(rows, begin):
        height = 2
    header = [[write_cell(cell).strip() for cell in row] for row in rows[begin : begin + height]]
    for cells in merged:
        _fill_merged(header, cells, begin)
    if is_spread:
        _spread_names(header)
    names = tuple(_join_parts(parts) for parts in zip(*header, strict=True))
    return TableLayout(begin, names, height)


def _find_begin(rows: Sequence[Sequence[object]], merged: Sequence[MergedCells]) -> int:
    """The first row with at least half of the cells of the fullest, if it can be a header."""
    counts = [_count_filled(row, at, merged) for at, row in enumerate(rows[:LOOKED_AT])]
    width = max(counts, default=0)
    if width < 2:
        return 0
    begin = next(at for at, count in enumerate(counts) if count > 1 and count * 2 >= width)
    for at in range(begin + 1, min(begin + _MAX_LINES_OF_TITLE, len(counts) - 1)):
        if not counts[at] and counts[at + 1] > counts[begin] and _is_header_like(rows[at + 1]):
            begin = at + 1
    if not 0 < begin <= _MAX_TITLE_ROWS or not _is_header_like(rows[begin]):
        return 0
    spread = (at for at in range(begin) if counts[at] > 1 and _fills_gaps(rows, at))
    if (top := next(spread, None)) is not None:
        return top
    titles = [row for row in rows[:begin] if any(map(is_filled, row))]
    is_told_apart = width > 2 or len(titles) < begin or _find_numeric_columns(rows[begin + 1 :])
    return begin if is_told_apart and all(is_filled(row[0]) for row in titles) else 0


def _count_filled(row: Sequence[object], at: int, merged: Sequence[MergedCells]) -> int:
    """Filled cells; one that is merged over the whole row is a title."""
    extra = sum(
        cells.right - cells.left
        for cells in merged
        if cells.top == at and cells.right - cells.left + 1 < len(row)
    )
    return sum(map(is_filled, row)) + extra


def _is_header_like(row: Sequence[object]) -> bool:
    """Whether its cells are text, years or dates."""
    cells = [cell for cell in row if is_filled(cell)]
    return bool(cells) and all(map(_is_name, cells))


def _is_name(cell: object) -> bool:
    text = str(cell).strip()
    is_text = isinstance(cell, str) and text.lower() not in PLACEHOLDERS and not is_value(text)
    return is_text or isinstance(cell, date) or _YEAR.fullmatch(text) is not None


def _count_merged_header(
    rows: Sequence[Sequence[object]], begin: int, merged: Sequence[MergedCells]
) -> int:
    """As many rows as merged header cells span, plus one below cells merged across columns."""
    height = 1
    for at in range(begin, begin + _MAX_HEADER_ROWS):
        if at >= begin + height:
            break
        starting = [cells for cells in merged if cells.top == at]
        tall = max((cells.bottom - begin + 1 for cells in starting), default=1)
        wide = any(cells.right > cells.left and _is_split_below(rows, cells) for cells in starting)
        height = max(height, tall, at - begin + 2 if wide else 1)
    below = rows[begin + 1 : begin + height]
    fits = height <= _MAX_HEADER_ROWS and len(below) == height - 1
    return height if fits and all(map(_is_header_like, below)) else 1


def _is_split_below(rows: Sequence[Sequence[object]], cells: MergedCells) -> bool:
    below = cells.bottom + 1
    return below < len(rows) and all(map(is_filled, rows[below][cells.left : cells.right + 1]))


def _fills_gaps(rows: Sequence[Sequence[object]], at: int) -> bool:
    """Whether the next row names the columns that this one leaves empty, above numbers."""
    if at + 2 >= len(rows) or not _is_header_like(rows[at]):
        return False
    first, second = [[is_filled(cell) for cell in row] for row in rows[at : at + 2]]
    begins = first.index(True)
    gaps = [c for c in range(begins, len(first)) if not first[c]]
    numeric = _find_numeric_columns(rows[at + 2 :])
    return (
        bool(gaps)
        and all(second[c] and c in numeric for c in gaps)
        and _is_header_like(rows[at + 1])
        and all(c in numeric or not (first[c] and second[c]) for c in range(len(first)))
    )


def _is_units_row(rows: Sequence[Sequence[object]], begin: int) -> bool:
    """Whether the second row has names or units above all numbers, and elsewhere nothing."""
    if begin + 2 >= len(rows) or not all(map(_is_header_like, rows[begin : begin + 2])):
        return False
    second = {c: str(cell).strip() for c, cell in enumerate(rows[begin + 1]) if is_filled(cell)}
    numeric = _find_numeric_columns(rows[begin + 2 :])
    above = {text for c, text in second.items() if c in numeric}
    elsewhere = {text for c, text in second.items() if c not in numeric}
    if not above or any(map(is_value, above)) or not all(map(_BRACKETED.fullmatch, elsewhere)):
        return False
    are_units = all(map(_BRACKETED.fullmatch, above))
    return are_units or (len(numeric) > 1 and numeric <= set(second))


def _find_numeric_columns(rows: Sequence[Sequence[object]]) -> set[int]:
    """Columns whose filled cells are all values; there is one."""
    found: set[int] = set()
    for column, cells in enumerate(zip(*rows[:LOOKED_AT], strict=True)):
        filled = [
            cell
            for cell in cells
            if is_filled(cell) and str(cell).strip().lower() not in PLACEHOLDERS
        ]
        if filled and all(map(is_value, filled)):
            found.add(column)
    return found


def _fill_merged(header: list[list[str]], cells: MergedCells, begin: int) -> None:
    """Repeat the name of cells that are merged across columns."""
    row = cells.top - begin
    if 0 <= row < len(header):
        for column in range(cells.left + 1, min(cells.right + 1, len(header[row]))):
            header[row][column] = header[row][cells.left]


def _spread_names(header: list[list[str]]) -> None:
    """Carry names of the first row to the right, from columns that have a second name too."""
    name = ""
    for column, (first, second) in enumerate(zip(*header, strict=True)):
        if first:
            name = first if second else ""
        elif second:
            header[0][column] = name


def _join_parts(parts: Sequence[str]) -> str:
    return _JOINT.join(dict.fromkeys(part for part in parts if part))


def write_cell(cell: object) -> str:
    """The text of a cell: whole numbers without decimals, durations in seconds."""
    match cell:
        case float() if cell.is_integer() and abs(cell) < 2**53:
            return str(int(cell))
        case datetime():
            return cell.isoformat(sep=" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return f"{cell.total_seconds():f} seconds"
        case None:
            return ""
        case _:
            return str(cell)
