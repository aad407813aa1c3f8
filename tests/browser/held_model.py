"""An OpenAI-compatible endpoint for a server that is killed in the middle of an answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from yarrow.kit.json import JsonObject, encode_json

WORDS = [f"word{number} " for number in range(40)]
PAUSE_AFTER = 10


class HeldModel:
    """Stops in the middle of every answer until `release` is set."""

    def __init__(self) -> None:
        self.url = ""
        self.release = asyncio.Event()

    async def complete(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for number, word in enumerate(WORDS):
            if number == PAUSE_AFTER:
                await self.release.wait()
            await response.write(_frame({"delta": {"content": word}}))
        await response.write(_frame({"delta": {}, "finish_reason": "stop"}))
        await response.write(b"data: [DONE]\n\n")
        return response


def _frame(choice: JsonObject) -> bytes:
    return b"data: " + encode_json({"choices": [{"index": 0, **choice}]}) + b"\n\n"


@asynccontextmanager
async def held_model() -> AsyncIterator[HeldModel]:
    """Serve the endpoint."""
    model, application = HeldModel(), web.Application()
    application.router.add_post("/v1/chat/completions", model.complete)
    runner = web.AppRunner(application, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    model.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield model
    finally:
        await runner.cleanup()
