"""Ask the embedded server whether it answers, and give it the database it should have."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import asyncpg

from yarrow.db.embedded.cluster import SUPERUSER

DATABASE = "yarrow"
MAINTENANCE_DATABASE = "postgres"
ANSWER_LIMIT_S = 5.0


def dsn_of(socket_dir: str, database: str = DATABASE) -> str:
    """The port is named although it is the usual one: PGPORT must not change it."""
    return f"postgresql://{SUPERUSER}@/{database}?host={quote(socket_dir)}&port=5432"


def answers(socket_dir: str) -> bool:
    """Whether the server takes connections; creates the database if it is missing."""
    # A thread of its own: the caller may or may not have an event loop.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, _answers(socket_dir)).result()


async def _answers(socket_dir: str) -> bool:
    try:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            connection = await asyncpg.connect(dsn_of(socket_dir, MAINTENANCE_DATABASE))
    except asyncpg.TooManyConnectionsError:
        return True
    except (OSError, asyncpg.PostgresConnectionError, asyncpg.CannotConnectNowError):
        return False
    try:
        await _ensure_database(connection)
    finally:
        await connection.close()
    return True


async def _ensure_database(connection: asyncpg.Connection) -> None:
    if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", DATABASE):
        await connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE template0")
