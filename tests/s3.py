"""A real S3 server of our own on loopback, for as long as a block lasts."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import aiohttp
from tests.serving import free_port
from tests.waiting import PATIENCE_S


@asynccontextmanager
async def s3_server() -> AsyncIterator[str]:
    """The endpoint of an empty server."""
    with free_port() as listener:
        port = listener.getsockname()[1]
    options = ["-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    quiet = asyncio.subprocess.DEVNULL
    server = await asyncio.create_subprocess_exec(
        sys.executable, *options, stdout=quiet, stderr=quiet
    )
    try:
        endpoint = f"http://127.0.0.1:{port}"
        async with asyncio.timeout(PATIENCE_S), aiohttp.ClientSession() as http:
            while not await _answers(http, endpoint):
                await asyncio.sleep(0.1)
        yield endpoint
    finally:
        server.kill()
        await server.wait()


async def new_bucket(endpoint: str) -> str:
    """An empty bucket, as the setting names it."""
    name = f"bucket-{uuid4().hex[:8]}"
    async with aiohttp.ClientSession() as http, http.put(f"{endpoint}/{name}") as made:
        assert made.status == 200, await made.text()
    return f"s3://key:secret@{name}/some/prefix?endpoint={endpoint}"


async def _answers(http: aiohttp.ClientSession, endpoint: str) -> bool:
    try:
        async with http.get(f"{endpoint}/moto-api/") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False
