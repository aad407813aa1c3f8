"""The port for waking other processes.

Sending is part of the SQL statement that stores the fact (`pg_notify` on a channel that its
store names): it is delivered on commit and costs no round trip. Receiving is one connection a
process that reconnects by itself. Every receiver also polls its table, so a lost notification
costs a second and nothing else; a message broker could take this module's place.
"""

import asyncio
from collections.abc import Callable

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable

RETRY_S = 0.25


class Notifications:
    """What this process subscribed to."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._handlers: dict[str, Callable[[str], None]] = {}
        self._gap_handlers: list[Callable[[], None]] = []

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
                await lost.wait()
            finally:
                self._report_gap()
                await connection.close()

    def _report_gap(self) -> None:
        for handler in self._gap_handlers:
            handler()
