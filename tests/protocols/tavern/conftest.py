"""The served product, its stage and an account: see `tests/protocols/staged.py`."""

from tests.protocols.staged import caller, served, shared_stage, stage

__all__ = ["caller", "served", "shared_stage", "stage"]
