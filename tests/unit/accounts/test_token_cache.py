"""Verified tokens are believed for a while, and not too many of them."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from yarrow.accounts.token_cache import TokenCache
from yarrow.ids import AccountId

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ACCOUNT = AccountId(UUID(int=1))


def test_entry_ends_with_its_time() -> None:
    cache = TokenCache()
    cache.put("t", ACCOUNT, NOW + timedelta(seconds=5))

    assert cache.get("t", NOW) == ACCOUNT
    assert cache.get("t", NOW + timedelta(seconds=5)) is None
    assert len(cache) == 0


def test_least_used_entry_makes_room() -> None:
    cache = TokenCache(capacity=2)
    until = NOW + timedelta(seconds=5)
    cache.put("a", ACCOUNT, until)
    cache.put("b", ACCOUNT, until)
    cache.get("a", NOW)

    cache.put("c", ACCOUNT, until)

    assert [cache.get(token, NOW) for token in "abc"] == [ACCOUNT, None, ACCOUNT]
