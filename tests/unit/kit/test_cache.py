"""Caches keep what was used last, within their bounds, and nothing that has expired."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from yarrow.clock import FixedClock
from yarrow.kit.cache import ExpiringCache, LruCache

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOON = NOW + timedelta(seconds=5)


def test_the_least_recently_used_entry_is_dropped() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")

    cache.put("c", 3)

    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_entries_count_by_their_size() -> None:
    cache: LruCache[str, str] = LruCache(10)
    cache.put("a", "first", size=4)
    cache.put("b", "second", size=4)

    cache.put("c", "third", size=6)

    assert list(cache) == ["b", "c"]


def test_an_entry_larger_than_the_cache_is_not_kept() -> None:
    cache: LruCache[str, int] = LruCache(10)
    cache.put("small", 1, size=4)

    cache.put("large", 2, size=11)

    assert list(cache) == ["small"]


def test_a_removed_entry_is_gone_and_may_be_removed_again() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)

    cache.remove("a")
    cache.remove("a")

    assert cache.get("a") is None
    assert len(cache) == 0


def test_an_entry_ends_at_its_own_time() -> None:
    clock = FixedClock(NOW)
    cache: ExpiringCache[str, int, datetime] = ExpiringCache(10, clock=clock)
    cache.put("short", 1, until=SOON)
    cache.put("long", 2, until=SOON + timedelta(seconds=1))

    clock.advance(SOON - NOW)

    assert (cache.get("short"), cache.get("long")) == (None, 2)
    assert len(cache) == 1


def test_the_least_recently_used_of_the_unexpired_is_dropped() -> None:
    cache: ExpiringCache[str, int, datetime] = ExpiringCache(2, clock=FixedClock(NOW))
    cache.put("a", 1, until=SOON)
    cache.put("b", 2, until=SOON)
    cache.get("a")

    cache.put("c", 3, until=SOON)

    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_a_value_that_is_too_large_replaces_the_old_one_by_nothing() -> None:
    cache: LruCache[str, int] = LruCache(10)
    cache.put("a", 1, size=5)

    cache.put("a", 2, size=11)

    assert cache.get("a") is None


def test_threads_may_share_a_cache() -> None:
    cache: LruCache[int, int] = LruCache(8)

    def use(start: int) -> None:
        for key in range(start, start + 2_000):
            cache.put(key % 32, key)
            cache.get(key % 16)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(use, range(8)))

    assert len(cache) == 8
