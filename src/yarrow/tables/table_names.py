"""Names of tables: from files and from words, and free ones."""

import re
from collections.abc import Collection
from pathlib import Path

from yarrow.tables.model import (
    FIRST_NUMBER,
    add_number,
)

NAMELESS = "table"
NAME_CHARS = 80
NAME_BYTES = 200
"""In a job a table is a file of its name, and file names are limited."""
DERIVED_PREFIX = "d-"
GZIP = ".gz"
_NOT_WORD = re.compile(r"[^\w]+")
_MANY = re.compile(r"_+")


def normalise_table_name(text: str) -> str:
    """Normalise a name to lower-case words, of any script, and underscores."""
    name = _MANY.sub("_", _NOT_WORD.sub("_", text.strip())).strip("_").lower()
    if not name:
        return NAMELESS
    return _shorten_name(f"{NAMELESS}_{name}" if name[0].isdigit() else name)


def strip_extension(filename: str) -> str:
    """The file name without `.gz` and without its extension."""
    unpacked = filename[: -len(GZIP)] if filename.lower().endswith(GZIP) else filename
    return Path(unpacked).stem


def _shorten_name(name: str) -> str:
    short = name[:NAME_CHARS]
    while len(short.encode()) > NAME_BYTES:
        short = short[:-1]
    return short.rstrip("_") or NAMELESS


def choose_free_name(wanted: str, taken: Collection[str]) -> str:
    """The name itself, or with the first free number from 2 on."""
    name, number = wanted, FIRST_NUMBER
    while name in taken:
        name, number = add_number(wanted, number), number + 1
    return name
