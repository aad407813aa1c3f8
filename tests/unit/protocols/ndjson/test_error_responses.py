"""Errors of plain calls and of streams that did not begin."""

import pytest
from starlette.requests import Request
from tests.loose_json import decode_json

from yarrow.errors import (
    Forbidden,
    InvalidInput,
    StorageUnavailable,
    TooLarge,
    Unauthenticated,
    YarrowError,
)
from yarrow.kit.json import encode_json
from yarrow.protocols.ndjson.error_responses import (
    build_failure_line,
    refuse_stream,
    render_envelope,
)
from yarrow.protocols.ndjson.errors import RUN_ERRORS
from yarrow.runs.errors import AgentNotFound
from yarrow.sandbox.errors import (
    PythonUnavailable,
    SandboxBusy,
    SandboxFailed,
    SandboxMissing,
    SandboxUnconfined,
)
from yarrow.sessions.errors import SessionNotFound
from yarrow.sources.errors import SourceBusy, SourceTimedOut
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
    answer = render_envelope(REQUEST, error)

    body = decode_json(bytes(answer.body))
    assert answer.status_code == status
    assert set(body) == {"status", "error"}
    assert set(body["error"]) == {"code", "message", "retry", "request_id"}
    assert body["error"]["code"] == code


@pytest.mark.parametrize(
    ("error", "retry"),
    [
        (SandboxBusy(), True),
        (SandboxFailed(), True),
        (SourceBusy(), True),
        (StorageUnavailable(), True),
        (SandboxMissing(), False),
        (SandboxUnconfined(), False),
        (PythonUnavailable("no namespaces"), False),
        (SourceTimedOut(60), False),
        (AgentNotFound("x"), False),
    ],
)
def test_what_is_only_busy_or_away_can_be_retried(error: YarrowError, *, retry: bool) -> None:
    for answer in (render_envelope(REQUEST, error), refuse_stream(REQUEST, error)):
        described = decode_json(bytes(answer.body))["error"]

        assert described["retry"] is retry
        assert ("try again" in described["message"]) is retry


def test_a_failed_run_that_says_try_again_without_more_can_be_retried() -> None:
    lines = [
        decode_json(encode_json(build_failure_line(reason, None)))["error"] for reason in RUN_ERRORS
    ]

    unclear = [
        line["message"]
        for line in lines
        if not line["retry"] and line["message"].endswith(("Try again.", "Try again in a moment."))
    ]
    assert unclear == []


@pytest.mark.parametrize(("error", "status", "code"), ERRORS)
def test_stream_that_cannot_start_answers_200(error: YarrowError, status: int, code: str) -> None:
    answer = refuse_stream(REQUEST, error)

    assert answer.status_code == (413 if status == 413 else 200)
    assert answer.media_type == "application/json"
    assert decode_json(bytes(answer.body))["error"]["code"] == code
