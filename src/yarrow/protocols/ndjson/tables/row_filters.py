"""Filters of rows as a request spells them."""

from collections.abc import Sequence

from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.tables.model import ContainsFilter, InFilter, RangeFilter, RowFilter


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
