"""ASGI middleware around every request: its id, the metrics, unhandled errors."""

import logging
from collections.abc import Sequence
from contextvars import ContextVar
from time import perf_counter

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client import generate_latest as latest
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yarrow.http.error_formats import ErrorFormat, choose_format
from yarrow.http.streaming import UNWRAPPED_SEND
from yarrow.ids import new_uuid

log = logging.getLogger(__name__)

REQUEST_ID_HEADER = "X-Request-Id"
REQUEST_ID_CHARS = 128

_current: ContextVar[str | None] = ContextVar("request_id", default=None)


def current_request_id() -> str | None:
    """The id of the current request; None outside of a request."""
    return _current.get()


def choose_id(header: str | None) -> str:
    """The client's id if it is short and printable, else a new one."""
    if header and len(header) <= REQUEST_ID_CHARS and header.isascii() and header.isprintable():
        return header
    return new_uuid().hex


class RequestIdMiddleware:
    """Set the id in the context and on the response. The outermost middleware of ours."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = choose_id(Headers(scope=scope).get(REQUEST_ID_HEADER))

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        scope[UNWRAPPED_SEND] = send
        token = _current.set(request_id)
        try:
            await self._app(scope, receive, send_with_id)
        finally:
            _current.reset(token)


UNKNOWN_ROUTE = "(none)"
"""One label for all unknown paths: scanners would otherwise create unbounded series."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class HttpMetrics:
    """The instruments, registered with the product's registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.requests = Counter(
            "yarrow_http_requests",
            "Requests answered, by route template.",
            ("method", "route", "status"),
            registry=registry,
        )
        # To the first byte: a stream may stay open for minutes without being slow.
        self.seconds = Histogram(
            "yarrow_http_first_byte_seconds",
            "Time until the response begins, by route template.",
            ("method", "route"),
            registry=registry,
        )
        self.open = Gauge(
            "yarrow_http_open_requests", "Requests being answered.", registry=registry
        )


class MetricsMiddleware:
    """Count each request when its response starts."""

    def __init__(self, app: ASGIApp, metrics: HttpMetrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()

        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count_request(scope, message["status"], perf_counter() - started)
            await send(message)

        self._metrics.open.inc()
        try:
            await self._app(scope, receive, send_and_count)
        finally:
            self._metrics.open.dec()

    def _count_request(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = getattr(scope.get("route"), "path", UNKNOWN_ROUTE)
        self._metrics.requests.labels(method, route, str(status)).inc()
        self._metrics.seconds.labels(method, route).observe(seconds)


class UnhandledErrors:
    """ASGI middleware that logs an unhandled exception once and answers 500.

    One of the four places that catch everything. The client never sees what was raised.
    """

    def __init__(self, app: ASGIApp, *, formats: Sequence[ErrorFormat] = ()) -> None:
        self._app, self._formats = app, formats

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def send_and_note_start(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        path: str = scope["path"]
        try:
            await self._app(scope, receive, send_and_note_start)
        except ClientDisconnect:
            log.info("http.client_left", extra={"path": path})
        except Exception:
            log.exception("http.failed", extra={"path": path})
            # A response that has started cannot become a 500: returning cuts it off.
            if not has_started:
                response = choose_format(path, self._formats).for_unhandled(path)
                await response(scope, receive, send)


def make_metrics_router(registry: CollectorRegistry) -> APIRouter:
    """`GET /metrics` for Prometheus."""
    router = APIRouter()

    @router.get("/metrics", include_in_schema=False)
    async def show_metrics() -> Response:
        return Response(latest(registry), media_type=CONTENT_TYPE_LATEST)

    return router
