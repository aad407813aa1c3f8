"""Passwords are hashed, and checked with equal work for unknown accounts."""

import asyncio
import time

import argon2

from yarrow.accounts.passwords import Passwords, make_hasher

CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def test_new_hashes_cost_twice_what_owasp_asks_for() -> None:
    hasher = make_hasher()

    # OWASP, Password Storage Cheat Sheet: at least m=19456 (19 MiB), t=2, p=1.
    assert (hasher.memory_cost, hasher.time_cost, hasher.parallelism) == (19_456, 4, 1)
    assert hasher.type is argon2.Type.ID


async def test_a_flood_of_logins_holds_the_memory_of_one_hash() -> None:
    class Overlapping(argon2.PasswordHasher):
        running = most = 0

        def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
            self.running += 1
            self.most = max(self.most, self.running)
            time.sleep(0.002)
            self.running -= 1
            return super().hash(password, salt=salt)

    hasher = Overlapping(time_cost=1, memory_cost=8, parallelism=1)
    passwords = Passwords(hasher)

    await asyncio.gather(*(passwords.matches("anything", None) for _ in range(20)))

    assert hasher.most == 1


async def test_password_matches_its_own_hash_only() -> None:
    passwords = Passwords(CHEAP)
    stored = await passwords.hash("correct horse")

    assert stored.startswith("$argon2id$")
    assert await passwords.matches("correct horse", stored)
    assert not await passwords.matches("correct hors", stored)


async def test_same_letters_composed_differently_match() -> None:
    passwords = Passwords(CHEAP)

    assert await passwords.matches("cafe\u0301 noir", await passwords.hash("caf\u00e9 noir"))


async def test_unknown_account_costs_a_hash_too() -> None:
    class Counting(argon2.PasswordHasher):
        hashes = 0

        def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
            self.hashes += 1
            return super().hash(password, salt=salt)

    hasher = Counting(time_cost=1, memory_cost=8, parallelism=1)

    assert not await Passwords(hasher).matches("anything", None)
    assert hasher.hashes == 1


async def test_damaged_hash_matches_nothing() -> None:
    assert not await Passwords(CHEAP).matches("anything", "not a hash")
