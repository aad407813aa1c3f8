"""Decisions about tables: what they are called, and what a filter on the wire means."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject
from yarrow.tables.free_names import FIRST_NUMBER, numbered
from yarrow.tables.model import ContainsFilter, InFilter, RangeFilter, RowFilter

NAMELESS = "table"
NAME_CHARS = 80
NAME_BYTES = 200
"""A job sees a table as a file of its name, and file names are short."""
WORKSPACE_CHARS = 256
DERIVED_PREFIX = "d-"
PACKED = ".gz"

_NOT_WORD = re.compile(r"[^\w]+")
_MANY = re.compile(r"_+")


def table_name(given: str) -> str:
    """A name that is safe everywhere: words and underscores, in any script, lower case."""
    plain = _MANY.sub("_", _NOT_WORD.sub("_", given.strip())).strip("_").lower()
    if not plain:
        return NAMELESS
    named = f"{NAMELESS}_{plain}" if plain[0].isdigit() else plain
    return _cut(named)


def name_of_file(filename: str) -> str:
    """What a file is called without its ending, and without the one that says it is packed."""
    plain = filename[: -len(PACKED)] if filename.lower().endswith(PACKED) else filename
    return Path(plain).stem


def _cut(name: str) -> str:
    cut = name[:NAME_CHARS]
    while len(cut.encode()) > NAME_BYTES:
        cut = cut[:-1]
    return cut.rstrip("_") or NAMELESS


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name itself, or with the first number from 2 on that makes it new."""
    name, number = wanted, FIRST_NUMBER
    while name in taken:
        name, number = numbered(wanted, number), number + 1
    return name


def workspace_name(given: str | None, *, default: str) -> str:
    """The workspace a header names; none, or a blank one, is the default."""
    name = (given or "").strip() or default
    if len(name) > WORKSPACE_CHARS or not name.isprintable():
        raise InvalidInput(f"a workspace's name has at most {WORKSPACE_CHARS} printable characters")
    return name


def read_filters(given: Sequence[JsonObject]) -> list[RowFilter]:
    """Filters as clients write them; an operation we do not know is left out."""
    read = [_read_filter(item) for item in given if isinstance(item, dict)]
    return [found for found in read if found is not None]


def _read_filter(item: JsonObject) -> RowFilter | None:
    field = item.get("field") or item.get("column")
    operation = item.get("op") or item.get("type") or item.get("operator")
    if not isinstance(field, str):
        return None
    match operation:
        case "range":
            nulls = item.get("include_nulls") is True
            return RangeFilter(field, item.get("min"), item.get("max"), nulls)
        case "in":
            values = item.get("values")
            return InFilter(field, values if isinstance(values, list) else [])
        case "contains":
            return ContainsFilter(field, str(item.get("value") or ""))
        case _:
            return None
