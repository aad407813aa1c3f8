"""Remember patterns that timed out recently, so that they are not tried again at once."""

from collections.abc import Callable

from yarrow.kit.cache import ExpiringCache
from yarrow.prompting.regex_engine.port import JsRegex

_MAX_PATTERNS = 1_024
_REST_S = 60.0


class SlowPatterns:
    """Suspends a slow pattern for a minute, for its owner only: others may use shorter texts."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` returns monotonic seconds."""
        self._clock = clock
        self._resting: ExpiringCache[tuple[str, JsRegex], bool, float] = ExpiringCache(
            _MAX_PATTERNS, clock=clock
        )

    def record(self, owner: str, regex: JsRegex) -> None:
        self._resting.put((owner, regex), value=True, until=self._clock() + _REST_S)

    def is_suspended(self, owner: str, regex: JsRegex) -> bool:
        return self._resting.get((owner, regex)) is not None
