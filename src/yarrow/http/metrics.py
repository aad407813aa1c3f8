"""Prometheus metrics: requests by route and status, time to first byte, open requests."""

from time import perf_counter

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client import generate_latest as latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
                self._count(scope, message["status"], perf_counter() - started)
            await send(message)

        self._metrics.open.inc()
        try:
            await self._app(scope, receive, send_and_count)
        finally:
            self._metrics.open.dec()

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = getattr(scope.get("route"), "path", UNKNOWN_ROUTE)
        self._metrics.requests.labels(method, route, str(status)).inc()
        self._metrics.seconds.labels(method, route).observe(seconds)


def make_metrics_router(registry: CollectorRegistry) -> APIRouter:
    """`GET /metrics` for Prometheus."""
    router = APIRouter()

    @router.get("/metrics", include_in_schema=False)
    async def show_metrics() -> Response:
        return Response(latest(registry), media_type=CONTENT_TYPE_LATEST)

    return router
