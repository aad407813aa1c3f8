"""Read arguments that a model gave to a tool."""

from yarrow.kit.json import JsonObject


def read_text(arguments: JsonObject, name: str) -> str:
    """The string; empty if it is none."""
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def read_texts(arguments: JsonObject, name: str) -> list[str]:
    """The non-empty strings of a list; a single string counts as a list of one."""
    value = arguments.get(name)
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str) and item]


def read_int(arguments: JsonObject, name: str) -> int | None:
    value = arguments.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
