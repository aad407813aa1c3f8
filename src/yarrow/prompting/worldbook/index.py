"""Finding thousands of plain keys in a text at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ahocorasick_rs import AhoCorasick, MatchKind

from yarrow.prompting.worldbook.keys import fold, stands_alone, whole

Span: TypeAlias = tuple[int, int]
"""Start and end of a hit, in Python characters."""

KEPT_TEXTS = 4096
KEPT_LENGTH = 8192
"""Longer texts are rare and would make the memory of scanned texts large."""


@dataclass(frozen=True, slots=True)
class Needle:
    """A plain key with how it is to be looked for."""

    text: str
    exact: bool
    whole: bool


class KeyIndex:
    """One automaton for keys with case and one for keys without.

    Texts repeat from turn to turn, so what was found in them is remembered.
    """

    def __init__(self, needles: Mapping[int, Needle]) -> None:
        self._whole = frozenset(number for number, needle in needles.items() if needle.whole)
        self._exact = _Automaton({n: key.text for n, key in needles.items() if key.exact})
        self._folded = _Automaton(
            {n: fold(key.text) for n, key in needles.items() if not key.exact}
        )
        self._remembered = lru_cache(maxsize=KEPT_TEXTS)(self._find)

    def find(self, text: str) -> Mapping[int, Span]:
        """Where each needle that occurs does so first."""
        return self._remembered(text) if len(text) <= KEPT_LENGTH else self._find(text)

    def _find(self, text: str) -> Mapping[int, Span]:
        spans: dict[int, Span] = {}
        self._collect(self._folded, fold(text), text=text, spans=spans)
        self._collect(self._exact, text, text=text, spans=spans)
        return spans

    def _collect(
        self, automaton: "_Automaton", view: str, *, text: str, spans: dict[int, Span]
    ) -> None:
        for needle, start, end in automaton.hits(view):
            if needle in spans:
                continue
            if needle not in self._whole or stands_alone(text, start, end):
                spans[needle] = (start, end)


class _Automaton:
    """Texts to look for; several needles may share one text."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        owners: dict[str, list[int]] = {}
        for number, text in texts.items():
            owners.setdefault(whole(text), []).append(number)
        self._owners = list(owners.values())
        self._search = AhoCorasick(list(owners), matchkind=MatchKind.Standard)

    def hits(self, view: str) -> list[tuple[int, int, int]]:
        """Every hit of every needle, from left to right for each of them."""
        if not self._owners:
            return []
        try:
            found = self._search.find_matches_as_indexes(view, overlapping=True)
        except UnicodeEncodeError:
            # A regex script may have left one half of a surrogate pair in the text.
            found = self._search.find_matches_as_indexes(whole(view), overlapping=True)
        owners = self._owners
        return [(needle, start, end) for at, start, end in found for needle in owners[at]]
