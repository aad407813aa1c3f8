"""Whether an entry's keys are met by what it may see, and where the first hit lies."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from yarrow.prompting.regex_engine.port import JsRegex, RegexEngine, RegexTimedOut
from yarrow.prompting.worldbook.compile import DeferredKeys, EntryPlan, RegexTrial
from yarrow.prompting.worldbook.key_hits import HitPosition, KeyHits
from yarrow.prompting.worldbook.key_index import CACHED_LENGTH, Span
from yarrow.prompting.worldbook.model import KeyLogic, SegmentKind
from yarrow.prompting.worldbook.request import FirstMatch, KeyScope, KeyType

_NOTHING_TRIED = RegexTrial(frozenset(), {})


class RegexKeys:
    """The regex keys of one scan of one book; `on_timeout` hears of each at most once."""

    def __init__(
        self, keys: DeferredKeys, regexes: RegexEngine, *, on_timeout: Callable[[int], None]
    ) -> None:
        self._keys = keys
        self._regexes = regexes
        self._on_timeout = on_timeout
        self._given_up: set[int] = set()

    def find(self, text: str) -> Mapping[int, Span]:
        """Where each regex that hits does so first."""
        trial = self._keys.trials.get(text) or _NOTHING_TRIED
        wanted = self._keys.regexes
        if len(trial.tried) == len(wanted):
            return trial.spans
        spans = dict(trial.spans)
        for number in wanted.keys() - trial.tried:
            span = self.find_one(number, text)
            if span is not None:
                spans[number] = span
        tried = frozenset(wanted.keys() - self._given_up) | trial.tried
        if len(text) <= CACHED_LENGTH:
            self._keys.trials.put(text, RegexTrial(tried, spans))
        return spans

    def find_one(self, number: int, text: str) -> Span | None:
        if number in self._given_up:
            return None
        try:
            return self._first(self._keys.regexes[number], text)
        except RegexTimedOut:
            self._given_up.add(number)
            self._on_timeout(number)
            return None

    def _first(self, regex: JsRegex, text: str) -> Span | None:
        return next(((hit.start, hit.end) for hit in self._regexes.matches(regex, text)), None)


EXCERPT = 30
UNPAIRED = "surrogatepass"
ACROSS_LENGTH = 32_768
"""How far, in characters from the newest message, a regex is tried across texts.

Such a search cannot be remembered from turn to turn and would use up an assembly's allowance.
"""

KeyHit: TypeAlias = tuple[HitPosition, KeyScope, int]
"""Where, in which list, and the key's place in that list."""


@dataclass(frozen=True, slots=True)
class EntryView:
    """What an entry may see: how many messages, which texts of the card, whether contents."""

    depth: int
    kinds: tuple[SegmentKind, ...]
    echoes: bool


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """An entry's keys are met; `score` counts them, for inclusion groups."""

    first: FirstMatch
    score: int


