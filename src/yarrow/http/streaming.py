"""Streams on the wire: server-sent events with LF framing and numbers, and lines of JSON."""

import asyncio
from collections.abc import AsyncGenerator

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from yarrow.errors import InvalidInput

MEDIA_TYPE = "text/event-stream"
PING = b": ping\n\n"


class _Stream(Response):
    """Pieces as they come, until they end or the client leaves; proxies pass them on at once.

    Starlette's own streaming response costs a task group and two tasks for each stream.
    """

    content_type: bytes

    def __init__(self, pieces: AsyncGenerator[bytes, None]) -> None:
        super().__init__()
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        streaming = asyncio.current_task()
        assert streaming is not None
        leaving = asyncio.create_task(_gone(receive))
        leaving.add_done_callback(lambda left: left.cancelled() or streaming.cancel())
        try:
            await self._send_all(send)
            leaving.cancel()
        except asyncio.CancelledError:
            if not leaving.done():
                raise
            streaming.uncancel()
        finally:
            leaving.cancel()
            await self._pieces.aclose()

    async def _send_all(self, send: Send) -> None:
        headers = [
            (b"content-type", self.content_type),
            (b"cache-control", b"no-cache, no-transform"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for piece in self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class EventStream(_Stream):
    """Frames of server-sent events."""

    media_type = MEDIA_TYPE
    content_type = b"text/event-stream; charset=utf-8"


class LineStream(_Stream):
    """JSON values, one on each line."""

    media_type = "application/x-ndjson"
    content_type = b"application/x-ndjson"


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def last_event_id(request: Request) -> int:
    """Where the client left off: the header a browser sends, or the query for those that cannot.

    Zero means from the beginning.
    """
    given = request.headers.get("last-event-id") or request.query_params.get("lastEventId") or "0"
    if not (given.isascii() and given.isdigit() and len(given) <= 18):
        raise InvalidInput("Last-Event-ID must be a number from an id: line", field="Last-Event-ID")
    return int(given)
