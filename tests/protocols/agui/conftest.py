"""A served product and its stage."""

from tests.protocols.fixtures import caller, served, shared_stage, stage

__all__ = ["caller", "served", "shared_stage", "stage"]
