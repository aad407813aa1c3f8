"""One PostgreSQL for all tests of a process."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from yarrow.db import Database, open_database
from yarrow.db.embedded.server import EmbeddedPostgres
from yarrow.db.migrate import upgrade_if_behind


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
