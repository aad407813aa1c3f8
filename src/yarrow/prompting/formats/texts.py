"""Texts of cards and personas: trimmed, with line feeds, and not endless."""

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue

NAME_CHARS = 120
TEXT_BYTES = 1024 * 1024


def read_text(fields: JsonObject, key: str, within: str = "") -> str:
    """A text that may be missing or null; `within` is where the fields are, for messages."""
    value = fields.get(key)
    return "" if value is None else clean_text(value, f"{within}{key}")


def clean_text(value: JsonValue, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{field}: must be text", field=field)
    if len(value.encode()) > TEXT_BYTES:
        raise InvalidInput(f"{field}: at most {TEXT_BYTES} bytes", field=field)
    return value.replace("\r\n", "\n").replace("\r", "\n").strip()
