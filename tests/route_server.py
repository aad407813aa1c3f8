"""An HTTP server of a few routes on loopback, for clients of foreign services."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.typedefs import Handler

PART_DELAY_S = 0.05


@asynccontextmanager
async def serve_routes(routes: Mapping[str, Handler]) -> AsyncIterator[str]:
    """The base address of a server that answers GET of these paths."""
    app = web.Application()
    app.add_routes([web.get(path, handler) for path, handler in routes.items()])
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def send_in_parts(body: bytes) -> AsyncIterator[bytes]:
    """Two halves with a pause between them, so that the client reads one without the other."""
    yield body[: len(body) // 2]
    await asyncio.sleep(PART_DELAY_S)
    yield body[len(body) // 2 :]
