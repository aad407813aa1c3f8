"""The database of the configured settings: an external one by its DSN, or the embedded one."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct

from yarrow.db.embedded import disk_reserve
from yarrow.db.embedded.disk_reserve import DiskReserve
from yarrow.db.embedded.server import EmbeddedPostgres, find_postmaster_pid
from yarrow.errors import Misconfigured
from yarrow.settings import Settings

log = logging.getLogger("yarrow.db")

CHECK_S = 1.0


class RunningDatabase(Struct, frozen=True):
    """A database that answers at `dsn`; `embedded` if it is the server in the data dir."""

    dsn: str
    embedded: EmbeddedPostgres | None = None

    async def keep_alive(self) -> None:
        """Loop: restart the embedded server when something killed it."""
        while True:
            await asyncio.sleep(CHECK_S)
            if self.embedded is not None and find_postmaster_pid(self.embedded.data_dir) is None:
                log.warning("db.server_died")
                try:
                    await asyncio.to_thread(self.embedded.start)
                except (Misconfigured, OSError):
                    log.exception("db.server_not_revived")

    async def keep_reserve(self) -> None:
        """Loop: keep room on the disk for the embedded server, and give it up when it is full."""
        if self.embedded is None:
            await asyncio.Event().wait()
            return
        reserve = DiskReserve(self.embedded.data_dir)
        while True:
            with suppress(OSError):
                await asyncio.to_thread(reserve.check)
            await asyncio.sleep(disk_reserve.CHECK_S)


@contextmanager
def start_database(settings: Settings) -> Iterator[RunningDatabase]:
    """The configured database; an embedded server runs while the block lasts."""
    if settings.database_url is not None:
        yield RunningDatabase(settings.database_url.get_secret_value())
        return
    with EmbeddedPostgres(settings.data_dir) as embedded:
        yield RunningDatabase(embedded.dsn, embedded)
