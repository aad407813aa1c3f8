"""Arithmetic is exact, or says that it is not."""

import pytest

from yarrow.tools.calculate import evaluate_expression, write_number
from yarrow.tools.model import ToolError


@pytest.mark.parametrize(
    "expression, value, is_exact",
    [
        ("17 × 23", "391", True),
        ("0.1 + 0.2", "0.3", True),
        ("10 / 4", "2.5", True),
        ("2 ** 100", "1267650600228229401496703205376", True),
        ("2^8", "256", True),
        ("15% * 80", "12", True),
        ("17 % 5", "2", True),
        ("50 / 20%", "250", True),
        ("50 / (10 + 10)%", "250", True),
        ("3 / sqrt(16)%", "75", True),
        ("-5 // 2", "-3", True),
        ("sqrt(16)", "4", True),
        ("max(1, 2.5)", "2.5", True),
        ("100000000.123456789 - 100000000", "0.123456789", True),
        ("(8 * 10 ** 199 + 1) / 2", "4" + "0" * 199 + ".5", True),
        ("1 / 3", "0.333333333333", False),
        ("sqrt(2)", "1.41421356237", False),
        ("2 * pi", "6.28318530718", False),
        ("(1 + 2) * 3 =", "9", True),
    ],
)
def test_expressions_have_values(expression: str, value: str, is_exact: bool) -> None:
    assert write_number(evaluate_expression(expression)) == (value, is_exact)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "two",
        "1 +",
        "((((",
        "1 if 2 else 3",
        "__import__('os')",
        "a.b",
        "max()",
        "1_" * 90,
        "9**9**9",
        "10**201",
        "9" * 199 + "*" + "9" * 199,
        "sqrt(-1)",
        "1/0",
        "2**0.3",
        "1e999",
    ],
)
def test_what_has_no_value_is_refused_in_words(expression: str) -> None:
    with pytest.raises(ToolError):
        evaluate_expression(expression)
