"""A TCP address for the test server, which listens on a Unix socket; it can stall, cut and hold."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

SOCKET = ".s.PGSQL.5432"
CHUNK = 64 * 1024


class TcpPostgres:
    """Forwards bytes. `cut_after` closes the connection after so many bytes of answers;
    `is_silent` accepts connections and answers nothing; `holds_open` keeps a connection open for
    its client after the server has closed it. The server gets `swapped` bytes for others."""

    def __init__(self, upstream: Path) -> None:
        self.port = 0
        self.cut_after: int | None = None
        self.is_silent = False
        self.holds_open = False
        self.swapped: dict[bytes, bytes] = {}
        self._upstream = upstream

    def url(self, database: str, *, user: str = "yarrow", password: str = "pw-7f3a") -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}?sslmode=disable"

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_unix_connection(self._upstream)
        sending = asyncio.create_task(self._forward(reader, server_writer))
        sent = 0
        try:
            while data := await server_reader.read(CHUNK):
                sent += len(data)
                if self.is_silent:
                    continue
                if self.cut_after is not None and sent > self.cut_after:
                    break
                writer.write(data)
                await writer.drain()
            if self.holds_open:
                await sending
        except ConnectionError:
            pass
        finally:
            sending.cancel()
            await asyncio.wait({sending})
            server_writer.close()
            writer.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(CHUNK):
                writer.write(self.swapped.get(data, data))
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def tcp_postgres(dsn: str) -> AsyncIterator[TcpPostgres]:
    """A proxy before the server at `dsn`."""
    [folder] = parse_qs(urlsplit(dsn).query)["host"]
    proxy = TcpPostgres(Path(folder, SOCKET))
    server = await asyncio.start_server(proxy.connect, "127.0.0.1", 0)
    async with server:
        proxy.port = server.sockets[0].getsockname()[1]
        yield proxy
