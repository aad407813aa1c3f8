"""A pool of connections, and the only place where a transaction begins or commits."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeAlias

import asyncpg

from yarrow.db.errors import DatabaseUnavailable
from yarrow.kit.json import decode_json, encode_json

Row: TypeAlias = Any
"""One record of a query, read by column name inside a store and nowhere else."""

TRY_AGAIN = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    OSError,
)
"""What a query raises when the server is gone, going, not yet back, or asks to be asked again."""


class Tx(Protocol):
    """What a store may do with a connection: ask, never commit."""

    async def fetch(self, query: str, *args: object) -> list[Row]: ...
    async def fetchrow(self, query: str, *args: object) -> Row | None: ...
    async def fetchval(self, query: str, *args: object) -> Any: ...  # noqa: ANN401
    async def execute(self, query: str, *args: object) -> str: ...


class _Connection(asyncpg.Connection):  # type: ignore[misc]
    """No reset query on release: we keep no session state, and it would cost a round trip."""

    def get_reset_query(self) -> str:
        return ""


async def _prepare(connection: asyncpg.Connection) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind,
            schema="pg_catalog",
            format="binary",
            encoder=_jsonb_bytes if kind == "jsonb" else encode_json,
            decoder=_from_jsonb if kind == "jsonb" else decode_json,
        )


def _jsonb_bytes(value: object) -> bytes:
    return b"\x01" + encode_json(value)


def _from_jsonb(data: bytes) -> object:
    return decode_json(data[1:])


class Database:
    """Connections to one PostgreSQL."""

    def __init__(self, pool: asyncpg.Pool, dsn: str) -> None:
        self._pool = pool
        self.dsn = dsn

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        """A transaction on a pooled connection; a lost one is raised as `DatabaseUnavailable`."""
        try:
            async with self._pool.acquire() as connection, connection.transaction():
                yield connection
        except TRY_AGAIN as lost:
            raise DatabaseUnavailable from lost

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Tx]:
        """A pooled connection in autocommit: every statement is a transaction of its own."""
        try:
            async with self._pool.acquire() as connection:
                yield connection
        except TRY_AGAIN as lost:
            raise DatabaseUnavailable from lost

    async def ping(self) -> None:
        """Ask the server for a sign of life."""
        async with self.connection() as tx:
            await tx.fetchval("SELECT 1")

    async def listen(
        self, channels: dict[str, Callable[[str], None]], *, on_lost: Callable[[], None]
    ) -> asyncpg.Connection:
        """A connection of its own that hears `channels` until it is closed or lost."""
        connection = await connect(self.dsn)
        connection.add_termination_listener(lambda _: on_lost())
        try:
            for channel, heard in channels.items():
                await connection.add_listener(
                    channel, lambda _c, _pid, _ch, payload, heard=heard: heard(payload)
                )
        except TRY_AGAIN as lost:
            raise DatabaseUnavailable from lost
        return connection

    async def close(self) -> None:
        await self._pool.close()


async def connect(dsn: str) -> asyncpg.Connection:
    """One plain connection outside the pool."""
    try:
        return await asyncpg.connect(dsn, timeout=10)
    except TRY_AGAIN as lost:
        raise DatabaseUnavailable from lost


@asynccontextmanager
async def open_database(dsn: str, *, size: int) -> AsyncIterator[Database]:
    """A pool of at most `size` connections for the lifetime of the block."""
    try:
        pool = await asyncpg.create_pool(
            dsn,
            min_size=2,
            max_size=size,
            connection_class=_Connection,
            init=_prepare,
            command_timeout=30,
            server_settings={"plan_cache_mode": "force_generic_plan"},
            max_inactive_connection_lifetime=600,
        )
    except TRY_AGAIN as lost:
        raise DatabaseUnavailable from lost
    database = Database(pool, dsn)
    try:
        yield database
    finally:
        await database.close()
