"""Hash passwords with argon2 in threads, in equal time whether or not the account exists."""

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
            return await asyncio.to_thread(self._hasher.hash, _normalise(password))

    async def matches(self, password: str, password_hash: str | None) -> bool:
        """Whether the password has this hash.

        Without an account (None) the password is hashed too, so that the time of a login does
        not reveal which e-mails have one.
        """
        if password_hash is None:
            await self.hash(password)
            return False
        async with self._limiter.slot():
            return await asyncio.to_thread(self._verify, password_hash, _normalise(password))

    def _verify(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False


def _normalise(password: str) -> str:
    """Unicode NFKC: keyboards compose é as one character or as two."""
    return unicodedata.normalize("NFKC", password)
