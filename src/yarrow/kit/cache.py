"""Bounded caches in memory, on cachetools; safe to share between threads."""

from collections.abc import Callable, Iterator
from operator import itemgetter
from threading import Lock
from typing import Any, Generic, TypeVar

from cachetools import LRUCache, TLRUCache

K = TypeVar("K")
V = TypeVar("V")
Time = TypeVar("Time", bound=Any)


class LruCache(Generic[K, V]):
    """Drops the least recently used entries beyond `capacity`.

    An entry counts 1, or the size it is put with; one larger than the capacity is not kept.
    """

    def __init__(self, capacity: float) -> None:
        self._entries: LRUCache[K, tuple[V, float]] = LRUCache(capacity, getsizeof=itemgetter(1))
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[K]:
        """The keys of this moment."""
        with self._lock:
            return iter(list(self._entries))

    def get(self, key: K) -> V | None:
        """The value, which becomes the most recently used; None if there is none."""
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def put(self, key: K, value: V, *, size: float = 1) -> None:
        with self._lock:
            self._entries.pop(key, None)
            if size <= self._entries.maxsize:
                self._entries[key] = (value, size)

    def remove(self, key: K) -> None:
        with self._lock:
            self._entries.pop(key, None)


class ExpiringCache(Generic[K, V, Time]):
    """An LRU cache of `capacity` entries, each with an expiry time of its own."""

    def __init__(self, capacity: int, *, clock: Callable[[], Time]) -> None:
        self._entries: TLRUCache[K, tuple[V, Time], Time] = TLRUCache(
            capacity, ttu=lambda _key, entry, _now: entry[1], timer=clock
        )
        self._lock = Lock()

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def get(self, key: K) -> V | None:
        """The value, if there is one that has not expired."""
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def put(self, key: K, value: V, *, until: Time) -> None:
        with self._lock:
            self._entries[key] = (value, until)

    def remove(self, key: K) -> None:
        with self._lock:
            self._entries.pop(key, None)
