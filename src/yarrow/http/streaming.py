"""Server-sent events on the wire: LF framing, a number on each frame, comments to stay alive."""

import asyncio
from collections.abc import AsyncGenerator

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from yarrow.errors import InvalidInput

MEDIA_TYPE = "text/event-stream"
PING = b": ping\n\n"

_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class EventStream(Response):
    """Frames as they come, until they end or the client leaves; proxies pass them on at once.

    Starlette's own streaming response costs a task group and two tasks for each stream.
    """

    media_type = MEDIA_TYPE

    def __init__(self, frames: AsyncGenerator[bytes, None]) -> None:
        super().__init__()
        self._frames = frames

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
            await self._frames.aclose()

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS[:]})
        async for frame in self._frames:
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


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
