"""Route classes of a protocol's routers: they check addresses and render errors in its format."""

from collections.abc import Callable, Coroutine, Iterable
from itertools import takewhile
from typing import Any, TypeAlias
from urllib.parse import unquote_plus

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from yarrow.errors import InvalidInput, YarrowError
from yarrow.http.idempotency import KEY_HEADER, Handle, IdempotentRequests
from yarrow.http.openapi import DeferredOpenApiRoute
from yarrow.http.problem import RenderError
from yarrow.http.validation import to_invalid_input

MAX_VALUE_CHARS = 2048
"""Of one part of the path and of one value of the query: names are much shorter. PostgreSQL stores
no NUL and file systems no long name: used as a value, both would be errors of the server."""
NUL_IN_ADDRESS = "the address must not contain the NUL character"
TOO_LONG = f"a part of the address has more than {MAX_VALUE_CHARS} characters"


def require_usable_address(scope: Scope) -> None:
    """Raise `InvalidInput` for a path or a query that no route can use."""
    path: str = scope["path"]
    if "\0" in path:
        raise InvalidInput(NUL_IN_ADDRESS, field="path")
    if len(path) > MAX_VALUE_CHARS and max(map(len, path.split("/"))) > MAX_VALUE_CHARS:
        raise InvalidInput(TOO_LONG, field="path")
    require_usable_query(scope)


def require_usable_query(scope: Scope) -> None:
    """Raise `InvalidInput` for a query that no route can use."""
    query: bytes = scope["query_string"]
    if b"%00" in query:
        name = next((name for name, value in _list_parameters(query) if "\0" in value), None)
        raise InvalidInput(NUL_IN_ADDRESS, field=name)
    if len(query) > MAX_VALUE_CHARS:
        for name, value in _list_parameters(query):
            if len(value) > MAX_VALUE_CHARS:
                raise InvalidInput(TOO_LONG, field=name)


def _list_parameters(query: bytes) -> list[tuple[str, str]]:
    pairs = [pair.partition("=") for pair in query.decode("latin-1").split("&")]
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs]


class PrefixCheckedRoute(DeferredOpenApiRoute):
    """A route that runs its regex only on paths that begin with its literal prefix."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope.get("root_path") and not scope["path"].startswith(self.beginning):
            return Match.NONE, {}
        return super().matches(scope)


CheckAddress: TypeAlias = Callable[[Scope], None]


async def _answer_once(request: Request, handle: Handle) -> Response:
    """Carry out the request; one with an `Idempotency-Key` only once."""
    idempotent: IdempotentRequests | None = getattr(request.app.state, "idempotent", None)
    if idempotent is None or KEY_HEADER not in request.headers:
        return await handle(request)
    return await idempotent.answer(request, handle)


def make_route_class(
    render: RenderError, *, check_address: CheckAddress = require_usable_address
) -> type[APIRoute]:
    """A FastAPI route whose errors, those of validation included, go through `render`."""

    class ErrorRenderingRoute(PrefixCheckedRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handle_or_render(request: Request) -> Response:
                try:
                    check_address(request.scope)
                    return await _answer_once(request, handle)
                except YarrowError as error:
                    return render(request, error)
                except RequestValidationError as invalid:
                    return render(request, to_invalid_input(invalid.errors()))

            return handle_or_render

    return ErrorRenderingRoute


class BareRoute(PrefixCheckedRoute):
    """A route whose endpoint gets the request alone and whose errors are rendered by itself."""


def make_bare_route_class(render: RenderError) -> type[BareRoute]:
    """The same for hot paths: the endpoint gets the request alone, without FastAPI's dependency
    injection and serialisation. Its parameters are documented by `openapi_extra`."""

    class ErrorRenderingBareRoute(BareRoute):
        async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["method"] not in (self.methods or ()):
                await super().handle(scope, receive, send)
                return
            request = Request(scope, receive)
            try:
                require_usable_address(scope)
                response = await _answer_once(request, self.endpoint)
            except YarrowError as error:
                response = render(request, error)
            await response(scope, receive, send)

    return ErrorRenderingBareRoute


class BareRoutesFirst:
    """ASGI middleware that lets the first routes of an application, if they are bare, answer
    without FastAPI's own middleware: its exit stack and error handling, which they do not use."""

    def __init__(self, app: ASGIApp, *, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes = list(takewhile(lambda route: isinstance(route, BareRoute), routes))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            for route in self._routes:
                match, child_scope = route.matches(scope)
                if match is Match.FULL:
                    scope.update(child_scope)
                    await route.handle(scope, receive, send)
                    return
        await self._app(scope, receive, send)
