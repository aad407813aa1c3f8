"""A served product and its switchable, with attachments in a folder."""

import pytest
from tests.protocols.agui.attachments.uploads import start_thread
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served


@pytest.fixture
async def caller(served: Served, switchable: SwitchableModel) -> Caller:
    """A new account that can afford many runs."""
    return await served.account(points=1_000)


@pytest.fixture
async def thread(caller: Caller) -> str:
    """A session of the caller's."""
    return await start_thread(caller)
