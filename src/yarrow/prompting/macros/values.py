"""Convert JSON values to text and text to numbers as JavaScript does."""

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal

from yarrow.kit.json import JsonValue

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_PADDED_EXPONENT = re.compile(r"e([+-])0+")
_MAX_NUMBER_LENGTH = 400
_MAX_LEVELS = 100


def format_value(value: JsonValue) -> str:
    """Format a variable: null is empty, objects are compact JSON in insertion order.

    Values nested deeper than 100 levels become null.
    """
    match value:
        case str():
            return value
        case None:
            return ""
        case _:
            return "".join(_iter_json(value, _MAX_LEVELS))


def parse_number(text: str) -> float | None:
    """Parse a finite number; None for anything else."""
    trimmed = text.strip()
    if len(trimmed) > _MAX_NUMBER_LENGTH or not _NUMBER.fullmatch(trimmed):
        return None
    number = float(trimmed)
    return number if math.isfinite(number) else None


def format_number(number: float) -> str:
    """Format as JavaScript does: 1, 0.5, 0.00001, 1e+21, 1e-7, Infinity."""
    if number == 0:
        return "0"
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    shortest = repr(number)
    if 1e-6 <= abs(number) < 1e21:
        return format(Decimal(shortest), "f").removesuffix(".0")
    return _PADDED_EXPONENT.sub(r"e\1", shortest)


def _iter_json(value: JsonValue, levels: int) -> Iterator[str]:
    match value:
        case True:
            yield "true"
        case False:
            yield "false"
        case int() | float():
            yield format_number(_to_float(value)) if abs(value) >= 2**53 else _format_small(value)
        case str():
            yield json.dumps(value, ensure_ascii=False)
        case list() if levels:
            yield "["
            for index, item in enumerate(value):
                yield "," if index else ""
                yield from _iter_json(item, levels - 1)
            yield "]"
        case dict() if levels:
            yield "{"
            for index, (key, item) in enumerate(value.items()):
                yield ("," if index else "") + json.dumps(key, ensure_ascii=False) + ":"
                yield from _iter_json(item, levels - 1)
            yield "}"
        case _:
            yield "null"


def _format_small(value: float) -> str:
    return str(value) if isinstance(value, int) else format_number(value)


def _to_float(value: float) -> float:
    """Convert to the only number type JavaScript has; too large ones are infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
