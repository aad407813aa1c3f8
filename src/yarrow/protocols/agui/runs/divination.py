"""What seed 000 demands of a divination's request beyond the shape of AG-UI."""

from yarrow.agents.diviner.input import RuntimeMode, parse_input
from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.liuyao import derive
from yarrow.runs.model import SessionPolicy

_BASE: dict[str, type] = {"state": dict, "tools": list, "context": list}


def require_divination(raw: JsonValue, options: JsonObject) -> SessionPolicy:
    """All fields are there and can be derived from; a follow-up wants its session to exist."""
    asked = parse_input(options)
    for name, kind in _BASE.items():
        if not isinstance(raw.get(name), kind):
            word = "an object" if kind is dict else "an array"
            raise InvalidInput(f"{name} is required and must be {word}", field=name)
    derive(asked.cast)
    return SessionPolicy.MUST_EXIST if asked.mode is RuntimeMode.FOLLOW_UP else SessionPolicy.CREATE
