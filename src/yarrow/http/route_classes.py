"""Route classes for a protocol's routers: its errors are rendered in its own format."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from yarrow.errors import YarrowError
from yarrow.http.address import require_usable_address
from yarrow.http.idempotency import answer_once
from yarrow.http.openapi import DeferredOpenApiRoute
from yarrow.http.problem import RenderError
from yarrow.http.validation import to_invalid_input

CheckAddress: TypeAlias = Callable[[Scope], None]


def make_route_class(
    render: RenderError, *, check_address: CheckAddress = require_usable_address
) -> type[APIRoute]:
    """A FastAPI route whose errors, those of validation included, go through `render`."""

    class ErrorRenderingRoute(DeferredOpenApiRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def handle_or_render(request: Request) -> Response:
                try:
                    check_address(request.scope)
                    return await answer_once(request, handle)
                except YarrowError as error:
                    return render(request, error)
                except RequestValidationError as invalid:
                    return render(request, to_invalid_input(invalid.errors()))

            return handle_or_render

    return ErrorRenderingRoute


def make_bare_route_class(render: RenderError) -> type[APIRoute]:
    """The same for hot paths: the endpoint gets the request alone, without FastAPI's dependency
    injection and serialisation. Its parameters are documented by `openapi_extra`."""

    class BareRoute(DeferredOpenApiRoute):
        async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["method"] not in (self.methods or ()):
                await super().handle(scope, receive, send)
                return
            request = Request(scope, receive)
            try:
                require_usable_address(scope)
                response = await answer_once(request, self.endpoint)
            except YarrowError as error:
                response = render(request, error)
            await response(scope, receive, send)

    return BareRoute
