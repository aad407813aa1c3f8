"""Errors on the wire: RFC 7807 problems, and the route class that renders a dialect's errors."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from yarrow.errors import InvalidInput, YarrowError
from yarrow.http.openapi import DescribedRoute
from yarrow.kit.json import JsonObject, encode_json

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 1

_SAID_IN_DETAIL = frozenset({"rule", "reason"})

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


@dataclass(frozen=True, slots=True)
class Fault:
    """How one kind of error looks on the wire.

    `detail` replaces the error's own words where those are for the operator, not the client.
    """

    status: int
    code: str
    title: str
    detail: str | None = None


ErrorMap: TypeAlias = Mapping[type[YarrowError], Fault]
Render: TypeAlias = Callable[[Request, YarrowError], Response]
"""An error as a response of one dialect. Raises the error again if the dialect has no word for
it; the outermost renderer then logs it and answers 500."""

INTERNAL = Fault(500, "INTERNAL_ERROR", "Internal error", "something went wrong on our side")


def fault_of(error: YarrowError, faults: ErrorMap) -> Fault:
    """The fault of the error's class, or of its nearest ancestor that has one."""
    for kind in type(error).__mro__:
        if kind in faults:
            return faults[kind]
    raise error


def facts_of(error: YarrowError) -> JsonObject:
    """What the error knows, for `params`: its scalar attributes that `detail` does not repeat."""
    return {
        name: value
        for name, value in vars(error).items()
        if isinstance(value, str | int | float) and name not in _SAID_IN_DETAIL
    }


def headers_of(error: YarrowError | None, status: int) -> dict[str, str]:
    """The headers that HTTP wants beside a status."""
    match status:
        case 401:
            return {"WWW-Authenticate": "Bearer"}
        case 429 | 503:
            wait = getattr(error, "retry_after_s", None)
            return {"Retry-After": str(max(RETRY_AFTER_S, round(wait or 0)))}
        case _:
            return {}


def problem_response(
    fault: Fault,
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


def instance_of(request: Request) -> str:
    """The path that was asked for, as a URI reference."""
    return quote(request.scope["path"])


def problem_renderer(faults: ErrorMap) -> Render:
    """The dialect of problems, with the codes of one protocol."""

    def render(request: Request, error: YarrowError) -> Response:
        fault = fault_of(error, faults)
        return problem_response(
            fault,
            detail=fault.detail or str(error),
            params=facts_of(error),
            instance=instance_of(request),
            headers=headers_of(error, fault.status),
        )

    return render


def routes_with(render: Render) -> type[APIRoute]:
    """A route class for a protocol's router, so that its errors come out in its own dialect."""

    class DialectRoute(DescribedRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def answer_or_render(request: Request) -> Response:
                try:
                    return await answer(request)
                except YarrowError as error:
                    return render(request, error)
                except RequestValidationError as invalid:
                    return render(request, first_invalid(invalid.errors()))

            return answer_or_render

    return DialectRoute


def bare_routes_with(render: Render) -> type[APIRoute]:
    """A route class for hot paths: the endpoint gets the request alone, without FastAPI's
    machinery. What it takes is told to OpenAPI by `openapi_extra`."""

    class BareRoute(DescribedRoute):
        async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["method"] not in (self.methods or ()):
                await super().handle(scope, receive, send)
                return
            request = Request(scope, receive)
            try:
                response = await self.endpoint(request)
            except YarrowError as error:
                response = render(request, error)
            await response(scope, receive, send)

    return BareRoute


def first_invalid(errors: Sequence[Mapping[str, Any]]) -> InvalidInput:
    """The first complaint of pydantic as our own error; never repeats what the client sent."""
    first = errors[0]
    path = ".".join(str(part) for part in first["loc"] if part not in {"body", "query", "path"})
    own = first.get("ctx", {}).get("error")
    if isinstance(own, ValueError):
        return InvalidInput(str(own), field=path or None)
    said = first["msg"] if first["type"] in _CHOICES else first["msg"].split(",")[0].split(" - ")[0]
    complaint = _COMPLAINTS.get(first["type"], said)
    complaint = complaint[0].lower() + complaint[1:]
    return InvalidInput(f"{path or 'body'}: {complaint}", field=path or None)


_CHOICES = frozenset({"enum", "literal_error"})
"""Complaints that list what is allowed; of all others the part behind a comma may be input."""

_COMPLAINTS = {
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "dict_type": "must be a JSON object",
    "extra_forbidden": "unknown field",
    "missing": "field required",
    "uuid_parsing": "must be a UUID",
    "union_tag_invalid": "its type or role is not one we know",
    "json_invalid": "must be valid JSON",
}


def problem_responses(faults: Sequence[Fault]) -> dict[int | str, JsonObject]:
    """The OpenAPI entry of the problems a route can answer with."""
    responses: dict[int | str, JsonObject] = {}
    for fault in faults:
        entry = responses.setdefault(
            fault.status,
            {"description": "", "content": {MEDIA_TYPE: {"schema": PROBLEM_SCHEMA}}},
        )
        named = f"{fault.title} (`{fault.code}`)"
        entry["description"] = f"{entry['description']}; {named}".removeprefix("; ")
    return responses
