"""Tokens, request ids, metrics and the guard of a server without accounts."""

from uuid import UUID

import pytest
from fastapi import APIRouter, FastAPI
from prometheus_client import CollectorRegistry
from starlette.datastructures import Headers
from tests.unit.http.asgi import call

from yarrow.errors import Unauthenticated
from yarrow.http.auth import CurrentAccount, parse_bearer
from yarrow.http.local_only import LocalOnlyMiddleware, is_local
from yarrow.http.metrics import HttpMetrics, MetricsMiddleware, make_metrics_router
from yarrow.http.request_id import RequestIdMiddleware, current_request_id
from yarrow.ids import AccountId


@pytest.mark.parametrize(
    ("header", "token"),
    [(None, None), ("", None), ("Bearer abc", "abc"), ("bearer  abc ", "abc")],
)
def test_token_is_taken_from_the_header(header: str | None, token: str | None) -> None:
    assert parse_bearer(header) == token


@pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer ", "Bearer " + "x" * 8193])
def test_other_header_is_refused(header: str) -> None:
    with pytest.raises(Unauthenticated):
        parse_bearer(header)


async def test_route_gets_the_account_behind_the_token() -> None:
    app = FastAPI()

    async def identify(token: str | None) -> AccountId:
        return AccountId(UUID(token))

    app.state.identify = identify

    @app.get("/me")
    async def me(account_id: CurrentAccount) -> str:
        return str(account_id)

    answer = await call(app, "/me", headers={"authorization": f"Bearer {UUID(int=9)}"})

    assert answer.json == str(UUID(int=9))
    schemes = app.openapi()["components"]["securitySchemes"]
    assert schemes == {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}


def app_with_ids() -> FastAPI:
    app = FastAPI()
    app.add_middleware(RequestIdMiddleware)

    @app.get("/id")
    async def show() -> str | None:
        return current_request_id()

    return app


async def test_sane_request_id_is_kept() -> None:
    answer = await call(app_with_ids(), "/id", headers={"x-request-id": "abc-1"})

    assert answer.headers["x-request-id"] == answer.json == "abc-1"


@pytest.mark.parametrize("given", ["", "x" * 129, "a\tb", "é"])
async def test_other_request_id_is_replaced(given: str) -> None:
    answer = await call(app_with_ids(), "/id", headers={"x-request-id": given})

    assert len(answer.headers["x-request-id"]) == 32
    assert current_request_id() is None


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


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"host": "127.0.0.1:3000"}, True),
        ({"host": "localhost"}, True),
        ({"host": "[::1]:3000", "origin": "http://localhost:5173"}, True),
        ({"host": "evil.example:3000"}, False),
        ({"host": "localhost", "origin": "https://evil.example"}, False),
        ({"host": "localhost", "origin": "null"}, False),
        ({"host": "localhost", "origin": "http://[bad"}, False),
        ({}, False),
    ],
)
def test_only_this_machine_is_local(headers: dict[str, str], expected: bool) -> None:
    assert is_local(Headers(headers)) is expected


async def test_page_of_another_site_is_refused() -> None:
    app = LocalOnlyMiddleware(app_with_ids())

    answer = await call(app, "/id", headers={"origin": "https://evil.example"})

    assert (answer.status, answer.json["code"]) == (403, "LOCAL_ONLY")
