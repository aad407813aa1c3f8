"""Parse the conditions of if blocks; precedence: or < and < not < comparison < value.

Conditions are parsed once, with the text. Macros in them are evaluated only when needed, so a
short-circuited side has no effects.
"""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct

from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.macros.nodes import (
    AndCondition,
    ComparisonCondition,
    ComparisonOperator,
    Condition,
    ConditionOperand,
    MacroNode,
    NotCondition,
    OrCondition,
    SyntaxDefect,
    TemplatePiece,
)

_WORD_END = r"\s()\"'=!<>,+\-*/?;:\[\]{}|&%^~\\"
_LEXEME = re.compile(
    rf"""(?P<space>\s+)|(?P<comparison>[=!<>]=|[<>])|(?P<bracket>[()])|(?P<quote>["'])"""
    rf"""|(?P<number>-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?![^{_WORD_END}]))"""
    rf"""|(?P<word>[^{_WORD_END}]+)""",
    re.X,
)
_QUOTED = {quote: re.compile(rf"(?:[^\\{quote}]|\\.)*", re.S) for quote in "\"'"}
_ESCAPED = re.compile(r"\\(.)", re.S)
_WORD_COMPARISONS = frozenset({ComparisonOperator.CONTAINS, ComparisonOperator.STARTS_WITH})
_MAX_BRACKETS = 24
_MAX_TOKENS = 2_000


class _ConditionToken(StrEnum):
    OPEN = "("
    CLOSE = ")"
    AND = "and"
    OR = "or"
    NOT = "not"


_KEYWORDS: dict[str, _ConditionToken | ComparisonOperator] = {
    **{mark.value: mark for mark in (_ConditionToken.AND, _ConditionToken.OR, _ConditionToken.NOT)},
    **{comparison.value: comparison for comparison in _WORD_COMPARISONS},
}

_Token = ConditionOperand | ComparisonOperator | _ConditionToken


class _InvalidCondition(Exception):
    """The condition cannot be evaluated."""

    def __init__(self, code: MacroWarningCode, message: str) -> None:
        super().__init__(message)
        self.defect = SyntaxDefect(code, message)


class WordReader(Struct):
    """Reads a bare word as a variable (`.x`, `$x`), or as a macro if it is not compared."""

    variable: Callable[[str], MacroNode | None]
    macro: Callable[[str], MacroNode]


def parse_condition(pieces: Sequence[TemplatePiece], words: WordReader) -> Condition | SyntaxDefect:
    """Parse a condition, or return its defect. A blank condition is an empty value: false."""
    try:
        tokens = _ConditionLexer(pieces, words).read_tokens()
        return _ConditionParser(tokens).parse() if tokens else ConditionOperand("")
    except _InvalidCondition as error:
        return error.defect


