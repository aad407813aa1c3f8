"""Counting tokens. A text's count is asked for once and remembered."""

import threading
from collections.abc import Callable
from functools import cache
from typing import Protocol, TypeAlias

from rs_bpe.bpe import openai  # type: ignore[import-not-found]

CountTokens: TypeAlias = Callable[[str], int]

_KEPT_ENTRIES = 20_000
_KEPT_CHARACTERS = 4_000_000
_LONGEST_KEPT = 50_000
_PIECE = 100_000
"""The tokenizer holds the GIL: a longer text is counted in pieces, so that others get a turn."""


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...


class TokenCounter:
    """Counts tokens of OpenAI's o200k vocabulary; may be called from several threads."""

    def __init__(self, *, entries: int = _KEPT_ENTRIES, characters: int = _KEPT_CHARACTERS) -> None:
        self._max_entries = entries
        self._max_characters = characters
        self._characters = 0
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def __call__(self, text: str) -> int:
        with self._lock:
            count = self._counts.pop(text, None)
            if count is not None:
                # Written again at the end: what was not used for longest stands first.
                self._counts[text] = count
                return count
        count = _count(text)
        if len(text) <= _LONGEST_KEPT:
            self._keep(text, count)
        return count

    def _keep(self, text: str, count: int) -> None:
        with self._lock:
            if text not in self._counts:
                self._characters += len(text)
            self._counts[text] = count
            while len(self._counts) > self._max_entries or self._characters > self._max_characters:
                oldest = next(iter(self._counts))
                del self._counts[oldest]
                self._characters -= len(oldest)


def quarter_of_utf16(text: str) -> int:
    """A guess without a vocabulary: a token for every four UTF-16 units, rounded up."""
    units = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return -(-units // 4)


def _count(text: str) -> int:
    tokenizer = _o200k()
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    return sum(tokenizer.count(_sound(piece)) for piece in pieces)


def _sound(text: str) -> str:
    """The text without lone surrogates, which the tokenizer refuses."""
    return text if text.isascii() else text.encode(errors="replace").decode()


@cache
def _o200k() -> _Tokenizer:
    tokenizer: _Tokenizer = openai.o200k_base()
    return tokenizer
