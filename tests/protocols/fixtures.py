"""One served product for each module, and a stage on which its model plays what a test wants.

A folder of tests takes these fixtures by importing them into its conftest.
"""

from collections.abc import AsyncIterator

import pytest
from tests.protocols.switchable_model import Stage
from tests.serving import Caller, Served, serving


@pytest.fixture(scope="module")
def shared_stage() -> Stage:
    return Stage()


@pytest.fixture(scope="module")
async def served(
    dsn: str, shared_stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """The whole product with accounts on. Tests of a module share it and bring new accounts."""
    folder = tmp_path_factory.mktemp("served")
    async with serving(dsn, model=shared_stage, data_dir=folder) as served:
        yield served


@pytest.fixture
def stage(shared_stage: Stage) -> Stage:
    """The model of the served product; without a script it echoes."""
    shared_stage.script()
    return shared_stage


@pytest.fixture
async def caller(served: Served, stage: Stage) -> Caller:
    """A new account with its hundred points."""
    return await served.account()
