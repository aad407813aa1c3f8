"""The product, a model to script, and stock clients to talk to it."""

import pytest
from tests.protocols.agui.clients.node import install_packages
from tests.protocols.fixtures import caller, served, shared_model, switchable

__all__ = ["caller", "packages", "served", "shared_model", "switchable"]


@pytest.fixture(scope="session")
async def packages() -> None:
    await install_packages()
