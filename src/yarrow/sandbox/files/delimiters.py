"""How the lines of a text file are cut into cells, and which of them come before the table."""

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

_TAB = "\t"
_TAB_NAMES = (".tsv", ".tab")
_DELIMITERS = (_TAB, ";", "|", ",")
"""The first one wins a tie: a comma is also the decimal mark of many."""
_LOOKED_AT = 200
MAX_LINE_BYTES = 16 * 1024 * 1024
NO_DELIMITER = "\x1f"
"""Of a text of one column; no text has it."""
_DECLARED = re.compile(rb'"?sep=(.)"?', re.IGNORECASE)
_QUOTED_CELL = re.compile(r'"[^"]*"')


def detect_delimiter(first_lines: bytes, filename: str) -> str:
    """The delimiter that most lines have equally often outside quotes; a comma if there is none."""
    if filename.lower().removesuffix(".gz").endswith(_TAB_NAMES):
        return _TAB
    lines = first_lines.decode("utf-8", "replace").splitlines()[:_LOOKED_AT]
    bare = [_QUOTED_CELL.sub("", line) for line in lines if line.strip()]
    agreeing = {mark: _count_agreeing(bare, mark) for mark in _DELIMITERS}
    best = max(agreeing, key=agreeing.__getitem__)
    if not agreeing[best][0]:
        return ","
    return NO_DELIMITER if _is_one_column(bare, best) else best


def _is_one_column(lines: Sequence[str], mark: str) -> bool:
    """Whether the lines are sentences: few have the mark, not the first two, and not all of the
    last ones, which may be a table below titles."""
    marked = [mark in line for line in lines]
    table = marked[marked.index(True) :]
    is_below_titles = len(table) > 1 and all(table)
    return not any(marked[:2]) and sum(marked) * 2 < len(lines) and not is_below_titles


def read_declared(first_line: bytes) -> str | None:
    """The delimiter that a first line such as `sep=;` names; Excel writes and hides it."""
    match = _DECLARED.fullmatch(first_line.removeprefix(BOM_UTF8).strip(b"\r\n"))
    return match[1].decode() if match else None


def _count_agreeing(lines: list[str], mark: str) -> tuple[int, int]:
    """How many lines have the mark as often as most of those with it, and how often that is."""
    counts = Counter(line.count(mark) for line in lines if mark in line)
    return max(((agreeing, times) for times, agreeing in counts.items()), default=(0, 0))


def read_lines(path: Path, count: int, *, after: int = 0) -> list[bytes]:
    """At most `count` lines behind the first `after` ones; very long ones come in parts."""
    with path.open("rb") as file:
        lines = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
        return list(islice(lines, after, after + count))


def are_rows(path: Path, first_lines: Sequence[bytes], delimiter: str) -> bool:
    """Whether the first lines of a file are rows of the table and not a title before it.

    They are if those that have cells are as many as the lines that follow: then a few long lines
    at the end made DuckDB leave out the table itself.
    """
    rows = sum(delimiter.encode() in line for line in first_lines)
    return rows > 0 and rows >= len(read_lines(path, rows + 1, after=len(first_lines)))
