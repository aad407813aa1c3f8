"""Check that the embedded server answers; create its database if it is missing."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import asyncpg

from yarrow.db.embedded.cluster import SUPERUSER

DATABASE = "yarrow"
MAINTENANCE_DATABASE = "postgres"
ANSWER_TIMEOUT_S = 5.0


def build_dsn(socket_dir: str, database: str = DATABASE) -> str:
    """The DSN of the server; with the default port written out, so that PGPORT cannot change it."""
    return f"postgresql://{SUPERUSER}@/{database}?host={quote(socket_dir)}&port=5432"


def is_answering(socket_dir: str) -> bool:
    """Whether the server accepts connections; creates the database if it is missing."""
    # In a thread: the caller may have an event loop or not.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, _probe_server(socket_dir)).result()


async def _probe_server(socket_dir: str) -> bool:
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            connection = await asyncpg.connect(build_dsn(socket_dir, MAINTENANCE_DATABASE))
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
