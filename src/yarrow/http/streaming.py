"""Server-sent events on the wire: LF framing, a number on each frame, comments to stay alive."""

from collections.abc import AsyncIterator

from fastapi import Request
from fastapi.responses import StreamingResponse

from yarrow.errors import InvalidInput

PING = b": ping\n\n"

HEADERS = {
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
}


def event_stream(frames: AsyncIterator[bytes]) -> StreamingResponse:
    """Frames as they come. Proxies are told to pass them on at once."""
    return StreamingResponse(frames, media_type="text/event-stream", headers=HEADERS)


def last_event_id(request: Request) -> int:
    """Where the client left off: the header a browser sends, or the query for those that cannot.

    Zero means from the beginning.
    """
    given = request.headers.get("last-event-id") or request.query_params.get("lastEventId") or "0"
    if not (given.isascii() and given.isdigit() and len(given) <= 18):
        raise InvalidInput("Last-Event-ID must be a number from an id: line", field="Last-Event-ID")
    return int(given)
