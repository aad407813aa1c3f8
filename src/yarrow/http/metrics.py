"""How many requests, how fast they begin to be answered, and how many are open."""

from time import perf_counter

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client import generate_latest as latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

UNKNOWN_ROUTE = "(none)"
"""One label for every address that is no route, or scanners would fill the memory."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class HttpMetrics:
    """The instruments, in a registry of the caller's."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.requests = Counter(
            "yarrow_http_requests",
            "Requests answered, by route template.",
            ("method", "route", "status"),
            registry=registry,
        )
        # To the first byte: a stream that stays open for minutes is not slow.
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
    """Counts each request once its response has begun."""

    def __init__(self, app: ASGIApp, metrics: HttpMetrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = perf_counter()

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count(scope, message["status"], perf_counter() - began)
            await send(message)

        self._metrics.open.inc()
        try:
            await self._app(scope, receive, watch)
        finally:
            self._metrics.open.dec()

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = getattr(scope.get("route"), "path", UNKNOWN_ROUTE)
        self._metrics.requests.labels(method, route, str(status)).inc()
        self._metrics.seconds.labels(method, route).observe(seconds)


def metrics_routes(registry: CollectorRegistry) -> APIRouter:
    """`GET /metrics` for Prometheus."""
    routes = APIRouter()

    @routes.get("/metrics", include_in_schema=False)
    async def show_metrics() -> Response:
        return Response(latest(registry), media_type=CONTENT_TYPE_LATEST)

    return routes
