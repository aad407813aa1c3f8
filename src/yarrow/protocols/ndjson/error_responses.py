"""Error envelopes of plain calls and of streams that cannot start; the last line of failed runs."""

from collections.abc import Mapping

from fastapi import Request, Response

from yarrow.errors import TooLarge, Unavailable, YarrowError
from yarrow.http.error_formats import ErrorFormat, UnroutedCodes
from yarrow.http.middleware import current_request_id
from yarrow.http.problem import WireError, build_headers, find_wire_error
from yarrow.journal.events import FailureReason
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.notes import encode_note
from yarrow.protocols.ndjson.errors import (
    LASTING,
    MESSAGE_CODES,
    RETRY,
    RETRY_REASONS,
    RUN_ERRORS,
    STRICT,
    WIRE_ERRORS,
)
from yarrow.sandbox.errors import TableUnreadable


def build_error(code: str, message: str) -> JsonObject:
    """The error object, in an envelope or on a line."""
    return {"code": code, "message": message, "retry": code in RETRY}


def build_failure_line(reason: FailureReason, iteration: int | None) -> JsonObject:
    """The last line of a failed run.

    `message` and `message_code` repeat the error for older pages.
    """
    code, message = RUN_ERRORS[reason]
    body = build_error(code, message)
    if reason in RETRY_REASONS:
        body["retry"] = True
    line: JsonObject = {"type": "error", "error": body}
    if reason in MESSAGE_CODES:
        line |= {"message": message, "message_code": MESSAGE_CODES[reason]}
    return line if iteration is None else {**line, "iteration": iteration}


def _build_fault(error: YarrowError, fault: WireError) -> JsonObject:
    """The error object; what is busy or away can be retried, what is not installed cannot."""
    body = build_error(fault.code, fault.detail or str(error))
    if fault.code == "SERVICE_UNAVAILABLE" and isinstance(error, Unavailable):
        body["retry"] = not isinstance(error, LASTING)
    return body


def _build_error_body(error: YarrowError, fault: WireError) -> JsonObject:
    """The error object; why a file is refused is also told in parts, for other languages."""
    body = _build_fault(error, fault)
    return body | {"note": encode_note(error.note)} if isinstance(error, TableUnreadable) else body


def render_envelope(_request: Request, error: YarrowError) -> Response:
    """The error envelope of plain calls."""
    fault = find_wire_error(error, WIRE_ERRORS)
    body = _build_error_body(error, fault)
    return _render_with_id(body, fault.status, build_headers(error, fault.status))


def render_strictly(_request: Request, error: YarrowError) -> Response:
    """The error envelope with the status that HTTP has for the error."""
    fault = find_wire_error(error, WIRE_ERRORS)
    status = next((STRICT[kind] for kind in type(error).__mro__ if kind in STRICT), fault.status)
    body = _build_error_body(error, fault)
    return _render_with_id(body, status, build_headers(error, status))


def refuse_stream(request: Request, error: YarrowError) -> Response:
    """The error envelope of a stream that cannot start: always 200, except 413."""
    if isinstance(error, TooLarge):
        return render_envelope(request, error)
    fault = find_wire_error(error, WIRE_ERRORS)
    return _render_error(_build_fault(error, fault), 200, {})


def _render_unrouted(fault: WireError, _path: str, headers: Mapping[str, str]) -> Response:
    return _render_with_id(
        build_error(fault.code, fault.detail or fault.title), fault.status, headers
    )


def _render_with_id(error: JsonObject, status: int, headers: Mapping[str, str]) -> Response:
    return _render_error({**error, "request_id": current_request_id() or ""}, status, headers)


def _render_error(error: JsonObject, status: int, headers: Mapping[str, str]) -> Response:
    body = encode_json({"status": "error", "error": error})
    return Response(body, status, dict(headers), "application/json")


UNROUTED = ErrorFormat(
    "/api",
    UnroutedCodes(
        not_found="NOT_FOUND",
        wrong_method="INVALID_REQUEST",
        internal="INTERNAL_ERROR",
        other="INVALID_REQUEST",
    ),
    _render_unrouted,
)
