"""A served product whose model plays what a test wants."""

from tests.protocols.staged import caller, served, shared_stage, stage

__all__ = ["caller", "served", "shared_stage", "stage"]