class _ConditionLexer:
    """Splits literal text into tokens; macros between texts are operands."""

    def __init__(self, pieces: Sequence[TemplatePiece], words: WordReader) -> None:
        self._pieces, self._words = pieces, words
        self._index = self._position = 0
        self._tokens: list[_Token] = []

    def read_tokens(self) -> list[_Token]:
        while self._index < len(self._pieces):
            piece = self._pieces[self._index]
            if isinstance(piece, str) and self._position < len(piece):
                self._read_lexeme(piece)
                continue
            if not isinstance(piece, str):
                self._tokens.append(ConditionOperand((piece,), unquote=True))
            self._index, self._position = self._index + 1, 0
        return self._tokens

    def _read_lexeme(self, text: str) -> None:
        match = _LEXEME.match(text, self._position)
        if match is None:
            raise _InvalidCondition(
                MacroWarningCode.CONDITION_UNSUPPORTED,
                f"{text[self._position]!r} has no meaning in a condition",
            )
        if len(self._tokens) > _MAX_TOKENS:
            raise _InvalidCondition(
                MacroWarningCode.STEP_LIMIT_EXCEEDED, f"more than {_MAX_TOKENS} words"
            )
        self._position = match.end()
        match match.lastgroup:
            case "comparison":
                self._tokens.append(ComparisonOperator(match[0]))
            case "bracket":
                self._tokens.append(_ConditionToken(match[0]))
            case "quote":
                self._read_quoted(match[0])
            case "number":
                self._tokens.append(ConditionOperand(match[0]))
            case "word":
                self._read_word(match[0])

    def _read_word(self, word: str) -> None:
        if (keyword := _KEYWORDS.get(word.lower())) is not None:
            self._tokens.append(keyword)
        elif (variable := self._words.variable(word)) is not None:
            self._tokens.append(ConditionOperand((variable,)))
        else:
            self._tokens.append(ConditionOperand(word, named=self._words.macro(word)))

    def _read_quoted(self, quote: str) -> None:
        """Read up to the closing quote; macros inside the quotes are part of the value."""
        inside: list[TemplatePiece] = []
        while self._index < len(self._pieces):
            piece = self._pieces[self._index]
            if isinstance(piece, str):
                match = _QUOTED[quote].match(piece, self._position)
                end = match.end() if match else self._position
                inside.append(_ESCAPED.sub(r"\1", piece[self._position : end]))
                if end < len(piece) and piece[end] == quote:
                    self._position = end + 1
                    self._tokens.append(ConditionOperand(tuple(inside)))
                    return
            else:
                inside.append(piece)
            self._index, self._position = self._index + 1, 0
        raise _InvalidCondition(MacroWarningCode.PARSE_FAILED, "a quote is not closed")


class _ConditionParser:
    """Recursive descent; only brackets nest."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens, self._position, self._brackets = tokens, 0, 0

    def parse(self) -> Condition:
        condition = self._parse_or()
        if self._position < len(self._tokens):
            raise _InvalidCondition(
                MacroWarningCode.PARSE_FAILED, "something follows the condition's end"
            )
        return condition

    def _parse_or(self) -> Condition:
        parts = [self._parse_and()]
        while self._take_token(_ConditionToken.OR):
            parts.append(self._parse_and())
        return parts[0] if len(parts) == 1 else OrCondition(tuple(parts))

    def _parse_and(self) -> Condition:
        parts = [self._parse_not()]
        while self._take_token(_ConditionToken.AND):
            parts.append(self._parse_not())
        return parts[0] if len(parts) == 1 else AndCondition(tuple(parts))

    def _parse_not(self) -> Condition:
        is_negated = False
        while self._take_token(_ConditionToken.NOT):
            is_negated = not is_negated
        inner = self._parse_comparison()
        return NotCondition(inner) if is_negated else inner

    def _parse_comparison(self) -> Condition:
        left = self._parse_primary()
        comparison = self._peek_token()
        if not isinstance(comparison, ComparisonOperator):
            return left
        self._position += 1
        right = self._parse_primary()
        if not isinstance(left, ConditionOperand) or not isinstance(right, ConditionOperand):
            raise _InvalidCondition(MacroWarningCode.PARSE_FAILED, "only values can be compared")
        return ComparisonCondition(left, comparison, right)

    def _parse_primary(self) -> Condition:
        token = self._peek_token()
        self._position += 1
        match token:
            case ConditionOperand():
                return token
            case _ConditionToken.OPEN:
                return self._parse_brackets()
            case _:
                raise _InvalidCondition(MacroWarningCode.PARSE_FAILED, "a value is missing")

    def _parse_brackets(self) -> Condition:
        self._brackets += 1
        if self._brackets > _MAX_BRACKETS:
            raise _InvalidCondition(MacroWarningCode.DEPTH_LIMIT_EXCEEDED, "too many brackets")
        inner = self._parse_or()
        if not self._take_token(_ConditionToken.CLOSE):
            raise _InvalidCondition(MacroWarningCode.PARSE_FAILED, "a bracket is not closed")
        self._brackets -= 1
        return inner

    def _peek_token(self) -> _Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take_token(self, mark: _ConditionToken) -> bool:
        is_match = self._peek_token() is mark
        self._position += is_match
        return is_match
