"""Resolve the layers of a policy field by field, and parse it from the JSON in which it is sent."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.policy.model import (
    BudgetPolicy,
    DeliveryPolicy,
    HistoryMode,
    MemoryPolicy,
    PromptPolicy,
    SourcePolicy,
    StructurePolicy,
    TurnRange,
    VisibilityMode,
    VisibilityPolicy,
)

DEPTH_MAX = 8


class PolicyLayer(StrEnum):
    """Where a setting comes from, lowest precedence first."""

    SYSTEM = "system"
    PRESET = "preset"
    SESSION = "session"
    BRANCH = "branch"
    REQUEST = "request"
    PROVIDER = "provider"


class ResolvedPolicy(Struct, frozen=True):
    """The effective policy, and for each field (by dotted path) the layer that set it."""

    values: JsonObject
    source_map: Mapping[str, PolicyLayer]


def resolve_policy(layers: Mapping[PolicyLayer, JsonObject]) -> ResolvedPolicy:
    """Merge the layers; null removes a value of a lower layer."""
    values: JsonObject = {}
    winners: dict[str, PolicyLayer] = {}
    for layer in PolicyLayer:
        if values_of_layer := layers.get(layer):
            values = merge_patch(values, values_of_layer)
            winners.update(dict.fromkeys(_list_leaf_paths(values_of_layer), layer))
    remaining = set(_list_leaf_paths(values))
    return ResolvedPolicy(
        values, {path: layer for path, layer in winners.items() if path in remaining}
    )


def merge_patch(target: JsonObject, patch: JsonObject, *, depth: int = 0) -> JsonObject:
    """Apply a JSON merge patch (RFC 7396): null removes, objects merge, lists are replaced."""
    if depth > DEPTH_MAX:
        raise InvalidInput(f"a policy may be at most {DEPTH_MAX} objects deep")
    merged = dict(target)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict):
            child = merged.get(name)
            merged[name] = merge_patch(
                child if isinstance(child, dict) else {}, value, depth=depth + 1
            )
        else:
            merged[name] = value
    return merged


def _list_leaf_paths(values: JsonObject) -> list[str]:
    """Return the dotted paths of everything that is not an object."""
    paths: list[str] = []
    pending: list[tuple[str, JsonValue]] = [("", values)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            dot = f"{path}." if path else ""
            pending.extend((f"{dot}{name}", inner) for name, inner in reversed(value.items()))
        elif value is not None:
            paths.append(path)
    return paths


Member = TypeVar("Member", bound=StrEnum)
_DEFAULT = PromptPolicy()


def parse_policy(values: JsonObject) -> PromptPolicy:
    """Parse the policy; a field that is missing or invalid keeps its default."""
    if not values:
        return _DEFAULT
    structure, delivery = _get_object(values, "structure"), _get_object(values, "delivery")
    budget = _get_object(values, "budget")
    return PromptPolicy(
        structure=StructurePolicy(
            mode=_get_member(structure, "mode", _DEFAULT.structure.mode),
            merge_adjacent_same_role=_get_flag(structure, "merge_adjacent_same_role"),
            assistant_rewrite=_get_member(
                structure, "assistant_rewrite_strategy", _DEFAULT.structure.assistant_rewrite
            ),
            preserve_system_messages=_get_flag(structure, "preserve_system_messages") is not False,
        ),
        delivery=DeliveryPolicy(
            allow_assistant_prefill=_get_flag(delivery, "allow_assistant_prefill") is not False,
            require_last_user=_get_flag(delivery, "require_last_user") is True,
            no_assistant=_get_flag(delivery, "no_assistant") is True,
            native_prefill=_get_flag(delivery, "native_prefill") is True,
        ),
        budget=BudgetPolicy(
            max_input_tokens=_get_positive(budget, "max_input_tokens"),
            reserved_completion_tokens=_get_positive(budget, "reserved_completion_tokens"),
            lore_percent=_get_positive(budget, "lore_percent") or _DEFAULT.budget.lore_percent,
        ),
        source_selection=_parse_sources(_get_object(values, "source_selection")),
        visibility=_parse_visibility(_get_object(values, "visibility")),
    )


def _parse_sources(values: JsonObject) -> SourcePolicy:
    history, memory = _get_object(values, "history"), _get_object(values, "memory")
    return SourcePolicy(
        history=_get_member(history, "mode", HistoryMode.FULL),
        max_messages=_get_positive(history, "max_messages"),
        memory=_get_flag(memory, "enabled") is not False,
        worldbook=_get_flag(_get_object(values, "worldbook"), "enabled") is not False,
        examples=_get_flag(_get_object(values, "examples"), "enabled") is not False,
        memory_policy=_parse_memory(memory),
    )


def _parse_memory(values: JsonObject) -> MemoryPolicy:
    default = MemoryPolicy()
    least, half_life = values.get("min_importance"), values.get("half_life_days")
    return MemoryPolicy(
        max_tokens=_get_positive(values, "max_tokens") or default.max_tokens,
        max_items=_get_positive(values, "max_items") or default.max_items,
        min_importance=float(least) if isinstance(least, int | float) else default.min_importance,
        layout=_get_member(values, "layout", default.layout),
        half_life_days=float(half_life)
        if isinstance(half_life, int | float) and half_life > 0
        else None,
    )


def _parse_visibility(values: JsonObject) -> VisibilityPolicy:
    return VisibilityPolicy(
        mode=_get_member(values, "mode", VisibilityMode.ALLOW_ALL_EXCEPT_HIDDEN),
        hidden_turn_ranges=_parse_ranges(values, "hidden_floor_ranges"),
        visible_turn_ranges=_parse_ranges(values, "visible_floor_ranges"),
        hidden_turn_ids=_parse_ids(values, "hidden_floor_ids"),
        visible_turn_ids=_parse_ids(values, "visible_floor_ids"),
    )


def _parse_ranges(values: JsonObject, name: str) -> tuple[TurnRange, ...]:
    ends = [
        (item.get("start_floor_no"), item.get("end_floor_no"))
        for item in _get_list(values, name)
        if isinstance(item, dict)
    ]
    return tuple(
        TurnRange(start, end)
        for start, end in ends
        if isinstance(start, int) and isinstance(end, int)
    )


def _parse_ids(values: JsonObject, name: str) -> frozenset[str]:
    return frozenset(item for item in _get_list(values, name) if isinstance(item, str))


def _get_list(values: JsonObject, name: str) -> list[JsonValue]:
    value = values.get(name)
    return value if isinstance(value, list) else []


def _get_object(values: JsonObject, name: str) -> JsonObject:
    value = values.get(name)
    return value if isinstance(value, dict) else {}


def _get_member(values: JsonObject, name: str, default: Member) -> Member:
    value = values.get(name)
    return next((member for member in type(default) if member.value == value), default)


def _get_flag(values: JsonObject, name: str) -> bool | None:
    value = values.get(name)
    return value if isinstance(value, bool) else None


def _get_positive(values: JsonObject, name: str) -> int | None:
    value = values.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if value > 0 else None
