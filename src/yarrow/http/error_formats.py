"""Errors that belong to no route: unknown addresses, wrong methods, unhandled exceptions.

Without a route there is no protocol to ask, so the format is chosen by the path: the
`ErrorFormat` with the longest matching prefix.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route
from starlette.types import Scope

from yarrow.http.problem import WireError, build_problem

RenderFault: TypeAlias = Callable[[WireError, str, Mapping[str, str]], Response]
"""Error on the wire, request path and extra headers in; response out."""

_WORDINGS = {
    404: ("Not found", "there is nothing at this address"),
    405: ("Method not allowed", "this address has other methods"),
    500: ("Internal error", "something went wrong on our side"),
}
"""Title and detail by status: the same in every protocol, only the codes differ."""


class UnroutedCodes(Struct, frozen=True):
    """One protocol's codes for errors outside of its routes."""

    not_found: str
    wrong_method: str
    internal: str
    other: str

    def to_wire_error(self, status: int, http_detail: str = "") -> WireError:
        """The fault of a status; one without a wording of ours keeps Starlette's."""
        codes = {404: self.not_found, 405: self.wrong_method, 500: self.internal}
        if status not in codes:
            return WireError(status, self.other, http_detail)
        title, detail = _WORDINGS[status]
        return WireError(status, codes[status], title, detail)


class ErrorFormat(Struct, frozen=True):
    """How errors outside of routes are rendered at and below one path."""

    prefix: str
    """Without a trailing slash; empty matches every path."""
    codes: UnroutedCodes
    render: RenderFault

    def matches(self, path: str) -> bool:
        return not self.prefix or path == self.prefix or path.startswith(f"{self.prefix}/")

    def for_http_exception(self, error: HTTPException, path: str) -> Response:
        fault = self.codes.to_wire_error(error.status_code, error.detail)
        return self.render(fault, path, error.headers or {})

    def for_unhandled(self, path: str) -> Response:
        return self.render(self.codes.to_wire_error(500), path, {})


PROBLEM_CODES = UnroutedCodes(
    not_found="ROUTE_NOT_FOUND",
    wrong_method="METHOD_NOT_ALLOWED",
    internal="INTERNAL_ERROR",
    other="REQUEST_INVALID",
)


def make_problem_format(prefix: str) -> ErrorFormat:
    """RFC 7807 problems at and below a path."""
    return ErrorFormat(prefix, PROBLEM_CODES, _render_problem)


def _render_problem(fault: WireError, path: str, headers: Mapping[str, str]) -> Response:
    return build_problem(
        fault,
        detail=fault.detail or fault.title,
        params={},
        instance=quote(path),
        headers=headers,
    )


def choose_format(path: str, formats: Sequence[ErrorFormat]) -> ErrorFormat:
    """The format with the longest matching prefix; problems where none matches."""
    matching = [each for each in formats if each.matches(path)]
    return max(matching, key=lambda each: len(each.prefix), default=make_problem_format(""))


def _list_methods(app: FastAPI, scope: Scope) -> set[str]:
    """The methods of all routes at the address; Starlette names those of the first one only."""
    routes = [route for route in app.routes if isinstance(route, Route)]
    matching = [route for route in routes if route.matches(scope)[0] is not Match.NONE]
    return {method for route in matching for method in route.methods or ()}


def accepts_html(request: Request) -> bool:
    """Whether a browser asks: programs do not name text/html."""
    return request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")


def render_http_exceptions(
    app: FastAPI,
    formats: Sequence[ErrorFormat] = (),
    render_missing: Callable[[Request], Response] | None = None,
) -> None:
    """Render Starlette's own 404 and 405 in the format of the requested path.

    Browsers get `render_missing` where nothing is.
    """

    async def render(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        path: str = request.scope["path"]
        if error.status_code == 404 and render_missing is not None and accepts_html(request):
            return render_missing(request)
        if error.status_code == 405:
            allowed = ", ".join(sorted(_list_methods(app, request.scope)))
            error = HTTPException(405, error.detail, {"Allow": allowed})
        return choose_format(path, formats).for_http_exception(error, path)

    app.add_exception_handler(HTTPException, render)
