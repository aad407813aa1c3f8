"""Compare two stored prompt explanations field by field."""

from collections.abc import Iterator, Sequence
from enum import Enum, StrEnum
from typing import Final, TypeAlias

from msgspec import Struct

from yarrow.kit.json import JsonMapping, JsonObject, JsonValue, equal_json


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


class PromptComparison(Struct, frozen=True):
    """The differences of two explanations, grouped by topic."""

    scope_changes: tuple[FieldChange, ...]
    policy_changes: tuple[FieldChange, ...]
    asset_changes: tuple[FieldChange, ...]
    diagnostics_changes: tuple[FieldChange, ...]
    trim_changes: tuple[FieldChange, ...]
    exclusion_changes: tuple[FieldChange, ...]
    governance_changes: tuple[FieldChange, ...]


# The members of an explanation in each group.
_SCOPE = ("scope",)
_POLICY = ("resolved_policy", "source_map")
_ASSETS = ("assets", "prompt_snapshot")
_DIAGNOSTICS = ("diagnostics", "limitations", "memory")
_TRIMS = ("trim_reasons",)
_EXCLUSIONS = ("excluded_sources",)
_GOVERNANCE = ("governance", "section_stats")


def compare_prompts(left: JsonObject, right: JsonObject) -> PromptComparison:
    """Compare two explanations as they were stored; nothing is computed again."""
    return PromptComparison(
        scope_changes=_list_changes(left, right, _SCOPE),
        policy_changes=_list_changes(left, right, _POLICY),
        asset_changes=_list_changes(left, right, _ASSETS),
        diagnostics_changes=_list_changes(left, right, _DIAGNOSTICS),
        trim_changes=_list_changes(left, right, _TRIMS),
        exclusion_changes=_list_changes(left, right, _EXCLUSIONS),
        governance_changes=_list_changes(left, right, _GOVERNANCE),
    )


def find_differences(left: _Field, right: _Field, path: str = "") -> Iterator[FieldChange]:
    """Yield every difference of two values; lists are compared item by item."""
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


def _list_changes(
    left: JsonObject, right: JsonObject, names: tuple[str, ...]
) -> tuple[FieldChange, ...]:
    changes: list[FieldChange] = []
    for name in names:
        changes.extend(find_differences(left.get(name, _MISSING), right.get(name, _MISSING), name))
    return tuple(changes)


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
