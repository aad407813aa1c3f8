"""Tell a row of totals at the end of a table: sums over the column would count everything twice."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

_TOTAL = re.compile(
    r"(?:grand |sub)?totals?|total general|sum|summe|gesamt|insgesamt"
    r"|合计|合計|总计|總計|总和|總和|小计|小計|共计|共計",
    re.IGNORECASE,
)
_TAIL_BYTES = 64 * 1024
_QUOTED_CHARACTERS = 60


def is_total(row: Sequence[object]) -> bool:
    """Whether the first filled cell says so, and another one follows."""
    filled = [cell for cell in row if cell is not None and str(cell).strip()]
    return len(filled) > 1 and _TOTAL.fullmatch(str(filled[0]).strip().rstrip(":：")) is not None


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


def note_total_line(path: Path, delimiter: str) -> tuple[str, ...]:
    """A note if the last line of a text may be a total."""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
        lines = file.read().decode("utf-8", "replace").splitlines()[1:]
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    cells = [cell.strip().strip('"') for cell in last.split(delimiter)]
    text = last if len(last) <= _QUOTED_CHARACTERS else f"{last[:_QUOTED_CHARACTERS]}…"
    return (f"the last line ({text}) may be a total; it is included",) if is_total(cells) else ()


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)
