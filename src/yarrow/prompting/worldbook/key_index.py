"""Find thousands of plain keys in the texts of a turn at once, and parse regex keys."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from ahocorasick_rs import AhoCorasick, MatchKind
from msgspec import Struct

from yarrow.prompting.regex_engine.port import JsRegex
from yarrow.prompting.worldbook.model import SegmentKind

_REGEX = re.compile(r"/(.+)/([dgimsuvy]*)", re.DOTALL)
_BARE_SLASH = re.compile(r"(?:^|[^\\])/")
_CROSSES_LINES = re.compile(r"[\x00-\x1f]|\\[nrtvfsWDxucpP0-9]|\[\^|\(\?<?!")
"""Syntax that can match a line break, or can tell a line break from the end of the text."""

_HALF_PAIR = re.compile("[\ud800-\udfff]")

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
"""Scripts without spaces between words, or with attached endings: CJK, Hangul, Thai, Khmer…"""


def fold_case(text: str) -> str:
    """Lower-case a text without changing its length, so that offsets stay valid.

    İ is kept: it is the one letter whose lower case is longer. Both small sigmas become one,
    because which of them a capital becomes depends on its neighbours.
    """
    if text.isascii():
        return text.lower()
    return "İ".join(part.lower().replace("ς", "σ") for part in text.split("İ"))


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which the automaton cannot encode."""
    return _HALF_PAIR.sub("\ufffd", text)


def is_one_word(key: str) -> bool:
    return len(key.split()) == 1


def is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether the span is not part of a longer word.

    Scripts without spaces have no word boundaries, so an edge in such a script always counts as
    one.
    """
    before_ok = start == 0 or not _is_word_character(text[start - 1]) or _is_unspaced(text[start])
    return before_ok and (
        end == len(text) or not _is_word_character(text[end]) or _is_unspaced(text[end - 1])
    )


def parse_regex_key(key: str) -> JsRegex | None:
    """Parse a key written `/pattern/flags`; None (plain text) if a slash inside is not escaped."""
    literal = _REGEX.fullmatch(key)
    if literal is None or _BARE_SLASH.search(literal[1]):
        return None
    return JsRegex(literal[1], literal[2])


def may_cross_lines(regex: JsRegex) -> bool:
    """Whether the regex could match joined texts although it matches none of them alone."""
    return "s" in regex.flags or _CROSSES_LINES.search(regex.pattern) is not None


def _is_word_character(character: str) -> bool:
    return (character.isalnum() or character == "_") and not _is_unspaced(character)


def _is_unspaced(character: str) -> bool:
    return _UNSPACED.match(character) is not None


Span: TypeAlias = tuple[int, int]
"""Start and end of a hit, in Python characters."""

CACHED_TEXTS = 4096
CACHED_LENGTH = 8192
"""Longer texts are not cached: they are rare and would make the cache large."""


class PlainKey(Struct, frozen=True):
    """A plain key and how it is searched: `exact` in case, as a `whole` word."""

    text: str
    exact: bool
    whole: bool


class KeyIndex:
    """One automaton for case-sensitive keys and one for case-insensitive ones.

    Results are cached by text, because texts repeat from turn to turn.
    """

    def __init__(self, keys: Mapping[int, PlainKey]) -> None:
        self._whole = frozenset(number for number, key_number in keys.items() if key_number.whole)
        self._exact = _Automaton({n: key.text for n, key in keys.items() if key.exact})
        self._folded = _Automaton(
            {n: fold_case(key.text) for n, key in keys.items() if not key.exact}
        )
        self._find_cached = lru_cache(maxsize=CACHED_TEXTS)(self._find_keys)

    def find(self, text: str) -> Mapping[int, Span]:
        """Return the first hit of each key that occurs in the text."""
        return self._find_cached(text) if len(text) <= CACHED_LENGTH else self._find_keys(text)

    def _find_keys(self, text: str) -> Mapping[int, Span]:
        spans: dict[int, Span] = {}
        self._collect_spans(self._folded, fold_case(text), text=text, spans=spans)
        self._collect_spans(self._exact, text, text=text, spans=spans)
        return spans

    def _collect_spans(
        self, automaton: "_Automaton", view: str, *, text: str, spans: dict[int, Span]
    ) -> None:
        for key_number, start, end in automaton.find_all(view):
            if key_number in spans:
                continue
            if key_number not in self._whole or is_whole_word(text, start, end):
                spans[key_number] = (start, end)


class _Automaton:
    """An Aho-Corasick automaton; several keys may share one text."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        owners: dict[str, list[int]] = {}
        for number, text in texts.items():
            owners.setdefault(replace_surrogates(text), []).append(number)
        self._owners = list(owners.values())
        self._search = AhoCorasick(list(owners), matchkind=MatchKind.Standard)

    def find_all(self, view: str) -> list[tuple[int, int, int]]:
        """Return every hit of every key, from left to right for each of them."""
        if not self._owners:
            return []
        try:
            found = self._search.find_matches_as_indexes(view, overlapping=True)
        except UnicodeEncodeError:
            # A regex rule may have left a lone surrogate in the text.
            found = self._search.find_matches_as_indexes(replace_surrogates(view), overlapping=True)
        owners = self._owners
        return [(key_number, start, end) for at, start, end in found for key_number in owners[at]]


