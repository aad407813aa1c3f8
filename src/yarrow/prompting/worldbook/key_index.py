"""Finding thousands of plain keys in a text at once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ahocorasick_rs import AhoCorasick, MatchKind

from yarrow.prompting.regex_engine.port import JsRegex

_REGEX = re.compile(r"/(.+)/([dgimsuvy]*)", re.DOTALL)
_BARE_SLASH = re.compile(r"(?:^|[^\\])/")
_CROSSES_LINES = re.compile(r"[\x00-\x1f]|\\[nrtvfsWDxucpP0-9]|\[\^|\(\?<?!")
"""What can take a line break into a match, or can tell the end of a text from one."""

_HALF_PAIR = re.compile("[\ud800-\udfff]")

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
"""Scripts that put no spaces between words, or hang endings on them: CJK, Hangul, Thai, Khmer…"""


def fold_case(text: str) -> str:
    """The text without case, of the same length: offsets in it are offsets in the text.

    İ is the one letter whose lower case is longer, so it stays. Both small sigmas become one,
    because which of them a capital becomes depends on its neighbours.
    """
    if text.isascii():
        return text.lower()
    return "İ".join(part.lower().replace("ς", "σ") for part in text.split("İ"))


def replace_surrogates(text: str) -> str:
    """The text with single halves of surrogate pairs replaced, which no automaton can read."""
    return _HALF_PAIR.sub("\ufffd", text)


def is_one_word(key: str) -> bool:
    return len(key.split()) == 1


def is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether nothing of a word adjoins this stretch.

    In scripts without spaces no word ends anywhere, so an edge of such a script always holds.
    """
    before_ok = start == 0 or not _is_word_character(text[start - 1]) or _is_unspaced(text[start])
    return before_ok and (
        end == len(text) or not _is_word_character(text[end]) or _is_unspaced(text[end - 1])
    )


def parse_regex_key(key: str) -> JsRegex | None:
    """A key written `/pattern/flags`; one with a bare slash inside is plain text."""
    shaped = _REGEX.fullmatch(key)
    if shaped is None or _BARE_SLASH.search(shaped[1]):
        return None
    return JsRegex(shaped[1], shaped[2])


def may_cross_lines(regex: JsRegex) -> bool:
    """Whether a text joined of several could match where none of them does alone."""
    return "s" in regex.flags or _CROSSES_LINES.search(regex.pattern) is not None


def _is_word_character(character: str) -> bool:
    return (character.isalnum() or character == "_") and not _is_unspaced(character)


def _is_unspaced(character: str) -> bool:
    return _UNSPACED.match(character) is not None


Span: TypeAlias = tuple[int, int]
"""Start and end of a hit, in Python characters."""

CACHED_TEXTS = 4096
CACHED_LENGTH = 8192
"""Longer texts are rare and would make the memory of scanned texts large."""


@dataclass(frozen=True, slots=True)
class PlainKey:
    """A plain key with how it is to be looked for."""

    text: str
    exact: bool
    whole: bool


class KeyIndex:
    """One automaton for keys with case and one for keys without.

    Texts repeat from turn to turn, so what was found in them is remembered.
    """

    def __init__(self, needles: Mapping[int, PlainKey]) -> None:
        self._whole = frozenset(number for number, needle in needles.items() if needle.whole)
        self._exact = _Automaton({n: key.text for n, key in needles.items() if key.exact})
        self._folded = _Automaton(
            {n: fold_case(key.text) for n, key in needles.items() if not key.exact}
        )
        self._remembered = lru_cache(maxsize=CACHED_TEXTS)(self._find)

    def find(self, text: str) -> Mapping[int, Span]:
        """Where each needle that occurs does so first."""
        return self._remembered(text) if len(text) <= CACHED_LENGTH else self._find(text)

    def _find(self, text: str) -> Mapping[int, Span]:
        spans: dict[int, Span] = {}
        self._collect(self._folded, fold_case(text), text=text, spans=spans)
        self._collect(self._exact, text, text=text, spans=spans)
        return spans

    def _collect(
        self, automaton: "_Automaton", view: str, *, text: str, spans: dict[int, Span]
    ) -> None:
        for needle, start, end in automaton.hits(view):
            if needle in spans:
                continue
            if needle not in self._whole or is_whole_word(text, start, end):
                spans[needle] = (start, end)


class _Automaton:
    """Texts to look for; several needles may share one text."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        owners: dict[str, list[int]] = {}
        for number, text in texts.items():
            owners.setdefault(replace_surrogates(text), []).append(number)
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
            found = self._search.find_matches_as_indexes(replace_surrogates(view), overlapping=True)
        owners = self._owners
        return [(needle, start, end) for at, start, end in found for needle in owners[at]]
