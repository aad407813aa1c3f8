"""The outermost renderer: what no dialect has a word for becomes one log line and a plain 500."""

import logging
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yarrow.http.problem import INTERNAL, Fault, instance_of, problem_response

log = logging.getLogger(__name__)

_BY_STATUS = {
    404: Fault(404, "ROUTE_NOT_FOUND", "Not found", "there is nothing at this address"),
    405: Fault(405, "METHOD_NOT_ALLOWED", "Method not allowed", "this address has other methods"),
}


class BackstopMiddleware:
    """One of the four places that catch everything. Never tells a client what went wrong."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def watch(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except ClientDisconnect:
            log.info("http.client_left", extra={"path": scope["path"]})
        except Exception:
            log.exception("http.failed", extra={"path": scope["path"]})
            # A response that has begun cannot turn into a 500: returning cuts it off.
            if not has_started:
                await _internal(quote(scope["path"]))(scope, receive, send)


def render_http_exceptions(app: FastAPI) -> None:
    """Routing's own 404 and 405 as problems too."""

    async def render(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        fault = _BY_STATUS.get(
            error.status_code, Fault(error.status_code, "REQUEST_INVALID", error.detail)
        )
        return problem_response(
            fault,
            detail=fault.detail or fault.title,
            params={},
            instance=instance_of(request),
            headers=error.headers or {},
        )

    app.add_exception_handler(HTTPException, render)


def _internal(path: str) -> Response:
    detail = INTERNAL.detail or INTERNAL.title
    return problem_response(INTERNAL, detail=detail, params={}, instance=path, headers={})
