"""Truth and comparison of values in a condition."""

from typing import assert_never

from yarrow.prompting.macros.expansion import KeepRaw
from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.macros.nodes import ComparisonOperator
from yarrow.prompting.macros.values import parse_number

_FALSE = frozenset({"", "false", "0", "off", "no"})


def is_truthy(text: str) -> bool:
    return text.strip().lower() not in _FALSE


def strip_quotes(text: str) -> str:
    """Remove one pair of quotes around the text."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def compare_values(left: str, comparison: ComparisonOperator, right: str) -> bool:
    """Compare two values; raises `KeepRaw` if an order is asked of values that are not numbers."""
    match comparison:
        case ComparisonOperator.EQUAL:
            return _are_equal(left, right)
        case ComparisonOperator.UNEQUAL:
            return not _are_equal(left, right)
        case ComparisonOperator.CONTAINS:
            return right in left
        case ComparisonOperator.STARTS_WITH:
            return left.startswith(right)
        case ComparisonOperator.GREATER:
            return _require_number(left) > _require_number(right)
        case ComparisonOperator.LESS:
            return _require_number(left) < _require_number(right)
        case ComparisonOperator.AT_LEAST:
            return _require_number(left) >= _require_number(right)
        case ComparisonOperator.AT_MOST:
            return _require_number(left) <= _require_number(right)
        case _:
            assert_never(comparison)


def _are_equal(left: str, right: str) -> bool:
    """Compare as numbers if both are, else as strings."""
    one, other = parse_number(left), parse_number(right)
    return left == right if one is None or other is None else one == other


def _require_number(text: str) -> float:
    number = parse_number(text)
    if number is None:
        raise KeepRaw(MacroWarningCode.ARG_TYPE_INVALID, f"{text[:40]!r} is not a number")
    return number
