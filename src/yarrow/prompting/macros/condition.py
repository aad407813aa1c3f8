"""Conditions of if blocks: or < and < not < comparison < value.

Read once, with the text; what a macro in a condition gives is asked for only when it is judged,
so a side that is skipped is never evaluated.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

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
    """The condition cannot be judged."""

    def __init__(self, code: MacroWarningCode, message: str) -> None:
        super().__init__(message)
        self.defect = SyntaxDefect(code, message)


@dataclass(slots=True)
class WordReader:
    """What a bare word may stand for: a variable (`.x`, `$x`), or a macro when it stands alone."""

    variable: Callable[[str], MacroNode | None]
    macro: Callable[[str], MacroNode]


def parse_condition(pieces: Sequence[TemplatePiece], words: WordReader) -> Condition | SyntaxDefect:
    """The condition, or why it cannot be judged. A blank one is an empty value: false."""
    try:
        tokens = _ConditionLexer(pieces, words).tokens()
        return _ConditionParser(tokens).condition() if tokens else ConditionOperand("")
    except _InvalidCondition as unreadable:
        return unreadable.defect


class _ConditionLexer:
    """Splits literal text into tokens; macros between the texts are values."""

    def __init__(self, pieces: Sequence[TemplatePiece], words: WordReader) -> None:
        self._pieces, self._words = pieces, words
        self._index = self._position = 0
        self._tokens: list[_Token] = []

    def tokens(self) -> list[_Token]:
        while self._index < len(self._pieces):
            piece = self._pieces[self._index]
            if isinstance(piece, str) and self._position < len(piece):
                self._lexeme(piece)
                continue
            if not isinstance(piece, str):
                self._tokens.append(ConditionOperand((piece,), unquote=True))
            self._index, self._position = self._index + 1, 0
        return self._tokens

    def _lexeme(self, text: str) -> None:
        found = _LEXEME.match(text, self._position)
        if found is None:
            raise _InvalidCondition(
                MacroWarningCode.CONDITION_UNSUPPORTED,
                f"{text[self._position]!r} has no meaning in a condition",
            )
        if len(self._tokens) > _MAX_TOKENS:
            raise _InvalidCondition(
                MacroWarningCode.STEP_LIMIT_EXCEEDED, f"more than {_MAX_TOKENS} words"
            )
        self._position = found.end()
        match found.lastgroup:
            case "comparison":
                self._tokens.append(ComparisonOperator(found[0]))
            case "bracket":
                self._tokens.append(_ConditionToken(found[0]))
            case "quote":
                self._quoted(found[0])
            case "number":
                self._tokens.append(ConditionOperand(found[0]))
            case "word":
                self._word(found[0])

    def _word(self, word: str) -> None:
        if (keyword := _KEYWORDS.get(word.lower())) is not None:
            self._tokens.append(keyword)
        elif (variable := self._words.variable(word)) is not None:
            self._tokens.append(ConditionOperand((variable,)))
        else:
            self._tokens.append(ConditionOperand(word, named=self._words.macro(word)))

    def _quoted(self, quote: str) -> None:
        """Up to the closing quote; macros inside the quotes are part of the value."""
        inside: list[TemplatePiece] = []
        while self._index < len(self._pieces):
            piece = self._pieces[self._index]
            if isinstance(piece, str):
                found = _QUOTED[quote].match(piece, self._position)
                end = found.end() if found else self._position
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
    """Recursive descent; brackets are the only thing that nests."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens, self._position, self._brackets = tokens, 0, 0

    def condition(self) -> Condition:
        found = self._any_of()
        if self._position < len(self._tokens):
            raise _InvalidCondition(
                MacroWarningCode.PARSE_FAILED, "something follows the condition's end"
            )
        return found

    def _any_of(self) -> Condition:
        parts = [self._all_of()]
        while self._take(_ConditionToken.OR):
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else OrCondition(tuple(parts))

    def _all_of(self) -> Condition:
        parts = [self._negated()]
        while self._take(_ConditionToken.AND):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else AndCondition(tuple(parts))

    def _negated(self) -> Condition:
        odd = False
        while self._take(_ConditionToken.NOT):
            odd = not odd
        inner = self._compared()
        return NotCondition(inner) if odd else inner

    def _compared(self) -> Condition:
        left = self._primary()
        comparison = self._peek()
        if not isinstance(comparison, ComparisonOperator):
            return left
        self._position += 1
        right = self._primary()
        if not isinstance(left, ConditionOperand) or not isinstance(right, ConditionOperand):
            raise _InvalidCondition(MacroWarningCode.PARSE_FAILED, "only values can be compared")
        return ComparisonCondition(left, comparison, right)

    def _primary(self) -> Condition:
        token = self._peek()
        self._position += 1
        match token:
            case ConditionOperand():
                return token
            case _ConditionToken.OPEN:
                return self._bracketed()
            case _:
                raise _InvalidCondition(MacroWarningCode.PARSE_FAILED, "a value is missing")

    def _bracketed(self) -> Condition:
        self._brackets += 1
        if self._brackets > _MAX_BRACKETS:
            raise _InvalidCondition(MacroWarningCode.DEPTH_LIMIT_EXCEEDED, "too many brackets")
        inner = self._any_of()
        if not self._take(_ConditionToken.CLOSE):
            raise _InvalidCondition(MacroWarningCode.PARSE_FAILED, "a bracket is not closed")
        self._brackets -= 1
        return inner

    def _peek(self) -> _Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self, mark: _ConditionToken) -> bool:
        taken = self._peek() is mark
        self._position += taken
        return taken
