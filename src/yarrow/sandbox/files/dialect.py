"""How the lines of a text file are cut into cells, and which of them come before the table."""

import re
from collections import Counter
from itertools import islice
from pathlib import Path

_TAB = "\t"
_TAB_NAMES = (".tsv", ".tab")
_DELIMITERS = (_TAB, ";", "|", ",")
"""The first one wins a tie: a comma is also the decimal mark of many."""
_LOOKED_AT = 200
_MAX_LINE_BYTES = 16 * 1024 * 1024
_QUOTED_CELL = re.compile(r'"[^"]*"')


def detect_delimiter(first_lines: bytes, filename: str) -> str:
    """The delimiter that most lines have equally often outside quotes; a comma if there is none."""
    if filename.lower().removesuffix(".gz").endswith(_TAB_NAMES):
        return _TAB
    lines = first_lines.decode("utf-8", "replace").splitlines()[:_LOOKED_AT]
    bare = [_QUOTED_CELL.sub("", line) for line in lines if line.strip()]
    agreeing = {mark: _count_agreeing(bare, mark) for mark in _DELIMITERS}
    best = max(agreeing, key=agreeing.__getitem__)
    return best if agreeing[best][0] else ","


def _count_agreeing(lines: list[str], mark: str) -> tuple[int, int]:
    """How many lines have the mark as often as most of those with it, and how often that is."""
    counts = Counter(line.count(mark) for line in lines if mark in line)
    return max(((lines, times) for times, lines in counts.items()), default=(0, 0))


def has_text(path: Path, count: int) -> bool:
    """Whether one of the first `count` lines is not blank."""
    with path.open("rb") as file:
        return any(file.readline(_MAX_LINE_BYTES).strip() for _ in range(count))


def are_rows(path: Path, count: int, delimiter: str) -> bool:
    """Whether the first `count` lines are rows of the table and not a title before it.

    They are if those that have cells are as many as the lines that follow: then a few long lines
    at the end made DuckDB leave out the table itself.
    """
    with path.open("rb") as file:
        before = [file.readline(_MAX_LINE_BYTES) for _ in range(count)]
        rows = sum(delimiter.encode() in line for line in before)
        following = sum(1 for _ in islice(file, rows + 1))
    return rows > 0 and rows >= following
