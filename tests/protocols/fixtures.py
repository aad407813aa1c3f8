"""One served product for the tests of a process, with a model on which each plays its script.

`shared_served` and `shared_model` are fixtures of `tests/protocols`; a folder of tests takes the
others by importing them into its conftest.
"""

from collections.abc import AsyncIterator, Iterator

import pytest
from tests.own_database import create_database
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import Caller, Served, serving

from yarrow.db import Database


@pytest.fixture(scope="session")
def shared_model() -> SwitchableModel:
    return SwitchableModel()


@pytest.fixture(scope="session")
async def shared_served(
    postgres: str, shared_model: SwitchableModel, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Served]:
    """A product with a database of its own: it claims no runs of servers that a test starts."""
    dsn, folder = await create_database(postgres), tmp_path_factory.mktemp("served")
    async with serving(dsn, model=shared_model, data_dir=folder) as served:
        yield served


@pytest.fixture(scope="session")
def served(shared_served: Served) -> Served:
    """The whole product with accounts on. Tests share it and bring new accounts."""
    return shared_served


@pytest.fixture
def database(served: Served) -> Database:
    """The database of the served product."""
    return served.product.database


@pytest.fixture
def switchable(shared_model: SwitchableModel, served: Served) -> Iterator[SwitchableModel]:
    """The model of the served product; without a script it echoes."""
    shared_model.script()
    yield shared_model
    shared_model.leave_accounts(served.accounts)
    served.accounts.clear()


@pytest.fixture
async def caller(served: Served, switchable: SwitchableModel) -> Caller:
    """A new account with its hundred points."""
    return await served.account()
