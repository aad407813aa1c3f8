"""Passwords are hashed, and checked with equal work for unknown accounts."""

import argon2

from yarrow.accounts.passwords import Passwords

CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


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
