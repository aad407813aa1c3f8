"""Count tokens, and cache the counts by text."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol, TypeAlias

from rs_bpe.bpe import openai  # type: ignore[import-not-found]

CountTokens: TypeAlias = Callable[[str], int]

_CACHED_ENTRIES = 20_000
_CACHED_CHARACTERS = 4_000_000
_MAX_CACHED_LENGTH = 50_000
_LINE_END = re.compile(r"\n(?=[^\s/])")
"""o200k always splits after such a line end: no token continues with a letter after a newline."""

_MAX_LINES = 200
_PIECE = 100_000
"""The tokenizer holds the GIL: longer texts are counted in pieces, so other threads can run."""


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...


class TokenCounter:
    """Counts tokens of OpenAI's o200k vocabulary, with a bounded cache of two generations.

    When the recent generation is full it replaces the older one. Lines are cached too: a new text
    mostly consists of known lines. Threads may share a counter without a lock; in a race, at worst
    a count is computed twice or the size limit is slightly exceeded.
    """

    def __init__(
        self, *, entries: int = _CACHED_ENTRIES, characters: int = _CACHED_CHARACTERS
    ) -> None:
        self._max_entries, self._max_characters = entries // 2, characters // 2
        self._characters = 0
        self._recent: dict[str, int] = {}
        self._older: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        count = self._recent.get(text)
        return self._look_up_count(text) if count is None else count

    def total(self, texts: Sequence[str]) -> int:
        """Count many texts; most were counted before."""
        counts = list(map(self._recent.get, texts))
        if None in counts:
            counts = list(map(self, texts))
        return sum(filter(None, counts))

    def _look_up_count(self, text: str) -> int:
        if len(text) > _MAX_CACHED_LENGTH:
            return _count_tokens(text)
        count = self._older.get(text)
        if count is None:
            *lines, last = _LINE_END.split(text, maxsplit=_MAX_LINES)
            count = (
                sum(self(f"{line}\n") for line in lines) + self(last)
                if lines
                else _count_tokens(text)
            )
        self._store_count(text, count)
        return count

    def _store_count(self, text: str, count: int) -> None:
        recent = self._recent
        if text not in recent:
            self._characters += len(text)
        recent[text] = count
        if len(recent) > self._max_entries or self._characters > self._max_characters:
            self._older, self._recent, self._characters = recent, {}, 0


def count_total_tokens(texts: Sequence[str], count: CountTokens) -> int:
    """Count the tokens of many texts, past the cache of an assembly: each is counted once."""
    counter = getattr(count, "__wrapped__", count)
    return counter.total(texts) if isinstance(counter, TokenCounter) else sum(map(count, texts))


def estimate_tokens(text: str) -> int:
    """Estimate without a vocabulary: one token per four UTF-16 units, rounded up."""
    units = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return -(-units // 4)


def _count_tokens(text: str) -> int:
    tokenizer = _o200k()
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    return sum(tokenizer.count(_replace_surrogates(piece)) for piece in pieces)


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which the tokenizer rejects."""
    return text if text.isascii() else text.encode(errors="replace").decode()


@cache
def _o200k() -> _Tokenizer:
    tokenizer: _Tokenizer = openai.o200k_base()
    return tokenizer
