"""Rules out of the JSON in which they are stored and sent."""

from enum import StrEnum
from typing import TypeVar

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.policy.model import (
    BudgetPolicy,
    DeliveryPolicy,
    FloorRange,
    HistoryMode,
    PromptPolicy,
    SourceSelection,
    StructurePolicy,
    VisibilityMode,
    VisibilityPolicy,
)

Member = TypeVar("Member", bound=StrEnum)
_USUAL = PromptPolicy()


def read_policy(values: JsonObject) -> PromptPolicy:
    """The rules as values; a field that is missing or has no meaning keeps its default."""
    if not values:
        return _USUAL
    structure, delivery = _object(values, "structure"), _object(values, "delivery")
    budget = _object(values, "budget")
    return PromptPolicy(
        structure=StructurePolicy(
            mode=_member(structure, "mode", _USUAL.structure.mode),
            merge_adjacent_same_role=_flag(structure, "merge_adjacent_same_role"),
            assistant_rewrite=_member(
                structure, "assistant_rewrite_strategy", _USUAL.structure.assistant_rewrite
            ),
            preserve_system_messages=_flag(structure, "preserve_system_messages") is not False,
        ),
        delivery=DeliveryPolicy(
            allow_assistant_prefill=_flag(delivery, "allow_assistant_prefill") is not False,
            require_last_user=_flag(delivery, "require_last_user") is True,
            no_assistant=_flag(delivery, "no_assistant") is True,
            native_prefill=_flag(delivery, "native_prefill") is True,
        ),
        budget=BudgetPolicy(
            max_input_tokens=_positive(budget, "max_input_tokens"),
            reserved_completion_tokens=_positive(budget, "reserved_completion_tokens"),
            lore_percent=_positive(budget, "lore_percent") or _USUAL.budget.lore_percent,
        ),
        source_selection=_selection(_object(values, "source_selection")),
        visibility=_visibility(_object(values, "visibility")),
    )


def _selection(values: JsonObject) -> SourceSelection:
    history = _object(values, "history")
    return SourceSelection(
        history=_member(history, "mode", HistoryMode.FULL),
        max_messages=_positive(history, "max_messages"),
        memory=_flag(_object(values, "memory"), "enabled") is not False,
        worldbook=_flag(_object(values, "worldbook"), "enabled") is not False,
        examples=_flag(_object(values, "examples"), "enabled") is not False,
    )


def _visibility(values: JsonObject) -> VisibilityPolicy:
    return VisibilityPolicy(
        mode=_member(values, "mode", VisibilityMode.ALLOW_ALL_EXCEPT_HIDDEN),
        hidden_floor_ranges=_ranges(values, "hidden_floor_ranges"),
        visible_floor_ranges=_ranges(values, "visible_floor_ranges"),
        hidden_floor_ids=_ids(values, "hidden_floor_ids"),
        visible_floor_ids=_ids(values, "visible_floor_ids"),
    )


def _ranges(values: JsonObject, name: str) -> tuple[FloorRange, ...]:
    ends = [
        (item.get("start_floor_no"), item.get("end_floor_no"))
        for item in _items(values, name)
        if isinstance(item, dict)
    ]
    return tuple(
        FloorRange(start, end)
        for start, end in ends
        if isinstance(start, int) and isinstance(end, int)
    )


def _ids(values: JsonObject, name: str) -> frozenset[str]:
    return frozenset(item for item in _items(values, name) if isinstance(item, str))


def _items(values: JsonObject, name: str) -> list[JsonValue]:
    found = values.get(name)
    return found if isinstance(found, list) else []


def _object(values: JsonObject, name: str) -> JsonObject:
    found = values.get(name)
    return found if isinstance(found, dict) else {}


def _member(values: JsonObject, name: str, usual: Member) -> Member:
    found = values.get(name)
    return next((member for member in type(usual) if member.value == found), usual)


def _flag(values: JsonObject, name: str) -> bool | None:
    found = values.get(name)
    return found if isinstance(found, bool) else None


def _positive(values: JsonObject, name: str) -> int | None:
    found = values.get(name)
    if not isinstance(found, int) or isinstance(found, bool):
        return None
    return found if found > 0 else None
