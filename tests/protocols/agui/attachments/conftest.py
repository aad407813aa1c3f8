"""A served product and its stage, with attachments in a folder."""

import pytest
from tests.protocols.switchable_model import Stage
from tests.protocols.agui.attachments.uploads import a_thread
from tests.protocols.fixtures import served, shared_stage, stage
from tests.serving import Caller, Served

__all__ = ["caller", "served", "shared_stage", "stage", "thread"]


@pytest.fixture
async def caller(served: Served, stage: Stage) -> Caller:
    """A new account that can afford many runs."""
    return await served.account(points=1_000)


@pytest.fixture
async def thread(caller: Caller) -> str:
    """A session of the caller's."""
    return await a_thread(caller)
