"""Name the empty keys of JSON records, of which DuckDB cannot make columns.

The file is memory-mapped and copied in pieces, so its size does not matter.
"""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_BLANK = re.compile(rb'""\s*:')
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(\s*+:)?|[\[\]{}]', re.DOTALL)
_START_BYTES = 4096
_PIECE = 1024 * 1024


def name_blank_keys(source: Path, target: Path) -> Path | None:
    """Copy the file with its records' empty key named; None if there is no such key."""
    with source.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        if _BLANK.search(text) is None:
            return None
        name = None
        copied = 0
        with target.open("wb") as named:
            for start, position in _blank_keys(text):
                name = name or _find_free_name(text, position)
                _copy_range(text, named, copied, start)
                named.write(name)
                copied = start + len(b'""')
            _copy_range(text, named, copied, len(text))
    return target if name is not None else None


def _copy_range(text: mmap.mmap, target: BinaryIO, start: int, end: int) -> None:
    for at in range(start, end, _PIECE):
        target.write(text[at : min(at + _PIECE, end)])


def _blank_keys(text: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Offset of each empty key, and its position among the keys of its record."""
    begins = text[:_START_BYTES].lstrip()[:1]
    record = 2 if begins == b"[" else 1
    depth = position = 0
    for token in _TOKEN.finditer(text):
        match token[0][:1]:
            case b"{" | b"[":
                depth += 1
                position = 0 if depth == record else position
            case b"}" | b"]":
                depth -= 1
            case _ if depth == record and token[1]:
                if len(token[0]) - len(token[1]) == len(b'""'):
                    yield token.start(), position
                position += 1


def _find_free_name(text: mmap.mmap, position: int) -> bytes:
    """The name DuckDB gives an empty column of a CSV file, if the file does not use it."""
    name, number = f'"column{position}"', 1
    while text.find(name.encode()) >= 0:
        name, number = f'"column{position}_{number}"', number + 1
    return name.encode()
