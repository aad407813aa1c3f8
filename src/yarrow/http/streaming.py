"""Streamed responses: server-sent events, lines of JSON, and long JSON."""

import asyncio
from collections.abc import AsyncGenerator

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from yarrow.errors import InvalidInput

SSE_TYPE = "text/event-stream"
UNWRAPPED_SEND = "yarrow.send"
"""In a scope: `send` without the wrappers of middleware, for the chunks of a stream."""
PING = b": ping\n\n"


class StreamedResponse(Response):
    """Send chunks until the generator ends or the client disconnects; proxies must not buffer.

    Starlette's StreamingResponse costs a task group and two tasks for each stream.
    """

    content_type: bytes

    def __init__(self, chunks: AsyncGenerator[bytes, None]) -> None:
        super().__init__()
        self._chunks = chunks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        streaming = asyncio.current_task()
        assert streaming is not None
        disconnect = asyncio.create_task(wait_for_disconnect(receive))
        disconnect.add_done_callback(lambda done: done.cancelled() or streaming.cancel())
        try:
            await self._start_response(send)
            # Middleware only looks at the first message: the others go past it.
            await self._send_chunks(scope.get(UNWRAPPED_SEND, send))
            disconnect.cancel()
        except asyncio.CancelledError:
            if not disconnect.done():
                raise
            streaming.uncancel()
        finally:
            disconnect.cancel()
            await self._chunks.aclose()

    async def _start_response(self, send: Send) -> None:
        headers = [
            (b"content-type", self.content_type),
            (b"cache-control", b"no-cache, no-transform"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _send_chunks(self, send: Send) -> None:
        async for chunk in self._chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class EventStream(StreamedResponse):
    """Server-sent events."""

    media_type = SSE_TYPE
    content_type = b"text/event-stream; charset=utf-8"


class LineStream(StreamedResponse):
    """One JSON value per line."""

    media_type = "application/x-ndjson"
    content_type = b"application/x-ndjson"


class JsonStream(StreamedResponse):
    """One JSON value in pieces."""

    media_type = "application/json"
    content_type = b"application/json"


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client has disconnected; the request's body was read before."""
    while (await receive())["type"] != "http.disconnect":
        pass


def read_last_event_id(request: Request) -> int:
    """The last sequence number the client has: the header that browsers send, else the query.

    Zero without either: from the beginning.
    """
    text = request.headers.get("last-event-id") or request.query_params.get("lastEventId") or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise InvalidInput("Last-Event-ID must be a number from an id: line", field="Last-Event-ID")
    return int(text)