class KeyMatcher:
    """Answers for one book and one scan."""

    def __init__(self, sightings: KeyHits, keys: DeferredKeys, patterns: RegexKeys) -> None:
        self._sightings = sightings
        self._keys = keys
        self._patterns = patterns
        self._across: dict[tuple[int, EntryView, int], HitPosition | None] = {}
        self._joined: dict[tuple[EntryView, int], tuple[list[int], list[str], str]] = {}

    def match(self, plan: EntryPlan, view: EntryView) -> KeyMatch | None:
        """None unless a primary key is seen and the secondary ones do as the logic says."""
        if view.depth == 0:
            return None
        primary = self._hits(plan.primary, view, KeyScope.PRIMARY)
        if not primary:
            return None
        secondary = self._hits(plan.secondary, view, KeyScope.SECONDARY)
        wanted = len(plan.secondary)
        if wanted and not _is_satisfied(plan.entry.logic, hits=len(secondary), of=wanted):
            return None
        first = self._first_match(plan, min([*primary, *secondary]))
        return KeyMatch(first, _score(plan, primary=len(primary), secondary=len(secondary)))

    def score(self, plan: EntryPlan, view: EntryView) -> int:
        """How many keys are seen, whether or not they are enough to activate the entry."""
        primary = self._hits(plan.primary, view, KeyScope.PRIMARY)
        secondary = self._hits(plan.secondary, view, KeyScope.SECONDARY)
        return _score(plan, primary=len(primary), secondary=len(secondary))

    def _hits(self, keys: tuple[int, ...], view: EntryView, scope: KeyScope) -> list[KeyHit]:
        return [
            (spot, scope, place)
            for place, key in enumerate(keys)
            if (spot := self._spot(key, view)) is not None
        ]

    def _spot(self, key: int, view: EntryView) -> HitPosition | None:
        seen = self._sightings
        spot = seen.in_messages.get(key)
        if spot is not None and spot[0] < view.depth:
            return spot
        for kind in view.kinds if seen.in_sources else ():
            spot = seen.in_sources.get(kind, {}).get(key)
            if spot is not None:
                return spot
        if view.echoes and key in seen.in_echoes:
            return seen.in_echoes[key]
        return self._spot_across(key, view) if key in self._keys.spanning else None

    def _spot_across(self, key: int, view: EntryView) -> HitPosition | None:
        """A match that begins in one text and ends in another; its end is cut to the first."""
        echoes = self._sightings.echoes if view.echoes else 0
        asked = (key, view, echoes)
        if asked not in self._across:
            self._across[asked] = self._search_across(key, view, echoes)
        return self._across[asked]

    def _search_across(self, key: int, view: EntryView, echoes: int) -> HitPosition | None:
        numbers, texts, joined = self._joined_texts(view, echoes)
        span = self._patterns.find_one(key, joined) if len(texts) > 1 else None
        if span is None:
            return None
        start, end = span
        for number, text in zip(numbers, texts, strict=True):
            if start <= len(text):
                return number, start, min(end, len(text))
            start, end = start - len(text) - 1, end - len(text) - 1
        return None

    def _joined_texts(self, view: EntryView, echoes: int) -> tuple[list[int], list[str], str]:
        joined = self._joined.get((view, echoes))
        if joined is None:
            seen = self._sightings
            numbers = seen.numbers(depth=view.depth, kinds=view.kinds, echoes=echoes)
            texts = [seen.segment(number).text for number in numbers]
            fits = sum(size <= ACROSS_LENGTH for size in accumulate(map(len, texts)))
            numbers, texts = numbers[:fits], texts[:fits]
            joined = self._joined[view, echoes] = (numbers, texts, "\n".join(texts))
        return joined

    def _first_match(self, plan: EntryPlan, hit: KeyHit) -> FirstMatch:
        (number, start, end), scope, place = hit
        segment = self._sightings.segment(number)
        written, keys = _select_keys(plan, scope)
        char_start = _utf16_length(segment.text[:start])
        return FirstMatch(
            source_kind=segment.kind,
            message_index_from_latest=segment.message_index,
            matched_key=written[place],
            matched_key_scope=scope,
            matched_key_type=KeyType.REGEX if keys[place] in self._keys.regexes else KeyType.PLAIN,
            char_start=char_start,
            char_end=char_start + _utf16_length(segment.text[start:end]),
            excerpt=segment.text[max(0, start - EXCERPT) : end + EXCERPT],
        )


def _is_satisfied(logic: KeyLogic, *, hits: int, of: int) -> bool:
    match logic:
        case KeyLogic.AND_ANY:
            return hits > 0
        case KeyLogic.NOT_ALL:
            return hits < of
        case KeyLogic.NOT_ANY:
            return hits == 0
        case KeyLogic.AND_ALL:
            return hits == of


def _score(plan: EntryPlan, *, primary: int, secondary: int) -> int:
    """Secondary keys count where the logic asks for them; those it forbids earn nothing."""
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


def _utf16_length(text: str) -> int:
    """How many characters JavaScript counts in it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", UNPAIRED)) // 2
