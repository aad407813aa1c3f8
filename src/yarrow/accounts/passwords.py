"""Hash passwords with argon2 in threads, in equal time whether or not the account exists."""

import asyncio
import os
import threading
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import argon2
from argon2.exceptions import InvalidHashError, VerificationError

from yarrow.kit.limiter import Limiter

AT_ONCE = 1
"""Hashes computed at the same time; each holds `MEMORY_KIB` and a core while it runs."""
MEMORY_KIB = 19_456
TIME_COST = 4
"""Twice OWASP's minimum for this memory and one lane."""
NICENESS = 10
"""Of the threads that hash: the event loop comes first."""

Result = TypeVar("Result")


def make_hasher() -> argon2.PasswordHasher:
    """The cost of new hashes; an older one is checked at the cost that it names."""
    return argon2.PasswordHasher(time_cost=TIME_COST, memory_cost=MEMORY_KIB, parallelism=1)


class Passwords:
    """Hashes and checks passwords. The cost is the hasher's: tests pass a cheap one."""

    def __init__(self, hasher: argon2.PasswordHasher) -> None:
        self._hasher = hasher
        self._limiter = Limiter(AT_ONCE)
        # Not the default executor: other work would wait behind a flood of logins.
        self._threads = ThreadPoolExecutor(AT_ONCE, "passwords", initializer=_lower_priority)

    async def hash(self, password: str) -> str:
        return await self._run_in_thread(lambda: self._hasher.hash(_normalise_password(password)))

    async def matches(self, password: str, password_hash: str | None) -> bool:
        """Whether the password has this hash.

        Without an account (None) the password is hashed too, so that the time of a login does
        not reveal which e-mails have one.
        """
        if password_hash is None:
            await self.hash(password)
            return False
        return await self._run_in_thread(
            lambda: self._verify_hash(password_hash, _normalise_password(password))
        )

    def is_outdated(self, password_hash: str) -> bool:
        """Whether a hash was made at another cost than new ones are."""
        return self._hasher.check_needs_rehash(password_hash)

    async def _run_in_thread(self, work: Callable[[], Result]) -> Result:
        # The limiter keeps cancelled requests out of the queue of the executor.
        async with self._limiter.slot():
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _verify_hash(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False


def _lower_priority() -> None:
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def _normalise_password(password: str) -> str:
    """Unicode NFKC: keyboards compose é as one character or as two."""
    return unicodedata.normalize("NFKC", password)
