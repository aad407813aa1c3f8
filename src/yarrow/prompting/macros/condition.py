"""Conditions of if blocks: or < and < not < comparison < value.

Read once, with the text; what a macro in a condition gives is asked for only when it is judged,
so a side that is skipped is never evaluated.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from yarrow.prompting.macros.model import WarningCode
from yarrow.prompting.macros.nodes import (
    AllOf,
    AnyOf,
    Compared,
    Comparison,
    Condition,
    Defect,
    Macro,
    Negated,
    Operand,
    Piece,
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
_WORD_COMPARISONS = frozenset({Comparison.CONTAINS, Comparison.STARTS_WITH})
_MOST_BRACKETS = 24
_MOST_TOKENS = 2_000


class _Mark(StrEnum):
    OPEN = "("
    CLOSE = ")"
    AND = "and"
    OR = "or"
    NOT = "not"


_KEYWORDS: dict[str, _Mark | Comparison] = {
    **{mark.value: mark for mark in (_Mark.AND, _Mark.OR, _Mark.NOT)},
    **{comparison.value: comparison for comparison in _WORD_COMPARISONS},
}

_Token = Operand | Comparison | _Mark


class _Unreadable(Exception):
    """The condition cannot be judged."""

    def __init__(self, code: WarningCode, message: str) -> None:
        super().__init__(message)
        self.defect = Defect(code, message)


@dataclass(slots=True)
class WordReader:
    """What a bare word may stand for: a variable (`.x`, `$x`), or a macro when it stands alone."""

    variable: Callable[[str], Macro | None]
    macro: Callable[[str], Macro]


def read_condition(pieces: Sequence[Piece], words: WordReader) -> Condition | Defect:
    """The condition, or why it cannot be judged. A blank one is an empty value: false."""
    try:
        tokens = _Lexer(pieces, words).tokens()
        return _Parser(tokens).condition() if tokens else Operand("")
    except _Unreadable as unreadable:
        return unreadable.defect


class _Lexer:
    """Splits literal text into tokens; macros between the texts are values."""

    def __init__(self, pieces: Sequence[Piece], words: WordReader) -> None:
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
                self._tokens.append(Operand((piece,), unquote=True))
            self._index, self._position = self._index + 1, 0
        return self._tokens

    def _lexeme(self, text: str) -> None:
        found = _LEXEME.match(text, self._position)
        if found is None:
            raise _Unreadable(
                WarningCode.CONDITION_UNSUPPORTED,
                f"{text[self._position]!r} has no meaning in a condition",
            )
        if len(self._tokens) > _MOST_TOKENS:
            raise _Unreadable(WarningCode.STEP_LIMIT_EXCEEDED, f"more than {_MOST_TOKENS} words")
        self._position = found.end()
        match found.lastgroup:
            case "comparison":
                self._tokens.append(Comparison(found[0]))
            case "bracket":
                self._tokens.append(_Mark(found[0]))
            case "quote":
                self._quoted(found[0])
            case "number":
                self._tokens.append(Operand(found[0]))
            case "word":
                self._word(found[0])

    def _word(self, word: str) -> None:
        if (keyword := _KEYWORDS.get(word.lower())) is not None:
            self._tokens.append(keyword)
        elif (variable := self._words.variable(word)) is not None:
            self._tokens.append(Operand((variable,)))
        else:
            self._tokens.append(Operand(word, named=self._words.macro(word)))

    def _quoted(self, quote: str) -> None:
        """Up to the closing quote; macros inside the quotes are part of the value."""
        inside: list[Piece] = []
        while self._index < len(self._pieces):
            piece = self._pieces[self._index]
            if isinstance(piece, str):
                found = _QUOTED[quote].match(piece, self._position)
                end = found.end() if found else self._position
                inside.append(_ESCAPED.sub(r"\1", piece[self._position : end]))
                if end < len(piece) and piece[end] == quote:
                    self._position = end + 1
                    self._tokens.append(Operand(tuple(inside)))
                    return
            else:
                inside.append(piece)
            self._index, self._position = self._index + 1, 0
        raise _Unreadable(WarningCode.PARSE_FAILED, "a quote is not closed")


class _Parser:
    """Recursive descent; brackets are the only thing that nests."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens, self._position, self._brackets = tokens, 0, 0

    def condition(self) -> Condition:
        found = self._any_of()
        if self._position < len(self._tokens):
            raise _Unreadable(WarningCode.PARSE_FAILED, "something follows the condition's end")
        return found

    def _any_of(self) -> Condition:
        parts = [self._all_of()]
        while self._take(_Mark.OR):
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all_of(self) -> Condition:
        parts = [self._negated()]
        while self._take(_Mark.AND):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _negated(self) -> Condition:
        odd = False
        while self._take(_Mark.NOT):
            odd = not odd
        inner = self._compared()
        return Negated(inner) if odd else inner

    def _compared(self) -> Condition:
        left = self._primary()
        comparison = self._peek()
        if not isinstance(comparison, Comparison):
            return left
        self._position += 1
        right = self._primary()
        if not isinstance(left, Operand) or not isinstance(right, Operand):
            raise _Unreadable(WarningCode.PARSE_FAILED, "only values can be compared")
        return Compared(left, comparison, right)

    def _primary(self) -> Condition:
        token = self._peek()
        self._position += 1
        match token:
            case Operand():
                return token
            case _Mark.OPEN:
                return self._bracketed()
            case _:
                raise _Unreadable(WarningCode.PARSE_FAILED, "a value is missing")

    def _bracketed(self) -> Condition:
        self._brackets += 1
        if self._brackets > _MOST_BRACKETS:
            raise _Unreadable(WarningCode.DEPTH_LIMIT_EXCEEDED, "too many brackets")
        inner = self._any_of()
        if not self._take(_Mark.CLOSE):
            raise _Unreadable(WarningCode.PARSE_FAILED, "a bracket is not closed")
        self._brackets -= 1
        return inner

    def _peek(self) -> _Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self, mark: _Mark) -> bool:
        taken = self._peek() is mark
        self._position += taken
        return taken
