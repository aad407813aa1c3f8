"""Limit how often something happens, by token buckets."""

from collections import OrderedDict
from collections.abc import Hashable

MAX_KEYS = 10_000
"""Buckets that are kept; the one used longest ago is forgotten first."""


class RateLimit:
    """A bucket of `burst` tokens for each key, refilled by `per_s` tokens a second."""

    def __init__(self, *, burst: int, per_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        """The tokens of a key, and when they were counted."""

    def take(self, key: Hashable, *, now: float) -> float:
        """Take a token; 0 if there was one, else the seconds until there is."""
        tokens = self._count(key, now)
        if tokens >= 1:
            self._keep(key, tokens - 1, now)
            return 0.0
        return (1 - tokens) / self._per_s

    def give_back(self, key: Hashable, *, now: float) -> None:
        """Undo a `take`."""
        self._keep(key, self._count(key, now) + 1, now)

    def _count(self, key: Hashable, now: float) -> float:
        tokens, counted_at = self._buckets.get(key, (float(self._burst), now))
        return min(float(self._burst), tokens + (now - counted_at) * self._per_s)

    def _keep(self, key: Hashable, tokens: float, now: float) -> None:
        self._buckets[key] = (tokens, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
