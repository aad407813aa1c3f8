"""Limit failed logins, before a password is hashed.

An address is an IPv4 address or the /64 of an IPv6 one: a client chooses the rest of it.
By e-mail and address, so that a flood from elsewhere does not lock the owner out; by address,
against many e-mails; by e-mail, against many addresses. The last one refills twice a second:
during such a flood the owner has to try again, but never for long.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from yarrow.accounts.errors import TooManyLogins, WrongCredentials
from yarrow.clock import Clock
from yarrow.kit.ip_addresses import find_client_network
from yarrow.kit.rate_limit import RateLimit


class LoginLimits:
    """Each login takes a token of three buckets; one that does not fail gives them back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pairs = RateLimit(burst=10, per_s=1 / 6)
        self._addresses = RateLimit(burst=60, per_s=1.0)
        self._emails = RateLimit(burst=100, per_s=2.0)

    @asynccontextmanager
    async def count(self, email: str, address: str) -> AsyncIterator[None]:
        """Count the block if it raises `WrongCredentials`; raises `TooManyLogins`."""
        email, address = email.strip().lower(), find_client_network(address)
        buckets = [
            (self._pairs, (email, address)),
            (self._addresses, address),
            (self._emails, email),
        ]
        waits = [bucket.take(key, now=self._read_clock()) for bucket, key in buckets]
        taken = [pair for pair, wait in zip(buckets, waits, strict=True) if not wait]
        failed = False
        try:
            if any(waits):
                raise TooManyLogins(max(waits))
            yield
        except WrongCredentials:
            failed = True
            raise
        finally:
            if not failed:
                for bucket, key in taken:
                    bucket.give_back(key, now=self._read_clock())

    def _read_clock(self) -> float:
        return self._clock().timestamp()
