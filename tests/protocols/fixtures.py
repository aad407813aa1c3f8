"""One served product for each module, and a switchable on which its model plays what a test wants.

A folder of tests takes these fixtures by importing them into its conftest.
"""

from collections.abc import AsyncIterator

import pytest
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, serving


@pytest.fixture(scope="module")
def shared_model() -> SwitchableModel:
    return SwitchableModel()


@pytest.fixture(scope="module")
async def served(
    dsn: str, shared_model: SwitchableModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """The whole product with accounts on. Tests of a module share it and bring new accounts."""
    folder = tmp_path_factory.mktemp("served")
    async with serving(dsn, model=shared_model, data_dir=folder) as served:
        yield served


@pytest.fixture
def switchable(shared_model: SwitchableModel) -> SwitchableModel:
    """The model of the served product; without a script it echoes."""
    shared_model.script()
    return shared_model


@pytest.fixture
async def caller(served: Served, switchable: SwitchableModel) -> Caller:
    """A new account with its hundred points."""
    return await served.account()
