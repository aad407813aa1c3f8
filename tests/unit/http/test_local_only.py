"""A server without accounts refuses pages of other sites."""

import pytest
from fastapi import FastAPI
from starlette.datastructures import Headers
from tests.unit.http.asgi import call

from yarrow.http.local_only import LocalOnlyMiddleware, is_local


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
    app = LocalOnlyMiddleware(FastAPI())

    answer = await call(app, "/", headers={"origin": "https://evil.example"})

    assert (answer.status, answer.json["code"]) == (403, "LOCAL_ONLY")
