"""Migrated databases on the server of the tests, copied from one that is migrated once."""

from uuid import uuid4

import asyncpg

from yarrow.db.migrate import upgrade_if_behind

TEMPLATE = "migrated"


async def create_database(postgres: str) -> str:
    """The DSN of a new, migrated database on the server of the tests."""
    name = f"own_{uuid4().hex}"
    connection = await asyncpg.connect(postgres)
    try:
        if not await _has_template(connection):
            await connection.execute(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
            await upgrade_if_behind(_change_database(postgres, TEMPLATE))
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
    finally:
        await connection.close()
    return _change_database(postgres, name)


async def _has_template(connection: asyncpg.Connection) -> bool:
    query = "SELECT count(*) FROM pg_database WHERE datname = $1"
    return bool(await connection.fetchval(query, TEMPLATE))


def _change_database(dsn: str, name: str) -> str:
    changed = dsn.replace("@/yarrow?", f"@/{name}?")
    assert changed != dsn
    return changed
