"""What a load plan wants of a table, checked against the kept catalogue."""

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sources.model import SourceTable

_NAMES = ("columns", "group_by")
_OBJECTS = ("filters", "aggregates")


def complete_selection(table: SourceTable, selection: JsonObject) -> JsonObject:
    """The selection with the table's parts; `InvalidInput` for a column that it does not have."""
    known = {column.name for column in table.columns}
    for field in (*_NAMES, *_OBJECTS, "order_by"):
        for item in _read_items(selection, field):
            name = item.get("column") if isinstance(item, dict) else item
            if name is not None and known and name not in known:
                raise InvalidInput(f"{table.key} has no column {name}", field=field)
    parts = [part for part in (table.schema, table.name) if part]
    return {**selection, "table": list(parts)}


def _read_items(selection: JsonObject, field: str) -> list[JsonValue]:
    value = selection.get(field)
    return value if isinstance(value, list) else []
