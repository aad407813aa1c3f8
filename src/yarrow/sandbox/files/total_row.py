"""Find a row of totals or averages at the end of a table, which sums over it would count too."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

import duckdb
from msgspec.structs import replace

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name
from yarrow.language.total_words import names_average, names_total
from yarrow.sandbox.files.scan import FileScan
from yarrow.sandbox.table_notes import Sentence

_TAIL_BYTES = 64 * 1024
_QUOTED_CHARACTERS = 60
_FOOTNOTES = 4
"""Lines below a total."""


LEFT_OUT = frozenset((Sentence.LAST_IS_TOTAL, Sentence.LAST_IS_AVERAGE))
_ROUNDED = 1e-3
"""An average is written with few digits."""


def _read_name(row: Sequence[object]) -> str:
    """The first filled cell if another one follows, else nothing."""
    filled = [cell for cell in row if cell is not None and str(cell).strip()]
    return str(filled[0]) if len(filled) > 1 else ""


def judge_last_row(rows: Sequence[Sequence[object]]) -> Sentence | None:
    """What the last row is to those above it; None if it is a row like them."""
    *above, last = rows
    numbers = {at: float(str(cell)) for at, cell in enumerate(last) if _is_number(cell)}
    cells = {at: [float(str(row[at])) for row in above if _is_number(row[at])] for at in numbers}
    facts = [(number, math.fsum(cells[at]), len(cells[at])) for at, number in numbers.items()]
    return _judge_row(_read_name(last), facts)


def _judge_row(name: str, numbers: Sequence[tuple[float, float, int]]) -> Sentence | None:
    """By the name of a row and each of its numbers, with the sum and the count of those above."""
    if names_total(name):
        is_sum = bool(numbers) and all(
            math.isclose(number, total, rel_tol=1e-9, abs_tol=1e-9) for number, total, _ in numbers
        )
        return Sentence.LAST_IS_TOTAL if is_sum else Sentence.LAST_MAY_BE_TOTAL
    is_mean = bool(numbers) and all(
        count and math.isclose(number, total / count, rel_tol=_ROUNDED)
        for number, total, count in numbers
    )
    return Sentence.LAST_IS_AVERAGE if is_mean and names_average(name) else None


def find_total_line(path: Path, delimiter: str) -> str:
    """The last line of a text if it may be a total or an average, shortened; else empty."""
    last = _read_last_lines(path)[-1:]
    return _find_named(last, delimiter, lambda name: names_total(name) or names_average(name))


def note_early_total(path: Path, delimiter: str) -> list[CodedNote]:
    """A note of a total that stands above footnotes or other totals at the end of a text."""
    lines = _read_last_lines(path)[-_FOOTNOTES - 1 : -1]
    line = _find_named(lines, delimiter, names_total)
    return [write_note(Sentence.MAY_BE_TOTAL, text=line)] if line else []


def _read_last_lines(path: Path) -> list[str]:
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
        lines = file.read().decode("utf-8", "replace").splitlines()[1:]
    return [line.strip() for line in lines if line.strip()]


def _find_named(lines: Sequence[str], delimiter: str, has_name: Callable[[str], bool]) -> str:
    """The last of the lines whose name is such, shortened."""
    for line in reversed(lines):
        if has_name(_read_name([cell.strip().strip('"') for cell in line.split(delimiter)])):
            return line if len(line) <= _QUOTED_CHARACTERS else f"{line[:_QUOTED_CHARACTERS]}…"
    return ""


def leave_out_total(scan: FileScan, database: duckdb.DuckDBPyConnection) -> FileScan:
    """The scan of a text without its last line, if all its numbers are sums or means of those
    above."""
    if not scan.total_line:
        return scan
    rows = f"(FROM {scan.relation} SELECT {scan.columns})"
    counted = database.execute(f"FROM {rows} SELECT count(*)").fetchone()
    above = counted[0] - 1 if counted else 0
    last = database.execute(f"FROM {rows} OFFSET {above} LIMIT 1").fetchone() or ()
    names = [column[0] for column in database.description or ()]
    numbers = {
        name: float(cell) for name, cell in zip(names, last, strict=True) if _is_number(cell)
    }
    facts = ", ".join(f"sum({quote_name(n)}), count({quote_name(n)})" for n in numbers)
    found = database.execute(f"FROM {rows} SELECT {facts}").fetchone() or () if numbers else ()
    sums = [
        (number, float(total) - number, count - 1)
        for number, total, count in zip(numbers.values(), found[::2], found[1::2], strict=True)
    ]
    told = _judge_row(_read_name(last), sums) if above > 0 else Sentence.LAST_MAY_BE_TOTAL
    if told is None:
        return scan
    note = write_note(told, row=write_note(Sentence.LINE), text=scan.total_line)
    relation = f"(FROM {scan.relation} LIMIT {above})" if told in LEFT_OUT else scan.relation
    return replace(scan, relation=relation, notes=(*scan.notes, note))


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)
