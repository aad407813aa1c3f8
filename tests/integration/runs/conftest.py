"""A database of its own, because the books of all its accounts are checked."""

from collections.abc import AsyncIterator
from uuid import uuid4

import asyncpg
import pytest

from yarrow.db import Database, open_database
from yarrow.db.migrate import upgrade_if_behind


@pytest.fixture(scope="session")
async def dsn(postgres: str) -> str:
    name = f"runs_{uuid4().hex}"
    connection = await asyncpg.connect(postgres)
    await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    await connection.close()
    own = postgres.replace("@/yarrow?", f"@/{name}?")
    assert own != postgres
    await upgrade_if_behind(own)
    return own


@pytest.fixture(scope="session")
async def database(dsn: str) -> AsyncIterator[Database]:
    async with open_database(dsn, size=20) as database:
        yield database
