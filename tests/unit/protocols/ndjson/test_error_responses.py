"""Errors of plain calls and of streams that did not begin."""

import pytest
from starlette.requests import Request
from tests.loose_json import decode_json

from yarrow.errors import Forbidden, InvalidInput, TooLarge, Unauthenticated, YarrowError
from yarrow.protocols.ndjson.error_responses import refuse_stream, render
from yarrow.sandbox.errors import SandboxFailed
from yarrow.sessions.errors import SessionNotFound
from yarrow.tables.errors import TableNotFound

REQUEST = Request({"type": "http", "headers": []})

ERRORS = [
    (InvalidInput("wrong"), 200, "INVALID_REQUEST"),
    (Unauthenticated("who?"), 401, "AUTH_REQUIRED"),
    (Forbidden("no"), 403, "ACCESS_DENIED"),
    (TableNotFound("sales"), 200, "TABLE_NOT_FOUND"),
    (SessionNotFound("x"), 200, "NOT_FOUND"),
    (SandboxFailed(), 200, "SERVICE_UNAVAILABLE"),
    (TooLarge("big", limit=1), 413, "FILE_TOO_LARGE"),
]


@pytest.mark.parametrize(("error", "status", "code"), ERRORS)
def test_plain_call_errors_have_the_request_id(
    error: YarrowError, status: int, code: str
) -> None:  # DF014
    answer = render(REQUEST, error)

    body = decode_json(bytes(answer.body))
    assert answer.status_code == status
    assert set(body) == {"status", "error"}
    assert set(body["error"]) == {"code", "message", "retry", "request_id"}
    assert body["error"]["code"] == code


@pytest.mark.parametrize(("error", "status", "code"), ERRORS)
def test_stream_that_cannot_start_answers_200(error: YarrowError, status: int, code: str) -> None:
    answer = refuse_stream(REQUEST, error)

    assert answer.status_code == (413 if status == 413 else 200)
    assert answer.media_type == "application/json"
    assert decode_json(bytes(answer.body))["error"]["code"] == code
