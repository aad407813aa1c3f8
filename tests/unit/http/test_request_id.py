"""One id per request."""

import pytest
from fastapi import FastAPI
from tests.unit.http.asgi import call

from yarrow.http.middleware import RequestIdMiddleware, current_request_id


def app_with_ids() -> FastAPI:
    app = FastAPI()
    app.add_middleware(RequestIdMiddleware)

    @app.get("/id")
    async def show() -> str | None:
        return current_request_id()

    return app


async def test_printable_request_id_is_kept() -> None:
    answer = await call(app_with_ids(), "/id", headers={"x-request-id": "abc-1"})

    assert answer.headers["x-request-id"] == answer.json == "abc-1"


@pytest.mark.parametrize("given", ["", "x" * 129, "a\tb", "é"])
async def test_other_request_id_is_replaced(given: str) -> None:
    answer = await call(app_with_ids(), "/id", headers={"x-request-id": given})

    assert len(answer.headers["x-request-id"]) == 32
    assert current_request_id() is None
