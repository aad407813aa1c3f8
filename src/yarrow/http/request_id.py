"""One id per request: on the response and in every log line."""

from contextvars import ContextVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yarrow.ids import new_uuid

HEADER = "X-Request-Id"
MAX_CHARS = 128

_current: ContextVar[str | None] = ContextVar("request_id", default=None)


def current_request_id() -> str | None:
    """The id of the current request; None outside of a request."""
    return _current.get()


def choose_id(header: str | None) -> str:
    """The client's id if it is short and printable, else a new one."""
    if header and len(header) <= MAX_CHARS and header.isascii() and header.isprintable():
        return header
    return new_uuid().hex


class RequestIdMiddleware:
    """Set the id in the context and on the response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = choose_id(Headers(scope=scope).get(HEADER))

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        token = _current.set(request_id)
        try:
            await self._app(scope, receive, send_with_id)
        finally:
            _current.reset(token)
