"""Regex keys at work: each is tried on a text once, and given up when it runs out of time."""

from collections.abc import Callable, Mapping

from yarrow.prompting.regexes import JsRegex, Regexes, RegexTimedOut
from yarrow.prompting.worldbook.compile import LateKeys, Trial
from yarrow.prompting.worldbook.index import KEPT_LENGTH, Span

_NOTHING_TRIED = Trial(frozenset(), {})


class Patterns:
    """The regex keys of one scan of one book; `on_timeout` hears of each at most once."""

    def __init__(
        self, keys: LateKeys, regexes: Regexes, *, on_timeout: Callable[[int], None]
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
        if len(text) <= KEPT_LENGTH:
            self._keys.trials.put(text, Trial(tried, spans))
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
