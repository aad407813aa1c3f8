"""What the values in a condition amount to."""

from typing import assert_never

from yarrow.prompting.macros.expansion import KeptRaw
from yarrow.prompting.macros.model import WarningCode
from yarrow.prompting.macros.nodes import Comparison
from yarrow.prompting.macros.values import finite_number

_FALSE = frozenset({"", "false", "0", "off", "no"})


def is_truthy(text: str) -> bool:
    return text.strip().lower() not in _FALSE


def unquoted(text: str) -> str:
    """Without a pair of quotes around it."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def relates(left: str, comparison: Comparison, right: str) -> bool:
    """Raises `KeptRaw` when texts are asked which is greater."""
    match comparison:
        case Comparison.EQUAL:
            return _equal(left, right)
        case Comparison.UNEQUAL:
            return not _equal(left, right)
        case Comparison.CONTAINS:
            return right in left
        case Comparison.STARTS_WITH:
            return left.startswith(right)
        case Comparison.GREATER:
            return _number(left) > _number(right)
        case Comparison.LESS:
            return _number(left) < _number(right)
        case Comparison.AT_LEAST:
            return _number(left) >= _number(right)
        case Comparison.AT_MOST:
            return _number(left) <= _number(right)
        case _:
            assert_never(comparison)


def _equal(left: str, right: str) -> bool:
    """As numbers if both are, else letter by letter."""
    one, other = finite_number(left), finite_number(right)
    return left == right if one is None or other is None else one == other


def _number(text: str) -> float:
    number = finite_number(text)
    if number is None:
        raise KeptRaw(WarningCode.ARG_TYPE_INVALID, f"{text[:40]!r} is not a number")
    return number
