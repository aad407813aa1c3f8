"""Failed logins are limited; a login that succeeds is not."""

from datetime import UTC, datetime, timedelta

import pytest

from yarrow.accounts.errors import TooManyLogins, WrongCredentials
from yarrow.accounts.login_limits import LoginLimits

OWNER, FLOOD = "10.0.0.1", "10.0.0.2"


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 16, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


async def fail(limits: LoginLimits, email: str, address: str) -> None:
    with pytest.raises(WrongCredentials):
        async with limits.count(email, address):
            raise WrongCredentials


async def is_allowed(limits: LoginLimits, email: str, address: str) -> bool:
    try:
        async with limits.count(email, address):
            return True
    except TooManyLogins:
        return False


async def test_the_eleventh_failure_has_to_wait() -> None:
    watch = Watch()
    limits = LoginLimits(watch)
    for _ in range(10):
        await fail(limits, "ada@example.com", FLOOD)

    with pytest.raises(TooManyLogins) as refused:
        async with limits.count(" ADA@example.com", FLOOD):
            pytest.fail("the password was checked")

    assert refused.value.retry_after_s == 6
    watch.now += timedelta(seconds=6)
    assert await is_allowed(limits, "ada@example.com", FLOOD)


async def test_all_addresses_of_an_ipv6_network_are_one_client() -> None:
    limits = LoginLimits(Watch())
    for host in range(10):
        await fail(limits, "ada@example.com", f"2001:db8:1:2::{host:x}")

    assert not await is_allowed(limits, "ada@example.com", "2001:db8:1:2:ffff::1")
    assert await is_allowed(limits, "ada@example.com", "2001:db8:1:3::1")


async def test_a_flood_from_elsewhere_does_not_lock_the_owner_out() -> None:
    limits = LoginLimits(Watch())
    for _ in range(10):
        await fail(limits, "ada@example.com", FLOOD)

    assert not await is_allowed(limits, "ada@example.com", FLOOD)
    assert await is_allowed(limits, "ada@example.com", OWNER)


async def test_a_flood_from_many_addresses_locks_for_a_second_at_most() -> None:
    watch = Watch()
    limits = LoginLimits(watch)
    for number in range(100):
        await fail(limits, "ada@example.com", f"10.1.0.{number}")

    assert not await is_allowed(limits, "ada@example.com", OWNER)
    watch.now += timedelta(seconds=1)
    assert await is_allowed(limits, "ada@example.com", OWNER)


async def test_one_address_cannot_try_many_accounts() -> None:
    limits = LoginLimits(Watch())
    for number in range(60):
        await fail(limits, f"{number}@example.com", FLOOD)

    assert not await is_allowed(limits, "ada@example.com", FLOOD)
    assert await is_allowed(limits, "ada@example.com", OWNER)


async def test_logins_that_succeed_are_not_counted() -> None:
    limits = LoginLimits(Watch())

    assert all([await is_allowed(limits, "ada@example.com", OWNER) for _ in range(500)])
