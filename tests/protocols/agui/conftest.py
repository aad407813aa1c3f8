"""A served product that tests share, its model, and an account for each test."""

from tests.protocols.fixtures import caller, database, served, switchable

__all__ = ["caller", "database", "served", "switchable"]
