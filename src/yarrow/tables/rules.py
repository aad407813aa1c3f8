"""Names of tables and workspaces, and parsing of filters."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.tables.model import (
    FIRST_NUMBER,
    ContainsFilter,
    InFilter,
    RangeFilter,
    RowFilter,
    with_number,
)

NAMELESS = "table"
NAME_CHARS = 80
NAME_BYTES = 200
"""In a job a table is a file of its name, and file names are limited."""
WORKSPACE_CHARS = 256
DERIVED_PREFIX = "d-"
GZIP = ".gz"

_NOT_WORD = re.compile(r"[^\w]+")
_MANY = re.compile(r"_+")


def normalise_table_name(text: str) -> str:
    """Normalise a name to lower-case words, of any script, and underscores."""
    name = _MANY.sub("_", _NOT_WORD.sub("_", text.strip())).strip("_").lower()
    if not name:
        return NAMELESS
    return _shorten(f"{NAMELESS}_{name}" if name[0].isdigit() else name)


def strip_extension(filename: str) -> str:
    """The file name without `.gz` and without its extension."""
    unpacked = filename[: -len(GZIP)] if filename.lower().endswith(GZIP) else filename
    return Path(unpacked).stem


def _shorten(name: str) -> str:
    short = name[:NAME_CHARS]
    while len(short.encode()) > NAME_BYTES:
        short = short[:-1]
    return short.rstrip("_") or NAMELESS


def choose_free_name(wanted: str, taken: Collection[str]) -> str:
    """The name itself, or with the first free number from 2 on."""
    name, number = wanted, FIRST_NUMBER
    while name in taken:
        name, number = with_number(wanted, number), number + 1
    return name


def choose_workspace(header: str | None, *, default: str) -> str:
    """The workspace that a header names; the default if it is missing or blank."""
    name = (header or "").strip() or default
    if len(name) > WORKSPACE_CHARS or not name.isprintable():
        raise InvalidInput(f"a workspace's name has at most {WORKSPACE_CHARS} printable characters")
    return name


def parse_filters(items: Sequence[JsonMapping]) -> list[RowFilter]:
    """Parse the filters of a request; unknown operations are ignored."""
    parsed = [_parse_filter(item) for item in items if isinstance(item, dict)]
    return [row_filter for row_filter in parsed if row_filter is not None]


def _parse_filter(item: JsonObject) -> RowFilter | None:
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
