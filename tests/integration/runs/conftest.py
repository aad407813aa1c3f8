"""A database of its own, because the books of all its accounts are checked."""

from uuid import uuid4

import asyncpg
import pytest

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