SOURCES = tuple(
    kind for kind in SegmentKind if kind not in {SegmentKind.MESSAGE, SegmentKind.RECURSION_BUFFER}
)

FindKeys: TypeAlias = Callable[[str], Mapping[int, Span]]

HitPosition: TypeAlias = tuple[int, int, int]
"""The number of the segment, start and end of a hit. Smaller is earlier."""


class TextSegment(Struct, frozen=True):
    """One text that was searched."""

    kind: SegmentKind
    message_index: int | None
    text: str


class _MessageReader(Struct):
    """A way of finding keys, and how many messages it has read."""

    find: FindKeys
    read: int = 0


class KeyHits:
    """First hits by key: in messages, in each source, in the contents of active entries.

    Segments are numbered in reading order: messages from the newest, sources, contents. A hit in
    the message at index i is visible to every entry that scans deeper than i, so one hit serves
    entries of all depths.
    """

    def __init__(self, messages: Sequence[str], sources: Mapping[SegmentKind, str]) -> None:
        self._messages = messages
        self._sources = sources
        self._readers: list[_MessageReader] = []
        self._recursion_texts: list[str] = []
        self.in_messages: dict[int, HitPosition] = {}
        self.in_sources: dict[SegmentKind, dict[int, HitPosition]] = {}
        self.in_recursion_texts: dict[int, HitPosition] = {}
        self._new_keys: dict[int, set[int]] = {}

    def add_reader(self, find: FindKeys, *, depth: int) -> None:
        """Read the newest `depth` messages and all sources with `find`."""
        reader = _MessageReader(find)
        self._readers.append(reader)
        self._read_messages(reader, depth)
        for number, kind in enumerate(SOURCES, len(self._messages)):
            spans = find(self._sources[kind]) if self._sources.get(kind) else {}
            if spans:
                positions = ((key, (number, *span)) for key, span in spans.items())
                self.in_sources.setdefault(kind, {}).update(positions)

    def read_deeper(self, depth: int) -> set[int]:
        """Read up to `depth` messages; return the keys that only the last of them contains."""
        for reader in self._readers:
            self._read_messages(reader, depth)
        return self._new_keys.get(depth - 1, set())

    def add_recursion_text(self, text: str) -> set[int]:
        """Read the content of an active entry; return the keys that no content had before."""
        number = len(self._messages) + len(SOURCES) + len(self._recursion_texts)
        self._recursion_texts.append(text)
        new_keys: set[int] = set()
        for reader in self._readers:
            spans = reader.find(text)
            new = {
                key: (number, *span)
                for key, span in spans.items()
                if key not in self.in_recursion_texts
            }
            self.in_recursion_texts.update(new)
            new_keys |= new.keys()
        return new_keys

    def all_keys(self) -> set[int]:
        """Return every key with a hit."""
        return (
            self.in_messages.keys()
            | self.in_recursion_texts.keys()
            | set().union(*self.in_sources.values())
        )

    @property
    def recursion_text_count(self) -> int:
        return len(self._recursion_texts)

    def segment(self, number: int) -> TextSegment:
        if number < len(self._messages):
            return TextSegment(SegmentKind.MESSAGE, number, self._messages[number])
        number -= len(self._messages)
        if number < len(SOURCES):
            kind = SOURCES[number]
            return TextSegment(kind, None, self._sources.get(kind, ""))
        text = self._recursion_texts[number - len(SOURCES)]
        return TextSegment(SegmentKind.RECURSION_BUFFER, None, text)

    def list_segments(
        self, *, depth: int, kinds: Sequence[SegmentKind], recursion_texts: int
    ) -> list[int]:
        """Return the numbers of the visible segments that are not empty."""
        first_source = len(self._messages)
        first_recursion = first_source + len(SOURCES)
        sources = (number for number, kind in enumerate(SOURCES, first_source) if kind in kinds)
        visible = [
            *range(min(depth, first_source)),
            *sources,
            *range(first_recursion, first_recursion + recursion_texts),
        ]
        return [number for number in visible if self.segment(number).text]

    def _read_messages(self, reader: _MessageReader, depth: int) -> None:
        hits = self.in_messages
        find = reader.find
        depth = min(depth, len(self._messages))
        for number in range(reader.read, depth):
            spans = find(self._messages[number])
            new = {key: (number, *span) for key, span in spans.items() if key not in hits}
            if new:
                hits.update(new)
                self._new_keys.setdefault(number, set()).update(new)
        reader.read = max(reader.read, depth)
