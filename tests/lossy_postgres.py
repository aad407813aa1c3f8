"""A proxy before PostgreSQL that can lose the answer to one COMMIT."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

SOCKET = ".s.PGSQL.5432"
CHUNK = 64 * 1024


class LossyPostgres:
    """Forwards bytes; the transaction that sends `marker` is committed, its connection closed.

    A statement outside of a transaction commits by itself.
    """

    def __init__(self, upstream: Path) -> None:
        self.marker: bytes | None = None
        self._upstream = upstream

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until either side closes, or its commit is lost."""
        server_reader, server_writer = await asyncio.open_unix_connection(self._upstream)
        lose = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as tasks:
                sending = tasks.create_task(self._send(reader, server_writer, lose))
                while (data := await server_reader.read(CHUNK)) and not lose.is_set():
                    writer.write(data)
                sending.cancel()
        finally:
            server_writer.close()
            writer.close()

    async def _send(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lose: asyncio.Event
    ) -> None:
        marked = is_open = False
        while data := await reader.read(CHUNK):
            if b"BEGIN" in data:
                marked, is_open = False, True
            marked = marked or (self.marker is not None and self.marker in data)
            if marked and (b"COMMIT" in data or not is_open):
                self.marker = None
                lose.set()
            is_open = is_open and b"COMMIT" not in data
            writer.write(data)
        writer.close()


@asynccontextmanager
async def lossy_postgres(dsn: str) -> AsyncIterator[tuple[str, LossyPostgres]]:
    """The DSN of a proxy before the server at `dsn`, which listens on a Unix socket."""
    [folder] = parse_qs(urlsplit(dsn).query)["host"]
    proxy = LossyPostgres(Path(folder, SOCKET))
    with tempfile.TemporaryDirectory(prefix="yarrow-pg-") as place:
        server = await asyncio.start_unix_server(proxy.connect, Path(place, SOCKET))
        async with server:
            yield dsn.replace(f"host={quote(folder)}", f"host={quote(place)}"), proxy
