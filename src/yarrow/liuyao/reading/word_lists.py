"""Words to look for in a question, compiled when they are first looked for.

A batch of castings needs few of them, and compiling one takes longer than a casting.
"""

import re
from functools import cached_property
from typing import Final


class LazyPattern:
    """A regular expression that is compiled when it is first searched for."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, re.IGNORECASE)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)


class WordList:
    """Words separated by `/`: English ones only as whole words, each may be a pattern.

    Plain Chinese words are looked for as they are, and only in a text that has the first
    character of one of them.
    """

    def __init__(self, words: str) -> None:
        parts = [word for word in words.split("/") if word]
        chinese = [word for word in parts if not word.isascii()]
        self._plain = tuple(word for word in chinese if not _PATTERN_SIGNS.intersection(word))
        self._first_characters = frozenset(word[0] for word in self._plain)
        patterns = [word for word in chinese if word not in self._plain]
        self._patterns = LazyPattern("|".join(patterns)) if patterns else None
        english = "|".join(word for word in parts if word.isascii())
        self._english = LazyPattern(rf"(?<![A-Za-z])(?:{english})s?(?![A-Za-z])")
        self._has_english = bool(english)

    def search(self, text: str) -> bool:
        """Whether the text has one of the words."""
        if not text.isascii():
            if not self._first_characters.isdisjoint(text) and any(
                word in text for word in self._plain
            ):
                return True
            if self._patterns is not None and self._patterns.search(text):
                return True
        return bool(self._has_english and _LATIN.search(text) and self._english.search(text))


_PATTERN_SIGNS: Final = frozenset("([?|{.")
_LATIN: Final = re.compile("[A-Za-z]")
