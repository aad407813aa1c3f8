"""A TCP proxy whose connections a test can cut, as a lost network would."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from msgspec import Struct, field

Pair = tuple[asyncio.StreamWriter, asyncio.StreamWriter]


class CutProxy(Struct):
    target: str
    url: str = ""
    is_down: bool = False
    pairs: set[Pair] = field(default_factory=set)

    def cut(self) -> None:
        """Abort every connection, and every new one until `mend`."""
        self.is_down = True
        for pair in self.pairs:
            for writer in pair:
                writer.transport.abort()

    def mend(self) -> None:
        self.is_down = False

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_down:
            writer.transport.abort()
            return
        parts = urlsplit(self.target)
        far_reader, far_writer = await asyncio.open_connection(parts.hostname, parts.port)
        pair = (writer, far_writer)
        self.pairs.add(pair)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_copy(reader, far_writer))
                group.create_task(_copy(far_reader, writer))
        finally:
            self.pairs.discard(pair)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()
    except OSError:
        writer.transport.abort()


@asynccontextmanager
async def proxied(target: str) -> AsyncIterator[CutProxy]:
    proxy = CutProxy(target)
    server = await asyncio.start_server(proxy.connect, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        proxy.cut()
        server.close()
