"""RFC 7807 problems: from an error to a response, and to its entry in OpenAPI."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import quote

from fastapi import Request, Response
from msgspec import Struct

from yarrow.errors import YarrowError
from yarrow.http.openapi import OpenApiResponses
from yarrow.kit.json import JsonObject, encode_json

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 1

_IN_DETAIL = frozenset({"rule", "reason"})
"""Attributes of errors that `detail` already repeats."""

PROBLEM_SCHEMA: JsonObject = {
    "title": "Problem",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "params": {"type": "object", "additionalProperties": True},
        "instance": {"type": "string", "format": "uri-reference"},
    },
    "additionalProperties": False,
}


class WireError(Struct, frozen=True):
    """Status, code and title that one class of errors has on the wire.

    `detail` replaces the error's own message where that is meant for the operator.
    """

    status: int
    code: str
    title: str
    detail: str | None = None


ErrorMap: TypeAlias = Mapping[type[YarrowError], WireError]
RenderError: TypeAlias = Callable[[Request, YarrowError], Response]
"""One protocol's rendering of an error. Raises the error again if its map has no entry for it;
`UnhandledErrors` then logs it and answers 500."""


def find_wire_error(error: YarrowError, faults: ErrorMap) -> WireError:
    """The fault of the error's class, or of its nearest ancestor that has one."""
    for kind in type(error).__mro__:
        if kind in faults:
            return faults[kind]
    raise error


def collect_params(error: YarrowError) -> JsonObject:
    """The error's scalar attributes that `detail` does not repeat."""
    return {
        name: value
        for name, value in vars(error).items()
        if isinstance(value, str | int | float) and name not in _IN_DETAIL
    }


def build_headers(error: YarrowError | None, status: int) -> dict[str, str]:
    """The headers that HTTP requires beside a status."""
    match status:
        case 401:
            return {"WWW-Authenticate": "Bearer"}
        case 429 | 503:
            wait = getattr(error, "retry_after_s", None)
            return {"Retry-After": str(max(RETRY_AFTER_S, round(wait or 0)))}
        case _:
            return {}


def build_problem(
    fault: WireError,
    *,
    detail: str,
    params: JsonObject,
    instance: str,
    headers: Mapping[str, str],
) -> Response:
    body: JsonObject = {
        "type": f"urn:yarrow:problem:{fault.code.lower().replace('_', '-')}",
        "title": fault.title,
        "status": fault.status,
        "detail": detail,
        "code": fault.code,
    }
    if params:
        body["params"] = params
    if instance:
        body["instance"] = instance
    return Response(encode_json(body), fault.status, dict(headers), MEDIA_TYPE)


def make_problem_renderer(faults: ErrorMap) -> RenderError:
    """Render errors as problems with the codes of one protocol."""

    def render(request: Request, error: YarrowError) -> Response:
        fault = find_wire_error(error, faults)
        return build_problem(
            fault,
            detail=fault.detail or str(error),
            params=collect_params(error),
            instance=quote(request.scope["path"]),
            headers=build_headers(error, fault.status),
        )

    return render


def build_problem_responses(faults: Sequence[WireError]) -> OpenApiResponses:
    """The OpenAPI `responses` of a route that can answer with these problems."""
    responses: OpenApiResponses = {}
    for fault in faults:
        entry = responses.setdefault(
            fault.status,
            {"description": "", "content": {MEDIA_TYPE: {"schema": PROBLEM_SCHEMA}}},
        )
        summary = f"{fault.title} (`{fault.code}`)"
        entry["description"] = f"{entry['description']}; {summary}".removeprefix("; ")
    return responses
