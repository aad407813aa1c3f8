"""Decide whether an entry's keys match the texts it may see, and where the first hit is."""

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import TypeAlias

from msgspec import Struct

from yarrow.prompting.regex_engine.port import JsRegex, RegexEngine, RegexTimedOut
from yarrow.prompting.worldbook.compile import DeferredKeys, EntryPlan, RegexTrial
from yarrow.prompting.worldbook.key_index import CACHED_LENGTH, HitPosition, KeyHits, Span
from yarrow.prompting.worldbook.model import KeyLogic, SegmentKind
from yarrow.prompting.worldbook.request import FirstMatch, KeyScope, KeyType

_NO_TRIAL = RegexTrial(frozenset(), {})


class RegexKeys:
    """The regex keys of one scan of one book; `on_timeout` is called at most once for each key."""

    def __init__(
        self, keys: DeferredKeys, regexes: RegexEngine, *, on_timeout: Callable[[int], None]
    ) -> None:
        self._keys = keys
        self._regexes = regexes
        self._on_timeout = on_timeout
        self._timed_out: set[int] = set()

    def find(self, text: str) -> Mapping[int, Span]:
        """Return the first match of each regex that matches the text."""
        trial = self._keys.trials.get(text) or _NO_TRIAL
        regexes = self._keys.regexes
        if len(trial.tried) == len(regexes):
            return trial.spans
        spans = dict(trial.spans)
        for number in regexes.keys() - trial.tried:
            span = self.find_one(number, text)
            if span is not None:
                spans[number] = span
        tried = frozenset(regexes.keys() - self._timed_out) | trial.tried
        if len(text) <= CACHED_LENGTH:
            self._keys.trials.put(text, RegexTrial(tried, spans))
        return spans

    def find_one(self, number: int, text: str) -> Span | None:
        if number in self._timed_out:
            return None
        try:
            return self._find_first_span(self._keys.regexes[number], text)
        except RegexTimedOut:
            self._timed_out.add(number)
            self._on_timeout(number)
            return None

    def _find_first_span(self, regex: JsRegex, text: str) -> Span | None:
        return next(((hit.start, hit.end) for hit in self._regexes.find_matches(regex, text)), None)


EXCERPT = 30
UNPAIRED = "surrogatepass"
ACROSS_LENGTH = 32_768
"""How many characters, from the newest message, a regex may search across texts.

Such a search cannot be cached from turn to turn and would use up the engine's allowance.
"""

KeyHit: TypeAlias = tuple[HitPosition, KeyScope, int]
"""The position, which of the entry's lists the key is in, and its index there."""


class EntryView(Struct, frozen=True):
    """What an entry may see: how many messages, which sources, whether recursion texts."""

    depth: int
    kinds: tuple[SegmentKind, ...]
    includes_recursion: bool


class KeyMatch(Struct, frozen=True):
    """The first hit of an entry whose keys match; `score` is the number of matching keys."""

    first: FirstMatch
    score: int


