"""A served product for each module, and an account for each test."""

from tests.protocols.fixtures import caller, served, shared_model, switchable

__all__ = ["caller", "served", "shared_model", "switchable"]
