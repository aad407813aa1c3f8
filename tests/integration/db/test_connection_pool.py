"""Connections are handed out whole, in order, and again after cancellation and loss."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.tcp_postgres import tcp_postgres
from tests.waiting import PATIENCE_S, wait_until

from yarrow.db.connection_pool import ConnectionPool
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.pool import Database


@pytest.fixture
async def pool(postgres: str) -> AsyncIterator[ConnectionPool]:
    """One connection."""
    pool = ConnectionPool(lambda: asyncpg.connect(postgres), max_size=1, idle_s=600)
    yield pool
    await pool.close()


@pytest.mark.slow
async def test_the_locks_of_a_process_that_stopped_in_a_transaction_are_released(
    database: Database,
) -> None:
    lock = "SELECT pg_advisory_xact_lock(71234)"
    released = asyncio.Event()

    async def wait_for_lock() -> None:
        async with database.transaction() as tx:
            await tx.execute(lock)
        released.set()

    async with asyncio.TaskGroup() as tasks, asyncio.timeout(PATIENCE_S):
        with pytest.raises(DatabaseUnavailable):
            async with database.transaction() as frozen:
                await frozen.execute(lock)
                tasks.create_task(wait_for_lock())
                await released.wait()
                await frozen.execute("SELECT 1")


async def use(pool: ConnectionPool, query: str) -> object:
    """Run one statement as `Database.connection` does."""
    connection = await pool.acquire()
    error: BaseException | None = None
    try:
        return await connection.fetchval(query)
    except BaseException as raised:
        error = raised
        raise
    finally:
        pool.release(connection, error)


async def test_connections_are_given_in_the_order_of_waiting(pool: ConnectionPool) -> None:
    held = await pool.acquire()
    order: list[int] = []

    async def wait(number: int) -> None:
        connection = await pool.acquire()
        order.append(number)
        await asyncio.sleep(0)
        pool.release(connection, None)

    async with asyncio.TaskGroup() as tasks:
        for number in range(3):
            tasks.create_task(wait(number))
            await asyncio.sleep(0)
        pool.release(held, None)

    assert order == [0, 1, 2]


async def test_a_connection_is_used_again(pool: ConnectionPool) -> None:
    first = await use(pool, "SELECT pg_backend_pid()")

    assert await use(pool, "SELECT pg_backend_pid()") == first


async def test_a_failed_statement_does_not_cost_the_connection(pool: ConnectionPool) -> None:
    first = await use(pool, "SELECT pg_backend_pid()")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await use(pool, "SELECT 1 / 0")

    assert await use(pool, "SELECT pg_backend_pid()") == first


async def test_a_transaction_that_is_left_open_is_rolled_back(pool: ConnectionPool) -> None:
    connection = await pool.acquire()
    await connection.execute("BEGIN")
    await connection.execute("SET LOCAL application_name = 'left'")
    pool.release(connection, None)

    connection = await pool.acquire()
    assert not connection.is_in_transaction()
    assert await connection.fetchval("SHOW application_name") != "left"
    pool.release(connection, None)


def encode_query(text: bytes) -> bytes:
    """A statement without parameters as PostgreSQL's protocol sends it."""
    return b"Q" + (len(text) + 5).to_bytes(4) + text + b"\0"


async def test_a_transaction_that_could_not_begin_is_not_taken_to_be_open(postgres: str) -> None:
    async with tcp_postgres(postgres) as proxy:
        limit = {"statement_timeout": "50ms"}
        pool = ConnectionPool(
            lambda: asyncpg.connect(proxy.url("yarrow"), server_settings=limit),
            max_size=1,
            idle_s=600,
        )
        database = Database(pool, pool, "")
        proxy.swapped = {encode_query(b"BEGIN;"): encode_query(b"SELECT pg_sleep(60)")}
        with pytest.raises(DatabaseUnavailable) as left:
            async with database.transaction():
                pass
        assert isinstance(left.value.__cause__, asyncpg.QueryCanceledError)

        proxy.swapped.clear()
        async with database.transaction() as tx:
            assert await tx.fetchval("SELECT 1") == 1
        await pool.close()


