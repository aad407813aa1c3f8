"""A database of one folder's or file's own, for tests that check the rules of all its rows."""

from uuid import uuid4

import asyncpg

from yarrow.db.migrate import upgrade_if_behind


async def create_database(postgres: str) -> str:
    """The DSN of a new, migrated database on the server of the tests."""
    name = f"own_{uuid4().hex}"
    connection = await asyncpg.connect(postgres)
    await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    await connection.close()
    dsn = postgres.replace("@/yarrow?", f"@/{name}?")
    assert dsn != postgres
    await upgrade_if_behind(dsn)
    return dsn
