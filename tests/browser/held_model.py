"""An OpenAI-compatible endpoint for a server that is killed in the middle of an answer."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from aiohttp import web
from tests.loose_json import JsonObject, decode_json
from tests.serving import Served, serving

from yarrow.kit.json import encode_json
from yarrow.settings import AuthMode

WORDS = [f"word{number} " for number in range(40)]
PAUSE = ""
"""In place of a piece: nothing more is sent until the model is released."""
HELD_WORDS = [*WORDS[:10], PAUSE, *WORDS[10:]]


class HeldModel:
    """Answers each request with the pieces of `write`, and stops where it says `PAUSE`."""

    def __init__(self, write: Callable[[JsonObject], Sequence[str]]) -> None:
        self.url = ""
        self.release = asyncio.Event()
        self.paused = 0
        """How many answers reached their pause."""
        self.answering = 0
        self.status = 200
        self._write = write

    async def complete(self, request: web.Request) -> web.StreamResponse:
        pieces = self._write(decode_json(await request.read()))
        if self.status != 200:
            return web.json_response({"error": {"message": "no"}}, status=self.status)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        self.answering += 1
        try:
            await self._stream(response, pieces)
        finally:
            self.answering -= 1
        return response

    async def _stream(self, response: web.StreamResponse, pieces: Sequence[str]) -> None:
        for piece in pieces:
            if piece == PAUSE:
                self.paused += 1
                await self.release.wait()
                continue
            await response.write(_frame({"delta": {"content": piece}}))
        await response.write(_frame({"delta": {}, "finish_reason": "stop"}))
        await response.write(b"data: [DONE]\n\n")


def _frame(choice: JsonObject) -> bytes:
    return b"data: " + encode_json({"choices": [{"index": 0, **choice}]}) + b"\n\n"


@asynccontextmanager
async def held_model(
    write: Callable[[JsonObject], Sequence[str]] = lambda _: HELD_WORDS,
) -> AsyncIterator[HeldModel]:
    """Serve the endpoint."""
    model, application = HeldModel(write), web.Application()
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


def serve_held(
    dsn: str, model: HeldModel, folder: Path, *, auth: AuthMode = AuthMode.OFF, story_price: int = 0
) -> AbstractAsyncContextManager[Served]:
    """The product in this process, with this model."""
    return serving(
        dsn,
        model=None,
        data_dir=folder,
        auth=auth,
        llm_base_url=model.url,
        llm_model="slow",
        storyteller_price=story_price,
    )
