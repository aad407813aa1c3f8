"""Reading fields that have many names and, in files of the wild, sometimes the wrong type."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from yarrow.kit.json import JsonObject, JsonValue

T = TypeVar("T")
D = TypeVar("D")

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Fields:
    """The fields of one JSON object by their snake_case names; its `extensions` come first.

    A value of the wrong type is passed over and remembered in `wrong`.
    """

    def __init__(self, record: JsonObject) -> None:
        self._given: dict[str, list[tuple[str, JsonValue]]] = {}
        extensions = record.get("extensions")
        for holder in (extensions, record) if isinstance(extensions, dict) else (record,):
            for spelling, value in holder.items():
                if value is not None:
                    self._given.setdefault(_snake_case(spelling), []).append((spelling, value))
        self.wrong: list[str] = []

    def pick(self, *names: str, read: Callable[[JsonValue], T | None], default: D) -> T | D:
        """The first of the names that holds something `read` understands."""
        for name in names:
            for spelling, value in self._given.get(name, ()):
                understood = read(value)
                if understood is not None:
                    return understood
                self.wrong.append(f"{spelling} cannot be read: a {type(value).__name__}")
        return default


@lru_cache(maxsize=1024)
def _snake_case(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def as_flag(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def as_text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def as_whole(value: JsonValue) -> int | None:
    """A whole number, also one written as 4.0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 else None


def as_count(value: JsonValue) -> int | None:
    whole = as_whole(value)
    return whole if whole is not None and whole >= 0 else None


def as_amount(value: JsonValue) -> float | None:
    """A number from nought up."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if value >= 0 else None


def as_texts(value: JsonValue) -> tuple[str, ...] | None:
    """A list of texts, without blank ones."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return tuple(item for item in value if item.strip())


def as_names(value: JsonValue) -> tuple[str, ...] | None:
    """Names in one text, divided by commas."""
    if not isinstance(value, str):
        return None
    return tuple(dict.fromkeys(name for part in value.split(",") if (name := part.strip())))