class KeyMatcher:
    """Matches entries of one book during one scan."""

    def __init__(self, hits: KeyHits, keys: DeferredKeys, regex_keys: RegexKeys) -> None:
        self._key_hits = hits
        self._keys = keys
        self._regex_keys = regex_keys
        self._spanning: dict[tuple[int, EntryView, int], HitPosition | None] = {}
        self._joined: dict[tuple[EntryView, int], tuple[list[int], list[str], str]] = {}

    def match(self, plan: EntryPlan, view: EntryView) -> KeyMatch | None:
        """Return a match if a primary key hits and the secondary keys satisfy the entry's logic."""
        if view.depth == 0:
            return None
        primary = self._find_hits(plan.primary, view, KeyScope.PRIMARY)
        if not primary:
            return None
        secondary = self._find_hits(plan.secondary, view, KeyScope.SECONDARY)
        total = len(plan.secondary)
        if total and not _is_satisfied(plan.entry.logic, hits=len(secondary), total=total):
            return None
        first = self._build_first_match(plan, min([*primary, *secondary]))
        return KeyMatch(first, _compute_score(plan, primary=len(primary), secondary=len(secondary)))

    def score(self, plan: EntryPlan, view: EntryView) -> int:
        """Count the keys that hit, whether or not they would activate the entry."""
        primary = self._find_hits(plan.primary, view, KeyScope.PRIMARY)
        secondary = self._find_hits(plan.secondary, view, KeyScope.SECONDARY)
        return _compute_score(plan, primary=len(primary), secondary=len(secondary))

    def _find_hits(self, keys: tuple[int, ...], view: EntryView, scope: KeyScope) -> list[KeyHit]:
        return [
            (position, scope, index)
            for index, key in enumerate(keys)
            if (position := self._find_first(key, view)) is not None
        ]

    def _find_first(self, key: int, view: EntryView) -> HitPosition | None:
        hits = self._key_hits
        position = hits.in_messages.get(key)
        if position is not None and position[0] < view.depth:
            return position
        for kind in view.kinds if hits.in_sources else ():
            position = hits.in_sources.get(kind, {}).get(key)
            if position is not None:
                return position
        if view.includes_recursion and key in hits.in_recursion_texts:
            return hits.in_recursion_texts[key]
        return self._find_spanning(key, view) if key in self._keys.spanning else None

    def _find_spanning(self, key: int, view: EntryView) -> HitPosition | None:
        """Find a match that spans several texts; its end is cut to the text it starts in."""
        recursion_texts = self._key_hits.recursion_text_count if view.includes_recursion else 0
        question = (key, view, recursion_texts)
        if question not in self._spanning:
            self._spanning[question] = self._search_joined(key, view, recursion_texts)
        return self._spanning[question]

    def _search_joined(self, key: int, view: EntryView, recursion_texts: int) -> HitPosition | None:
        numbers, texts, joined = self._join_texts(view, recursion_texts)
        span = self._regex_keys.find_one(key, joined) if len(texts) > 1 else None
        if span is None:
            return None
        start, end = span
        for number, text in zip(numbers, texts, strict=True):
            if start <= len(text):
                return number, start, min(end, len(text))
            start, end = start - len(text) - 1, end - len(text) - 1
        return None

    def _join_texts(
        self, view: EntryView, recursion_texts: int
    ) -> tuple[list[int], list[str], str]:
        joined = self._joined.get((view, recursion_texts))
        if joined is None:
            hits = self._key_hits
            numbers = hits.list_segments(
                depth=view.depth, kinds=view.kinds, recursion_texts=recursion_texts
            )
            texts = [hits.segment(number).text for number in numbers]
            fits = sum(size <= ACROSS_LENGTH for size in accumulate(map(len, texts)))
            numbers, texts = numbers[:fits], texts[:fits]
            joined = self._joined[view, recursion_texts] = (numbers, texts, "\n".join(texts))
        return joined

    def _build_first_match(self, plan: EntryPlan, hit: KeyHit) -> FirstMatch:
        (number, start, end), scope, index = hit
        segment = self._key_hits.segment(number)
        spellings, keys = _select_keys(plan, scope)
        char_start = _measure_utf16(segment.text[:start])
        return FirstMatch(
            source_kind=segment.kind,
            message_index_from_latest=segment.message_index,
            matched_key=spellings[index],
            matched_key_scope=scope,
            matched_key_type=KeyType.REGEX if keys[index] in self._keys.regexes else KeyType.PLAIN,
            char_start=char_start,
            char_end=char_start + _measure_utf16(segment.text[start:end]),
            excerpt=segment.text[max(0, start - EXCERPT) : end + EXCERPT],
        )


def _is_satisfied(logic: KeyLogic, *, hits: int, total: int) -> bool:
    match logic:
        case KeyLogic.AND_ANY:
            return hits > 0
        case KeyLogic.NOT_ALL:
            return hits < total
        case KeyLogic.NOT_ANY:
            return hits == 0
        case KeyLogic.AND_ALL:
            return hits == total


def _compute_score(plan: EntryPlan, *, primary: int, secondary: int) -> int:
    """Count matching keys; secondary keys count only where the logic requires them."""
    match plan.entry.logic:
        case KeyLogic.AND_ANY:
            return primary + secondary
        case KeyLogic.AND_ALL:
            return primary + secondary if secondary == len(plan.secondary) else primary
        case KeyLogic.NOT_ALL | KeyLogic.NOT_ANY:
            return primary


def _select_keys(plan: EntryPlan, scope: KeyScope) -> tuple[tuple[str, ...], tuple[int, ...]]:
    match scope:
        case KeyScope.PRIMARY:
            return plan.entry.keys, plan.primary
        case KeyScope.SECONDARY:
            return plan.entry.secondary, plan.secondary


def _measure_utf16(text: str) -> int:
    """Return the length as JavaScript counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", UNPAIRED)) // 2
