"""An OpenAI-compatible endpoint that answers slowly: a process of its own keeps using it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from yarrow.kit.json import JsonObject, encode_json

WORDS = [f"word{number} " for number in range(40)]
PAUSE_S = 0.08


async def _complete(request: web.Request) -> web.StreamResponse:
    await request.read()
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for word in WORDS:
        await response.write(_frame({"delta": {"content": word}}))
        await asyncio.sleep(PAUSE_S)
    await response.write(_frame({"delta": {}, "finish_reason": "stop"}))
    await response.write(b"data: [DONE]\n\n")
    return response


def _frame(choice: JsonObject) -> bytes:
    return b"data: " + encode_json({"choices": [{"index": 0, **choice}]}) + b"\n\n"


@asynccontextmanager
async def slow_model() -> AsyncIterator[str]:
    """The base address of the endpoint."""
    application = web.Application()
    application.router.add_post("/v1/chat/completions", _complete)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
