"""Counting tokens. A text's count is asked for once and remembered."""

import re
import threading
from collections.abc import Callable
from functools import cache
from typing import Protocol, TypeAlias

from rs_bpe.bpe import openai  # type: ignore[import-not-found]

CountTokens: TypeAlias = Callable[[str], int]

_KEPT_ENTRIES = 20_000
_KEPT_CHARACTERS = 4_000_000
_LONGEST_KEPT = 50_000
_LINE_END = re.compile(r"\n(?=[^\s/])")
"""After it o200k always parts: its tokens may end with newlines, none goes on with a letter."""

_MOST_LINES = 200
_PIECE = 100_000
"""The tokenizer holds the GIL: a longer text is counted in pieces, so that others get a turn."""


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...


class TokenCounter:
    """Counts tokens of OpenAI's o200k vocabulary; may be called from several threads.

    A text that is new as a whole mostly has lines that are not: those are remembered as well.
    Once half of what may be kept has been asked for, what was not asked for since goes.
    """

    def __init__(self, *, entries: int = _KEPT_ENTRIES, characters: int = _KEPT_CHARACTERS) -> None:
        self._most_entries, self._most_characters = entries // 2, characters // 2
        self._characters = 0
        self._recent: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self._lock = threading.Lock()

    def __call__(self, text: str) -> int:
        count = self._recent.get(text)
        return self._looked_up(text) if count is None else count

    def _looked_up(self, text: str) -> int:
        if len(text) > _LONGEST_KEPT:
            return _count_tokens(text)
        count = self._older.get(text)
        if count is None:
            *lines, last = _LINE_END.split(text, maxsplit=_MOST_LINES)
            count = (
                sum(self(f"{line}\n") for line in lines) + self(last)
                if lines
                else _count_tokens(text)
            )
        self._keep(text, count)
        return count

    def _keep(self, text: str, count: int) -> None:
        with self._lock:
            if text not in self._recent:
                self._characters += len(text)
            self._recent[text] = count
            if len(self._recent) > self._most_entries or self._characters > self._most_characters:
                self._older, self._recent, self._characters = self._recent, {}, 0


def estimate_tokens(text: str) -> int:
    """A guess without a vocabulary: a token for every four UTF-16 units, rounded up."""
    units = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return -(-units // 4)


def _count_tokens(text: str) -> int:
    tokenizer = _o200k()
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    return sum(tokenizer.count(_replace_surrogates(piece)) for piece in pieces)


def _replace_surrogates(text: str) -> str:
    """The text without lone surrogates, which the tokenizer refuses."""
    return text if text.isascii() else text.encode(errors="replace").decode()


@cache
def _o200k() -> _Tokenizer:
    tokenizer: _Tokenizer = openai.o200k_base()
    return tokenizer
