"""Find a row of totals at the end of a table: sums over the column would count everything twice."""

import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import duckdb
from msgspec.structs import replace

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name
from yarrow.language.total_words import names_total
from yarrow.sandbox.files.scan import FileScan
from yarrow.sandbox.table_notes import Sentence

_TAIL_BYTES = 64 * 1024
_QUOTED_CHARACTERS = 60
_FOOTNOTES = 4
"""Lines below a total."""


def is_total(row: Sequence[object]) -> bool:
    """Whether the first filled cell says so, and another one follows."""
    filled = [cell for cell in row if cell is not None and str(cell).strip()]
    return len(filled) > 1 and names_total(str(filled[0]))


def adds_up(rows: Sequence[Sequence[object]], total: Sequence[object]) -> bool:
    """Whether all numbers of the row are the sums of the numbers above them, and there are some."""
    numbers = {at: cell for at, cell in enumerate(total) if _is_number(cell)}
    return bool(numbers) and all(
        math.isclose(
            sum(row[at] for row in rows if _is_number(row[at])),  # type: ignore[misc]
            cell,  # type: ignore[arg-type]
            rel_tol=1e-9,
            abs_tol=1e-9,
        )
        for at, cell in numbers.items()
    )


def find_total_line(path: Path, delimiter: str) -> str:
    """The last line of a text if it may be a total, shortened; else empty."""
    return _name_total(_read_last_lines(path)[-1:], delimiter)


def note_early_total(path: Path, delimiter: str) -> list[CodedNote]:
    """A note of a total that stands above footnotes or other totals at the end of a text."""
    line = _name_total(_read_last_lines(path)[-_FOOTNOTES - 1 : -1], delimiter)
    return [write_note(Sentence.MAY_BE_TOTAL, text=line)] if line else []


def _read_last_lines(path: Path) -> list[str]:
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
        lines = file.read().decode("utf-8", "replace").splitlines()[1:]
    return [line.strip() for line in lines if line.strip()]


def _name_total(lines: Sequence[str], delimiter: str) -> str:
    """The last of the lines that may be a total, shortened."""
    for line in reversed(lines):
        if is_total([cell.strip().strip('"') for cell in line.split(delimiter)]):
            return line if len(line) <= _QUOTED_CHARACTERS else f"{line[:_QUOTED_CHARACTERS]}…"
    return ""


def leave_out_total(scan: FileScan, database: duckdb.DuckDBPyConnection) -> FileScan:
    """The scan of a text without its last line, if all its numbers are sums of those above."""
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
    sums = ", ".join(f"sum({quote_name(name)})" for name in numbers)
    found = database.execute(f"FROM {rows} SELECT {sums}").fetchone() if numbers else None
    is_sum = bool(above and found) and all(
        math.isclose(float(both) - total, total, rel_tol=1e-9, abs_tol=1e-9)
        for both, total in zip(found or (), numbers.values(), strict=True)
    )
    told = Sentence.LAST_IS_TOTAL if is_sum else Sentence.LAST_MAY_BE_TOTAL
    note = write_note(told, row=write_note(Sentence.LINE), text=scan.total_line)
    relation = f"(FROM {scan.relation} LIMIT {above})" if is_sum else scan.relation
    return replace(scan, relation=relation, notes=(*scan.notes, note))


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)
