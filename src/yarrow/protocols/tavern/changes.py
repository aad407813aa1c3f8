"""Changes of JSON values to the wire."""

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.kit.json_changes import FieldChange, find_changes


def encode_changes(left: JsonValue, right: JsonValue) -> list[JsonObject]:
    """What was added, removed and changed, each with its path."""
    return [encode_field_change(change) for change in find_changes(left, right)]


def encode_field_change(change: FieldChange) -> JsonObject:
    return {
        "path": change.path,
        "change_type": change.change_type.value,
        "left": change.left,
        "right": change.right,
    }
