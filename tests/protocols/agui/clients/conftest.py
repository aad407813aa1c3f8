"""The product, a model to script, and stock clients to talk to it."""

from asyncio.subprocess import Process
from collections.abc import AsyncIterator

import pytest
from tests.protocols.agui.clients.node import CLIENTS, install_packages, node, running


@pytest.fixture(scope="session")
async def packages() -> None:
    await install_packages()


@pytest.fixture(scope="module", params=CLIENTS.values(), ids=list(CLIENTS))
async def client(request: pytest.FixtureRequest, packages: None) -> AsyncIterator[Process]:
    """A stock client, in a process that does one job after the other."""
    async with running(*node(), "talk.mjs", request.param) as process:
        yield process
