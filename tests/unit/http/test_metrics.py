"""Metrics count requests by route template."""

from fastapi import APIRouter, FastAPI
from prometheus_client import CollectorRegistry
from tests.unit.http.asgi import call

from yarrow.http.middleware import HttpMetrics, MetricsMiddleware, make_metrics_router


async def test_requests_are_counted_by_template() -> None:
    registry = CollectorRegistry()
    app = FastAPI()
    routes = APIRouter(prefix="/api")

    @routes.get("/things/{thing}")
    async def show(thing: str) -> str:
        return thing

    app.include_router(routes)
    app.include_router(make_metrics_router(registry))
    app.add_middleware(MetricsMiddleware, metrics=HttpMetrics(registry))

    for path in ("/api/things/1", "/api/things/2", "/scan/me", "/scan/too"):
        await call(app, path)
    text = (await call(app, "/metrics")).body.decode()

    assert 'requests_total{method="GET",route="/api/things/{thing}",status="200"} 2.0' in text
    assert 'requests_total{method="GET",route="(none)",status="404"} 2.0' in text
    assert "yarrow_http_open_requests 1.0" in text
