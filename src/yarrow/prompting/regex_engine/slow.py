"""Patterns that ran out of time lately, so that they are not tried again at once."""

from collections.abc import Callable

from yarrow.kit.cache import LruCache
from yarrow.prompting.regex_engine.port import JsRegex

_KEPT = 1_024
_REST_S = 60.0


class SlowPatterns:
    """Each rests for a minute, for its owner only: the same pattern may serve others well."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives seconds and never goes back."""
        self._clock = clock
        self._until: LruCache[tuple[str, JsRegex], float] = LruCache(_KEPT)

    def note(self, owner: str, regex: JsRegex) -> None:
        self._until.put((owner, regex), self._clock() + _REST_S)

    def rests(self, owner: str, regex: JsRegex) -> bool:
        until = self._until.get((owner, regex))
        return until is not None and self._clock() < until
