"""Passwords: argon2 in a thread, and equal work whether or not the account exists."""

import asyncio
import unicodedata

import argon2
from argon2.exceptions import InvalidHashError, VerificationError

from yarrow.kit.limiter import Limiter

AT_ONCE = 4
"""Hashes computed at the same time; each holds 64 MiB while it runs."""


class Passwords:
    """Hashes and checks passwords. The cost is the hasher's: tests pass a cheap one."""

    def __init__(self, hasher: argon2.PasswordHasher) -> None:
        self._hasher = hasher
        self._limiter = Limiter(AT_ONCE)

    async def hash(self, password: str) -> str:
        async with self._limiter.slot():
            return await asyncio.to_thread(self._hasher.hash, _normal(password))

    async def matches(self, password: str, stored: str | None) -> bool:
        """Whether the password is the stored one.

        Without an account the password is hashed all the same, so that the time of a login
        does not tell which e-mails have one.
        """
        if stored is None:
            await self.hash(password)
            return False
        async with self._limiter.slot():
            return await asyncio.to_thread(self._check, stored, _normal(password))

    def _check(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False


def _normal(password: str) -> str:
    """One form for what keyboards compose differently (é as one character or as two)."""
    return unicodedata.normalize("NFKC", password)
