"""Limit how often something happens, by token buckets."""

from collections.abc import Hashable

from yarrow.kit.cache import LruCache

MAX_KEYS = 10_000
"""Buckets that are kept."""


class RateLimit:
    """A bucket of `burst` tokens for each key, refilled by `per_s` tokens a second."""

    def __init__(self, *, burst: int, per_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._buckets: LruCache[Hashable, tuple[float, float]] = LruCache(MAX_KEYS)
        """The tokens of a key, and when they were counted."""

    def take(self, key: Hashable, *, now: float) -> float:
        """Take a token; 0 if there was one, else the seconds until there is."""
        tokens = self._count_tokens(key, now)
        taken = 1 if tokens >= 1 else 0
        self._buckets.put(key, (tokens - taken, now))
        return 0.0 if taken else (1 - tokens) / self._per_s

    def give_back(self, key: Hashable, *, now: float) -> None:
        """Undo a `take`; a bucket that is full again is not kept."""
        tokens = self._count_tokens(key, now) + 1
        if tokens < self._burst:
            self._buckets.put(key, (tokens, now))
        else:
            self._buckets.remove(key)

    def _count_tokens(self, key: Hashable, now: float) -> float:
        tokens, counted_at = self._buckets.get(key) or (float(self._burst), now)
        elapsed = max(0.0, now - counted_at)  # a clock that is set back takes no tokens
        return min(float(self._burst), tokens + elapsed * self._per_s)
