"""Arithmetic with exact numbers; models are bad at it."""

import ast
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Annotated, Final

from msgspec import Meta

from yarrow.kit.json import JsonObject, encode_json
from yarrow.tools.arguments import WITHOUT_NUL, Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS

MAX_CHARS = 200
MAX_DIGITS = 200
"""Of a value on the way, before or behind the decimal point."""
EXACT_DECIMALS = 20
"""More decimals come from a root or a constant, which are computed to 35 digits or more."""
ROUNDED_DIGITS = 12
"""Digits of a result that has no finite decimal form."""

_SIGNS: Final = str.maketrans(
    {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "＋": "+", "－": "-", "＊": "*", "／": "/"}
    | {"（": "(", "）": ")", "，": ",", "％": "%", "^": "**", "π": "pi"}
)
_OPERATORS: Final[dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: Fraction(left // right),
    ast.Mod: lambda left, right: left % right,
}
_FUNCTIONS: Final[dict[str, Callable[[Sequence[Fraction]], Fraction]]] = {
    "sqrt": lambda values: compute_root(values[0]),
    "abs": lambda values: abs(values[0]),
    "min": min,
    "max": max,
}
_CONSTANTS: Final = {
    "pi": Fraction("3.14159265358979323846264338327950288"),
    "e": Fraction("2.71828182845904523536028747135266250"),
}
_TOKENS: Final = re.compile(
    r"(?:\d[\d_]*(?:\.\d*)?(?:e[+-]?\d{1,3})?(?![\w.])|\.\d+(?![\w.])|[-+*/%(),\s]"
    r"|\b(?:sqrt|abs|min|max|pi|e)\b)+"
)
_HOW = "use numbers, + - * / % ** and parentheses, sqrt, abs, min, max"


class CalculateArguments(Arguments, frozen=True):
    expression: Annotated[
        str,
        Meta(
            description=f"An arithmetic expression: {_HOW}. A % right behind a number that no "
            "operand follows means percent.",
            min_length=1,
            max_length=MAX_CHARS,
            pattern=WITHOUT_NUL,
        ),
    ]


class Calculate:
    """Evaluates an expression with fractions, so that 0.1 + 0.2 is 0.3."""

    description = ToolDescription(
        name="calculate",
        description="The exact value of an arithmetic expression. Use it for every calculation.",
        parameters=build_parameters(CalculateArguments),
    )

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        expression = read_arguments(CalculateArguments, arguments).expression.strip()
        value, is_exact = write_number(evaluate_expression(expression))
        result = {"expression": expression, "value": value, "exact": is_exact}
        words = WORDS[caller.language]
        title = value if is_exact else f"≈ {value}"
        return ToolAnswer(
            encode_json(result).decode(),
            {"title": title, "facts": {words.expression: expression or "0"}},
        )


def evaluate_expression(expression: str) -> Fraction:
    """The value of an expression; `ToolError` with a text for the model if it has none."""
    text = _write_percent(expression.translate(_SIGNS).strip().rstrip("=").strip())
    try:
        if not _TOKENS.fullmatch(text):
            raise ValueError(text)
        return _evaluate_node(ast.parse(text, mode="eval").body, text)
    except ZeroDivisionError:
        raise ToolError("division by zero has no value") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError, TypeError):
        raise ToolError(f"this is no arithmetic expression; {_HOW}") from None


def write_number(value: Fraction) -> tuple[str, bool]:
    """The number as text, and whether that is exact."""
    with localcontext() as context:
        context.prec = MAX_DIGITS + EXACT_DECIMALS + 1
        if _has_finite_form(value):
            exact = Decimal(value.numerator) / Decimal(value.denominator)
            text = f"{exact:f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
            if len(text.partition(".")[2]) <= EXACT_DECIMALS:
                return text, True
        context.prec = ROUNDED_DIGITS
        rounded = Decimal(value.numerator) / Decimal(value.denominator)
        return f"{rounded.normalize():f}", False


def compute_root(value: Fraction) -> Fraction:
    """The square root, exact where it is a fraction, else to 40 digits."""
    if value < 0:
        raise ToolError("the square root of a negative number is not real")
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        return Fraction(top, bottom)
    with localcontext() as context:
        context.prec = 40
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())


def _write_percent(text: str) -> str:
    """Write a percent sign that is no modulo as a division by 100; 50 / 20% is 50 / (20/100)."""
    pieces = text.split("%")
    written = pieces[0]
    for piece in pieces[1:]:
        is_modulo = piece.lstrip()[:1].isalnum() or piece.lstrip()[:1] in ("(", ".")
        written = f"{written}%{piece}" if is_modulo else f"{_divide_operand(written)}{piece}"
    return written


_LAST_NUMBER: Final = re.compile(r"(?:\d[\d_]*(?:\.\d*)?|\.\d+)\s*$")


def _divide_operand(text: str) -> str:
    """The text with its last operand, a number or parentheses, divided by 100."""
    number = _LAST_NUMBER.search(text)
    start = number.start() if number else _find_opening(text)
    return f"{text[:start]}({text[start:]}/100)"


def _find_opening(text: str) -> int:
    """Where the parentheses at the end begin, with the function before them; else 0."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0 and text[at] == "(":
            return len(text[:at].rstrip("abcdefghijklmnopqrstuvwxyz"))
    return 0


def _evaluate_node(node: ast.expr, text: str) -> Fraction:
    """The value of a part of the text. Numbers are read from the text: those of the tree are
    floats, which have lost digits."""
    match node:
        case ast.Constant():
            return _require_few_digits(Fraction(ast.get_source_segment(text, node) or ""))
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate_node(operand, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _evaluate_node(operand, text)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _raise_power(_evaluate_node(left, text), _evaluate_node(right, text))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return _require_few_digits(
                _OPERATORS[type(operator)](_evaluate_node(left, text), _evaluate_node(right, text))
            )
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as operands, keywords=[]) if (
            name in _FUNCTIONS
        ):
            return _require_few_digits(
                _FUNCTIONS[name]([_evaluate_node(operand, text) for operand in operands])
            )
        case _:
            raise ValueError(ast.dump(node))


def _raise_power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent == Fraction(1, 2):
        return compute_root(base)
    if exponent.denominator != 1:
        raise ToolError("only whole exponents and 0.5 are supported")
    digits = max(len(str(abs(base.numerator))), len(str(base.denominator)))
    if digits * abs(exponent) > 2 * MAX_DIGITS:
        raise ToolError(f"the value has more than {MAX_DIGITS} digits")
    return _require_few_digits(base ** int(exponent))


def _require_few_digits(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator) >= 10**MAX_DIGITS:
        raise ToolError(f"the value has more than {MAX_DIGITS} digits")
    return value


def _has_finite_form(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1
