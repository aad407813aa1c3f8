"""The port for waking other processes.

Sending is part of the SQL statement that stores the fact (`pg_notify` on a channel that its
store names): it is delivered on commit and costs no round trip. Receiving is one connection a
process that reconnects by itself. Every receiver also polls its table, so a lost notification
costs a second and nothing else; a message broker could take this module's place.

A NOTIFY is dear for the sender: PostgreSQL lets only one notifying transaction commit at a time.
So every listening connection holds a shared advisory lock, which ends with it, and the holders are
counted: a process that is alone sends no notifications to itself. A new listener tells the others.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import asyncpg

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.pool import RETRYABLE

RETRY_S = 0.25
COUNT_S = 5.0
"""How often listeners are counted, to notice that the others are gone."""
LISTENERS_CHANNEL = "yarrow_listeners"
"""Payload: the backend of a process that has begun to listen."""

_LOCK = (0x79617272, 1)
_REGISTER = (
    "SELECT pg_advisory_lock_shared($1::int, $2::int), "
    f"pg_notify('{LISTENERS_CHANNEL}', pg_backend_pid()::text)"
)
_COUNT_OTHERS = """
SELECT count(*) FROM pg_locks
WHERE locktype = 'advisory' AND classid = $1::int::oid AND objid = $2::int::oid
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND pid <> pg_backend_pid()
"""


class Notifications:
    """What this process subscribed to."""

    def __init__(self, database: Database, *, count_s: float = COUNT_S) -> None:
        self._database, self._count_s = database, count_s
        self._handlers: dict[str, Callable[[str], None]] = {}
        self._gap_handlers: list[Callable[[], None]] = []
        self._backend = ""
        self._arrived = False
        self.has_other_listeners = True
        """Whether another process may listen; also True while that is unknown."""
        self.subscribe(LISTENERS_CHANNEL, self._on_arrival)

    def subscribe(self, channel: str, handler: Callable[[str], None]) -> None:
        """Call the handler with each payload of the channel; before `listen` starts."""
        self._handlers[channel] = handler

    def on_gap(self, handler: Callable[[], None]) -> None:
        """Call the handler when the connection was lost and when it is there again.

        The listening connection is the first to notice that the database went away, even
        between two statements of the others.
        """
        self._gap_handlers.append(handler)

    async def listen(self) -> None:
        """Loop: receive notifications, reconnect after a lost connection."""
        while True:
            lost = asyncio.Event()
            try:
                connection = await self._database.listen(self._handlers, on_lost=lost.set)
            except DatabaseUnavailable:
                await asyncio.sleep(RETRY_S)
                continue
            self._report_gap()
            try:
                await self._count_listeners(lost, connection)
            except RETRYABLE:
                await asyncio.sleep(RETRY_S)
            finally:
                self.has_other_listeners = True
                self._report_gap()
                await connection.close()

    async def _count_listeners(self, lost: asyncio.Event, connection: asyncpg.Connection) -> None:
        """Register this listener and count the others, until the connection is lost."""
        self._backend = str(connection.get_server_pid())
        await connection.execute(_REGISTER, *_LOCK)
        while not lost.is_set():
            self._arrived = False
            others = await connection.fetchval(_COUNT_OTHERS, *_LOCK)
            # One that arrived during the count may be missing in it.
            self.has_other_listeners = others > 0 or self._arrived
            with suppress(TimeoutError):
                async with asyncio.timeout(self._count_s):
                    await lost.wait()

    def _on_arrival(self, backend: str) -> None:
        if backend != self._backend:
            self._arrived = self.has_other_listeners = True

    def _report_gap(self) -> None:
        for handler in self._gap_handlers:
            handler()
