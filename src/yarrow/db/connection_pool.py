"""Connections to one database, handed out one user at a time.

asyncpg's pool makes a task, two timers and a proxy each time a connection is used, so that it can
reset it: half as much work as the statement itself. Here a connection is reset only if its user
left with an error that can leave a query or a transaction behind.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress

import asyncpg

LEAVES_WORK = (
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.InternalServerError,
    asyncpg.InvalidTransactionStateError,
    OSError,
)
"""Errors, besides cancellation, that may leave a query behind; a timeout is an `OSError`. Those of
the server may come from BEGIN: asyncpg then takes the connection to be in a transaction."""
RESET_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 10.0
CLOSED = "the pool is closing"


class ConnectionPool:
    """At most `max_size` connections, opened when they are needed.

    Who waits for one gets it in the order of waiting. Connections that nobody used for `idle_s`
    are closed.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[asyncpg.Connection]], *, max_size: int, idle_s: float
    ) -> None:
        self._connect, self._max_size, self._idle_s = connect, max_size, idle_s
        self._loop = asyncio.get_running_loop()
        self._idle: list[tuple[asyncpg.Connection, float]] = []
        """With the time of the last use, the latest last."""
        self._size = 0
        """Connections that are open or being opened."""
        self._waiting: deque[asyncio.Future[asyncpg.Connection | None]] = deque()
        self._resets: set[asyncio.Task[None]] = set()
        self._is_closing = False
        self._all_released = asyncio.Event()
        self._sweep = self._loop.call_later(idle_s, self._close_unused)

    async def acquire(self) -> asyncpg.Connection:
        """Take a connection; it is given back with `release`."""
        if self._is_closing:
            raise asyncpg.InterfaceError(CLOSED)
        while self._idle:
            connection, _ = self._idle.pop()
            if not connection.is_closed():
                return connection
            self._size -= 1
        if self._size < self._max_size:
            self._size += 1
            return await self._open_connection()
        return await self._wait_for_connection() or await self._open_connection()

    async def _open_connection(self) -> asyncpg.Connection:
        """Open a connection, which is counted already."""
        with ExitStack() as undo:
            undo.callback(self._give_up_place)
            connection = await self._connect()
            undo.pop_all()
        return connection

    async def _wait_for_connection(self) -> asyncpg.Connection | None:
        """Wait for a connection; None for the place of one that was lost."""
        place = self._loop.create_future()
        self._waiting.append(place)
        try:
            return await place
        except asyncio.CancelledError:
            if not place.cancelled() and place.exception() is None:
                self._return_connection(place.result())
            raise

    def release(self, connection: asyncpg.Connection, error: BaseException | None) -> None:
        """Give a connection back; `error` is what its user left with."""
        if connection.is_closed():
            self._give_up_place()
        elif connection.is_in_transaction() or _may_leave_work(error):
            reset = self._loop.create_task(self._reset_connection(connection))
            self._resets.add(reset)
            reset.add_done_callback(self._resets.discard)
        else:
            self._give_back(connection)

    async def _reset_connection(self, connection: asyncpg.Connection) -> None:
        """Wait for the cancellation of a query, if there is one, and end any transaction."""
        with suppress(asyncpg.PostgresError, *LEAVES_WORK), ExitStack() as undo:
            # Whatever the error, the place must not be lost: those who wait would wait for ever.
            undo.callback(self._give_up_place)
            undo.callback(connection.terminate)
            await connection.execute("SELECT 1", timeout=RESET_TIMEOUT_S)
            await connection.reset(timeout=RESET_TIMEOUT_S)
            undo.pop_all()
            self._give_back(connection)

    def _return_connection(self, connection: asyncpg.Connection | None) -> None:
        if connection is None:
            self._give_up_place()
        else:
            self._give_back(connection)

    def _give_back(self, connection: asyncpg.Connection) -> None:
        if not self._pass_connection(connection):
            self._idle.append((connection, self._loop.time()))
        self._note_release()

    def _give_up_place(self) -> None:
        if not self._pass_connection(None):
            self._size -= 1
        self._note_release()

    def _pass_connection(self, connection: asyncpg.Connection | None) -> bool:
        """Give a connection, or the place of one, to who has waited longest."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(connection)
                return True
        return False

    def _note_release(self) -> None:
        if len(self._idle) == self._size:
            self._all_released.set()

    def _close_unused(self) -> None:
        """Close what was not used for `idle_s`, and look again later."""
        limit = self._loop.time() - self._idle_s
        while self._idle and self._idle[0][1] <= limit:
            connection, _ = self._idle.pop(0)
            connection.terminate()
            self._size -= 1
        self._sweep = self._loop.call_later(self._idle_s / 2, self._close_unused)

    async def close(self) -> None:
        """Wait until all connections are given back, and close them."""
        self._is_closing = True
        self._sweep.cancel()
        while self._waiting:
            if not (place := self._waiting.popleft()).done():
                place.set_exception(asyncpg.InterfaceError(CLOSED))
        while len(self._idle) < self._size:
            self._all_released.clear()
            await self._all_released.wait()
        connections = [connection for connection, _ in self._idle]
        self._idle.clear()
        self._size = 0
        closing = (connection.close(timeout=CLOSE_TIMEOUT_S) for connection in connections)
        await asyncio.gather(*closing, return_exceptions=True)


def _may_leave_work(error: BaseException | None) -> bool:
    """Whether a query may still be under way, or about to be cancelled, after this error."""
    return error is not None and (
        not isinstance(error, Exception) or isinstance(error, LEAVES_WORK)
    )
