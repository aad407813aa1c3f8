"""Parts of whole answers whose value a test cannot know: each equals all that are of its kind."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from tests.loose_json import JsonObject, JsonValue
from tests.serving import Caller


class AnyOf:
    """Equals every value that a check accepts."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str, accepts: Callable[[Any], bool]) -> None:
        self._name, self._accepts = name, accepts

    def __eq__(self, other: object) -> bool:
        return self._accepts(other)

    def __repr__(self) -> str:
        return f"<{self._name}>"


def _is_id(value: object) -> bool:
    return isinstance(value, str) and str(UUID(value)) == value


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


ID = AnyOf("id", _is_id)
COUNT = AnyOf("count", _is_count)
TIME = AnyOf(
    "milliseconds since 1970", lambda value: _is_count(value) and value > 1_700_000_000_000
)
HASH = AnyOf("hash", lambda value: re.fullmatch("sha256:[0-9a-f]{64}", str(value)) is not None)
TEXT = AnyOf("text", lambda value: isinstance(value, str) and value != "")


def make_meta(total: int, sort: tuple[str, str], limit: int = 50) -> JsonObject:
    """The `meta` of a list that has all rows."""
    page: JsonObject = {"limit": limit, "offset": 0, "has_more": False}
    return {"total": total, **page, "sort_by": sort[0], "sort_order": sort[1]}


async def read_data(caller: Caller, path: str, **params: str) -> JsonValue:
    status, answer = await caller.get(path, **params)
    assert status == 200, answer
    return answer["data"]
