"""Errors outside of routes: unhandled exceptions, unknown paths, wrong methods."""

import logging
from collections.abc import AsyncIterator, Mapping

import pytest
from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse
from tests.unit.http.asgi import call

from yarrow.http.error_formats import (
    ErrorFormat,
    UnroutedCodes,
    make_problem_format,
    render_http_exceptions,
)
from yarrow.http.middleware import UnhandledErrors
from yarrow.http.problem import WireError

CODES = UnroutedCodes(not_found="nf", wrong_method="wm", internal="in", other="ot")


def render_text(fault: WireError, path: str, headers: Mapping[str, str]) -> Response:
    return Response(f"{fault.code} at {path}", fault.status, dict(headers))


FORMATS = [make_problem_format("/api"), ErrorFormat("/api/text", CODES, render_text)]


def own_messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Log messages of the product: asyncio logs closed sockets of earlier tests at any time."""
    return [record.message for record in caplog.records if record.name.startswith("yarrow.")]


def app_raising(error: Exception) -> FastAPI:
    app = FastAPI()

    @app.get("/fail")
    @app.get("/api/text/fail")
    async def fail() -> None:
        raise error

    @app.get("/stream")
    async def stream() -> Response:
        async def parts() -> AsyncIterator[bytes]:
            yield b"begun"
            raise error

        return StreamingResponse(parts())

    render_http_exceptions(app, FORMATS)
    app.add_middleware(UnhandledErrors, formats=FORMATS)
    return app


async def test_unhandled_error_is_logged_once_and_reveals_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        answer = await call(app_raising(ValueError("dsn=secret")), "/fail")

    assert (answer.status, answer.json["code"]) == (500, "INTERNAL_ERROR")
    assert b"secret" not in answer.body
    assert own_messages(caplog) == ["http.failed"]


async def test_stream_that_fails_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    answer = await call(app_raising(ValueError("x")), "/stream")

    assert (answer.status, answer.body) == (200, b"begun")
    assert own_messages(caplog) == ["http.failed"]


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [("GET", "/nowhere", "ROUTE_NOT_FOUND"), ("DELETE", "/fail", "METHOD_NOT_ALLOWED")],
)
async def test_routing_errors_are_problems(method: str, path: str, code: str) -> None:
    answer = await call(app_raising(ValueError()), path, method=method)

    assert answer.json["code"] == code
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/text", b"nf at /api/text"),
        ("/api/text/deep/below", b"nf at /api/text/deep/below"),
        ("/api/text/fail", b"in at /api/text/fail"),
    ],
)
async def test_longest_matching_prefix_chooses_the_format(path: str, body: bytes) -> None:
    answer = await call(app_raising(ValueError()), path)

    assert answer.body == body


@pytest.mark.parametrize("path", ["/api/texts", "/api", "/elsewhere/api/text"])
async def test_prefix_matches_whole_segments_from_the_start(path: str) -> None:
    answer = await call(app_raising(ValueError()), path)

    assert answer.json["code"] == "ROUTE_NOT_FOUND"


@pytest.mark.parametrize(
    ("status", "code", "detail"),
    [
        (404, "nf", "there is nothing at this address"),
        (405, "wm", "this address has other methods"),
    ],
)
def test_known_statuses_have_one_wording_in_all_protocols(
    status: int, code: str, detail: str
) -> None:
    fault = CODES.to_wire_error(status, "ignored")

    assert (fault.status, fault.code, fault.detail) == (status, code, detail)


def test_other_statuses_keep_the_wording_of_starlette() -> None:
    assert CODES.to_wire_error(406, "Not Acceptable") == WireError(406, "ot", "Not Acceptable")
