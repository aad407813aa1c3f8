"""A database of its own, because the books of all its accounts are checked."""

from collections.abc import AsyncIterator

import pytest
from tests.own_database import create_database

from yarrow.db import Database, open_database


@pytest.fixture(scope="session")
async def dsn(postgres: str) -> str:
    return await create_database(postgres)


@pytest.fixture(scope="session")
async def database(dsn: str) -> AsyncIterator[Database]:
    async with open_database(dsn, size=20) as database:
        yield database
