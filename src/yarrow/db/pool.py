"""The connection pool, the only place where transactions begin and commit, and named parameters."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from functools import partial
from types import TracebackType
from typing import Any, Protocol, TypeAlias
from uuid import UUID

import asyncpg

from yarrow.db.connection_pool import ConnectionPool
from yarrow.db.disk_wait import DiskWait
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.retry import retry_while_away
from yarrow.kit.json import decode_json, encode_json

Row: TypeAlias = Any
"""A result row; read by column name, in stores only."""

RETRYABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.DeadlockDetectedError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.LockNotAvailableError,
    asyncpg.SerializationError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,
    OSError,
)
"""Errors after which the same transaction may succeed: the server is down, stopping, starting or
overloaded, or it aborted the transaction (deadlock, serialization, a lock held too long)."""

RESERVED = 2
IDLE_S = 600.0
"""After so long without use a connection is closed."""
LOCK_TIMEOUT = "5s"
"""How long a statement waits for a row that another transaction has locked."""
IDLE_IN_TRANSACTION = "4s"
"""After so long without a statement PostgreSQL ends a transaction: its process is frozen or gone,
and whoever takes over its runs would wait for its locks. As long as the lease of a worker."""
_SETTINGS = {
    "plan_cache_mode": "force_generic_plan",
    # As on disks without moving parts. With 4, the default, statements that are planned while
    # tables are new read all of them, and their plans are kept while thousands of rows come.
    "random_page_cost": "1.1",
    "lock_timeout": LOCK_TIMEOUT,
    "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION,
}


class RowCursor(Protocol):
    """A cursor on the server; it ends with its transaction."""

    async def fetch(self, n: int) -> list[Row]: ...


class Tx(Protocol):
    """The part of a connection that stores may use: statements, no commit."""

    async def fetch(self, query: str, *args: object) -> list[Row]: ...
    async def fetchrow(self, query: str, *args: object) -> Row | None: ...
    async def fetchval(self, query: str, *args: object) -> Any: ...  # noqa: ANN401
    async def execute(self, query: str, *args: object) -> str: ...


class Transaction(Tx, Protocol):
    """A connection in a transaction, in which cursors can be open."""

    def cursor(self, query: str, *args: object) -> Awaitable[RowCursor]: ...


async def _set_json_codecs(connection: asyncpg.Connection) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(
            kind,
            schema="pg_catalog",
            format="binary",
            encoder=_encode_jsonb if kind == "jsonb" else encode_json,
            decoder=_decode_jsonb if kind == "jsonb" else decode_json,
        )


def _encode_jsonb(value: object) -> bytes:
    return b"\x01" + encode_json(value)


def _decode_jsonb(data: bytes) -> object:
    return decode_json(data[1:])


class _PooledConnection:
    """A connection for the length of a block; a lost one is raised as `DatabaseUnavailable`.

    A class, because every run enters two of these, and a generator costs several times as much.
    """

    __slots__ = ("_connection", "_pool")
    _connection: asyncpg.Connection

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    async def __aenter__(self) -> asyncpg.Connection:
        try:
            self._connection = await self._pool.acquire()
        except RETRYABLE as error:
            raise DatabaseUnavailable from error
        return self._connection

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.release(self._connection, error)
        if isinstance(error, RETRYABLE):
            raise DatabaseUnavailable from error


class Database:
    """A pool of connections to one PostgreSQL database, and a few that requests cannot take."""

    def __init__(self, pool: ConnectionPool, reserved: ConnectionPool, dsn: str) -> None:
        self._pool, self._reserved = pool, reserved
        self.dsn = dsn
        self._disk_waits: dict[str, DiskWait] = {}

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """A transaction on a pooled connection; a lost one is raised as `DatabaseUnavailable`."""
        async with _PooledConnection(self._pool) as connection, connection.transaction():
            yield connection

    def connection(self) -> AbstractAsyncContextManager[Tx]:
        """A pooled connection in autocommit mode: each statement is its own transaction."""
        return _PooledConnection(self._pool)

    def reserved_connection(self) -> AbstractAsyncContextManager[Tx]:
        """The same from the reserve: for heartbeats, claims and the journal, which must not stop
        when requests that wait for a lock hold the whole pool."""
        return _PooledConnection(self._reserved)

    async def wait_for_disk(
        self, table: str, row_id: UUID, *, patience: timedelta | None = None
    ) -> None:
        """Return once a row that was committed before the call is on disk, also asynchronously.

        `RowLost` if a crash of the database has taken it, `DatabaseUnavailable` if the database is
        away for longer than `patience`.
        """
        if table not in self._disk_waits:
            self._disk_waits[table] = DiskWait(self.reserved_connection, table)
        await retry_while_away(partial(self._disk_waits[table].wait, row_id), patience)

    async def join_disk_wait(self, table: str, row_id: UUID) -> None:
        """Wait with the caller of `wait_for_disk`, if one waits for this row in this process."""
        if table in self._disk_waits:
            await self._disk_waits[table].join(row_id)

    async def ping(self) -> None:
        """Run a trivial query, also while requests hold the whole pool.

        `DatabaseUnavailable` if the server does not answer.
        """
        async with self.reserved_connection() as tx:
            await tx.fetchval("SELECT 1")

    async def listen(
        self, channels: dict[str, Callable[[str], None]], *, on_lost: Callable[[], None]
    ) -> asyncpg.Connection:
        """Open a connection outside the pool that calls a handler for each notification."""
        connection = await open_unpooled_connection(self.dsn)
        connection.add_termination_listener(lambda _: on_lost())
        try:
            for channel, handler in channels.items():
                await connection.add_listener(
                    channel, lambda _c, _pid, _ch, payload, handler=handler: handler(payload)
                )
        except RETRYABLE as error:
            connection.terminate()
            raise DatabaseUnavailable from error
        except asyncio.CancelledError:
            connection.terminate()
            raise
        return connection

    async def close(self) -> None:
        await self._pool.close()
        await self._reserved.close()


async def open_unpooled_connection(dsn: str) -> asyncpg.Connection:
    """Open a connection outside the pool."""
    try:
        return await asyncpg.connect(dsn, timeout=10)
    except RETRYABLE as error:
        raise DatabaseUnavailable from error


def _make_pool(dsn: str, *, max_size: int) -> ConnectionPool:
    async def open_connection() -> asyncpg.Connection:
        connection = await asyncpg.connect(dsn, command_timeout=30, server_settings=_SETTINGS)
        await _set_json_codecs(connection)
        return connection

    return ConnectionPool(open_connection, max_size=max_size, idle_s=IDLE_S)


@asynccontextmanager
async def open_database(dsn: str, *, size: int) -> AsyncIterator[Database]:
    """Open a pool of at most `size` connections for the duration of the block.

    One is opened at once; the others, and reserved ones, when they are first used.
    """
    database = Database(_make_pool(dsn, max_size=size), _make_pool(dsn, max_size=RESERVED), dsn)
    try:
        async with database.connection():
            pass
        yield database
    finally:
        await database.close()


_PARAMETER = re.compile(r"(?<!:):([a-z_]+)")


class NamedSql:
    """A statement whose parameters are given by name.

    COUNT = NamedSql("SELECT count(*) FROM runs WHERE session_id = :session_id")
    await tx.fetchval(COUNT.text, *COUNT.arguments(session_id=session_id))
    """

    def __init__(self, text: str) -> None:
        self._names = list(dict.fromkeys(_PARAMETER.findall(text)))
        numbers = {name: number for number, name in enumerate(self._names, 1)}
        self.text = _PARAMETER.sub(lambda match: f"${numbers[match[1]]}", text)

    def arguments(self, **values: object) -> list[object]:
        """Order the values for asyncpg; a missing or an unknown name is an error."""
        if values.keys() != set(self._names):
            raise TypeError(f"wrong parameters: {sorted(values.keys() ^ set(self._names))}")
        return [values[name] for name in self._names]
