"""A served product and its switchable."""

from tests.protocols.fixtures import caller, served, shared_model, switchable

__all__ = ["caller", "served", "shared_model", "switchable"]
