"""Normalise the filters of a load plan to the operators that clients know."""

from collections.abc import Mapping
from typing import Final

from yarrow.kit.json import JsonObject, JsonValue

OPERATORS: Final = frozenset(
    {
        *("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "IN", "NOT_IN"),
        *("LIKE", "ILIKE", "IS_NULL", "IS_NOT_NULL", "BETWEEN"),
    }
)
_WITHOUT_VALUE: Final = frozenset({"IS_NULL", "IS_NOT_NULL"})
_SPELLINGS: Final[Mapping[str, str]] = {
    "=": "EQ",
    "==": "EQ",
    "!=": "NEQ",
    "<>": "NEQ",
    ">": "GT",
    ">=": "GTE",
    "<": "LT",
    "<=": "LTE",
    "CONTAINS": "ILIKE",
}
_WILDCARD: Final = "%"


def normalise_filters(raw: JsonValue) -> list[JsonObject]:
    """The usable filters: without those that name no column or match everything."""
    items = raw if isinstance(raw, list) else []
    filters = (_normalise_filter(item) for item in items if isinstance(item, dict))
    return [usable for usable in filters if usable is not None]


def _normalise_filter(raw: JsonObject) -> JsonObject | None:
    column = raw.get("column")
    if not isinstance(column, str) or not column.strip():
        return None
    operator = _normalise_operator(raw.get("operator"))
    if operator in _WITHOUT_VALUE:
        return {"column": column, "operator": operator}
    value = raw.get("value")
    if isinstance(value, str) and _WILDCARD in value:
        value = value.replace(_WILDCARD, "")
        if not value:
            return None
        operator = "ILIKE" if operator == "EQ" else operator
    operator = "ILIKE" if operator == "LIKE" else operator
    return {"column": column, "operator": operator, "value": value}


def _normalise_operator(raw: JsonValue) -> str:
    """A known operator; an unknown one means equality."""
    spelled = raw.strip().upper().replace(" ", "_") if isinstance(raw, str) else ""
    known = _SPELLINGS.get(spelled, spelled)
    return known if known in OPERATORS else "EQ"