async def test_a_cancelled_statement_leaves_nothing_to_the_next_user(pool: ConnectionPool) -> None:
    connection = await pool.acquire()
    begun = asyncio.create_task(connection.execute("BEGIN; SELECT pg_sleep(60)"))
    await asyncio.sleep(0.05)
    begun.cancel()
    with pytest.raises(asyncio.CancelledError) as left:
        await begun
    pool.release(connection, left.value)

    connection = await asyncio.wait_for(pool.acquire(), PATIENCE_S)
    assert await connection.fetchval("SELECT 1") == 1
    assert not connection.is_in_transaction()
    pool.release(connection, None)


async def test_a_lost_connection_is_replaced(pool: ConnectionPool) -> None:
    first = await use(pool, "SELECT pg_backend_pid()")
    with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.AdminShutdownError)):
        await use(pool, "SELECT pg_terminate_backend(pg_backend_pid())")

    assert await use(pool, "SELECT pg_backend_pid()") != first


async def test_a_cancelled_user_of_an_ended_backend_takes_no_place(postgres: str) -> None:
    async with tcp_postgres(postgres) as proxy:
        proxy.holds_open = True  # the server has said that it ends, and the end is still to come
        pool = ConnectionPool(lambda: asyncpg.connect(proxy.url("yarrow")), max_size=1, idle_s=600)
        connection = await pool.acquire()
        terminate = "SELECT pg_terminate_backend($1, 10000)"
        other = await asyncpg.connect(postgres)
        assert await other.fetchval(terminate, connection.get_server_pid())
        await other.close()
        await asyncio.sleep(0.05)
        pool.release(connection, asyncio.CancelledError())

        assert await asyncio.wait_for(use(pool, "SELECT 1"), PATIENCE_S) == 1
        await pool.close()


async def test_who_waits_gets_the_place_of_a_lost_connection(pool: ConnectionPool) -> None:
    held = await pool.acquire()
    waiting = asyncio.create_task(use(pool, "SELECT 1"))
    await asyncio.sleep(0)
    held.terminate()
    pool.release(held, None)

    assert await asyncio.wait_for(waiting, PATIENCE_S) == 1


@pytest.mark.parametrize("is_given", [False, True], ids=["waiting", "just given one"])
async def test_who_stops_waiting_takes_no_connection(
    pool: ConnectionPool, *, is_given: bool
) -> None:
    held = await pool.acquire()
    waiting = asyncio.create_task(use(pool, "SELECT 1"))
    await asyncio.sleep(0)
    if is_given:
        pool.release(held, None)
    waiting.cancel()
    await asyncio.wait({waiting})
    if not is_given:
        pool.release(held, None)

    assert await asyncio.wait_for(use(pool, "SELECT 2"), PATIENCE_S) == 2


async def test_a_server_that_refuses_takes_no_place(postgres: str) -> None:
    addresses = ["postgresql://nobody@/none?host=/nowhere", postgres]
    pool = ConnectionPool(lambda: asyncpg.connect(addresses.pop(0)), max_size=1, idle_s=600)
    with pytest.raises(FileNotFoundError):
        await pool.acquire()

    assert await asyncio.wait_for(use(pool, "SELECT 1"), PATIENCE_S) == 1
    await pool.close()


async def test_unused_connections_are_closed(postgres: str) -> None:
    pool = ConnectionPool(lambda: asyncpg.connect(postgres), max_size=1, idle_s=0.05)
    connection = await pool.acquire()
    pool.release(connection, None)

    await wait_until(connection.is_closed)
    assert await use(pool, "SELECT 1") == 1
    await pool.close()


async def test_closing_waits_for_connections_in_use(postgres: str) -> None:
    pool = ConnectionPool(lambda: asyncpg.connect(postgres), max_size=2, idle_s=600)
    held = await pool.acquire()
    closing = asyncio.create_task(pool.close())
    await asyncio.sleep(0)
    with pytest.raises(asyncpg.InterfaceError):
        await pool.acquire()
    assert await held.fetchval("SELECT 1") == 1
    pool.release(held, None)

    await asyncio.wait_for(closing, PATIENCE_S)
    assert held.is_closed()
