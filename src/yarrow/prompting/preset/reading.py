"""Reading values of a file that anybody may have written: a wrong type is a default and a note."""

import math
from collections.abc import Mapping, Sequence

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.preset.fields import current_name

LARGEST = 1_000_000_000


def objects(value: JsonValue) -> Sequence[JsonObject]:
    """The objects of a list; anything else has none."""
    if not isinstance(value, list):
        return ()
    return [item for item in value if isinstance(item, dict)]


def renamed(content: Mapping[str, JsonValue], known: frozenset[str]) -> JsonObject:
    """The same object under today's names; where both spellings are there, today's wins."""
    found: JsonObject = {}
    for name, value in content.items():
        today = current_name(name, known)
        if today == name or today not in content:
            found[today] = value
    return found


def as_text(value: JsonValue) -> str | None:
    """A string, with line ends as the model sees them; None for anything else."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else None


def as_number(value: JsonValue) -> float | None:
    """A finite number, also one written as a string; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def as_whole(value: JsonValue) -> int | None:
    """A whole number, kept within what a prompt can mean; None for anything else."""
    number = as_number(value)
    if number is None or number != int(number):
        return None
    return max(-LARGEST, min(LARGEST, int(number)))


def as_flag(value: JsonValue) -> bool | None:
    """True or false, also written as 0, 1 or a word; None for anything else."""
    if isinstance(value, bool):
        return value
    return {"true": True, "1": True, "false": False, "0": False}.get(str(value).lower())
