"""Compare two JSON values field by field."""

from collections.abc import Iterator, Sequence
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from msgspec import Struct

from yarrow.kit.json import JsonMapping, JsonValue, equal_json


class _MissingField(Enum):
    """A field that does not exist, as distinct from null."""

    MISSING = "missing"


_MISSING: Final = _MissingField.MISSING
_Field: TypeAlias = JsonValue | _MissingField


class FieldChangeType(StrEnum):
    """What happened to a field from left to right."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class FieldChange(Struct, frozen=True):
    """One difference; the side on which the field is missing is None."""

    path: str
    change_type: FieldChangeType
    left: JsonValue
    right: JsonValue


def find_changes(left: _Field, right: _Field, path: str = "") -> Iterator[FieldChange]:
    """Yield what was added, removed and changed; lists are compared by position."""
    pending = [(path, left, right)]
    while pending:
        path_here, one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            prefix = f"{path_here}." if path_here else ""
            pending.extend(reversed(list(_pair_members(prefix, one, other))))
        elif isinstance(one, list) and isinstance(other, list):
            items = _pair_members(path_here, _index_items(one), _index_items(other))
            pending.extend(reversed(list(items)))
        elif (change := _compare_values(path_here, one, other)) is not None:
            yield change


def _index_items(items: Sequence[JsonValue]) -> JsonMapping:
    return {f"[{index}]": item for index, item in enumerate(items)}


def _pair_members(
    prefix: str, left: JsonMapping, right: JsonMapping
) -> Iterator[tuple[str, _Field, _Field]]:
    for name in dict.fromkeys((*left, *right)):
        yield f"{prefix}{name}", left.get(name, _MISSING), right.get(name, _MISSING)


def _compare_values(path: str, left: _Field, right: _Field) -> FieldChange | None:
    if right is _MISSING:
        if left is _MISSING:
            return None
        return FieldChange(path, FieldChangeType.REMOVED, left, None)
    if left is _MISSING:
        return FieldChange(path, FieldChangeType.ADDED, None, right)
    if equal_json(left, right):
        return None
    return FieldChange(path, FieldChangeType.CHANGED, left, right)
