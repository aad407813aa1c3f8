"""One PostgreSQL for all tests of a process, and a served product for those that want one."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.serving import Served, serving

from yarrow.db import Database, open_database
from yarrow.db.embedded.server import EmbeddedPostgres
from yarrow.db.migrate import upgrade_if_behind
from yarrow.llm.scripted import ScriptedModel


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The DSN of an empty database on a server of our own."""
    folder = Path(tempfile.mkdtemp(prefix="yarrow-test-"))
    with EmbeddedPostgres(folder) as server:
        yield server.start()
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
async def dsn(postgres: str) -> str:
    """The DSN of a migrated database; tests share it and make accounts of their own."""
    await upgrade_if_behind(postgres)
    return postgres


@pytest.fixture(scope="session")
async def database(dsn: str) -> AsyncIterator[Database]:
    async with open_database(dsn, size=20) as database:
        yield database


@pytest.fixture
def model() -> ScriptedModel:
    """What the product's agents talk to; `tests` may replace its script before asking."""
    return ScriptedModel()


@pytest.fixture
async def served(dsn: str, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Served]:
    """The whole product with accounts on, over real HTTP, with the scripted model."""
    async with serving(dsn, model=model, data_dir=tmp_path) as served:
        yield served
