"""The outermost renderer: what no dialect has a word for becomes one log line and a plain 500.

Routing's own complaints and our accidents belong to no route, so their dialect is found by the
address alone: a table of prefixes, the first that fits.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from yarrow.http.problem import INTERNAL, Fault, problem_response

log = logging.getLogger(__name__)

Say: TypeAlias = Callable[[Fault, str, Mapping[str, str]], Response]
"""A fault, the path it happened at, and headers, as a response."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What routing's complaints and accidents look like at and below some addresses."""

    prefix: str
    """An address without a slash at its end; empty for all."""
    faults: Mapping[int, Fault]
    """By status."""
    other: Callable[[int, str], Fault]
    """A status that is missing there, in the words of HTTP."""
    say: Say

    def speaks_at(self, path: str) -> bool:
        return not self.prefix or path == self.prefix or path.startswith(f"{self.prefix}/")

    def complaint(self, error: HTTPException, path: str) -> Response:
        status = error.status_code
        fault = self.faults.get(status) or self.other(status, error.detail)
        return self.say(fault, path, error.headers or {})

    def accident(self, path: str) -> Response:
        return self.say(self.faults[500], path, {})


def _problem(fault: Fault, path: str, headers: Mapping[str, str]) -> Response:
    return problem_response(
        fault,
        detail=fault.detail or fault.title,
        params={},
        instance=quote(path),
        headers=headers,
    )


_PROBLEMS = {
    404: Fault(404, "ROUTE_NOT_FOUND", "Not found", "there is nothing at this address"),
    405: Fault(405, "METHOD_NOT_ALLOWED", "Method not allowed", "this address has other methods"),
    500: INTERNAL,
}


def problems_at(prefix: str) -> Dialect:
    """The dialect of problems, at and below an address."""
    return Dialect(prefix, _PROBLEMS, _other, _problem)


def _other(status: int, words: str) -> Fault:
    return Fault(status, "REQUEST_INVALID", words)


class BackstopMiddleware:
    """One of the four places that catch everything. Never tells a client what went wrong."""

    def __init__(self, app: ASGIApp, *, dialects: Sequence[Dialect] = ()) -> None:
        self._app, self._dialects = app, dialects

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def watch(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        path: str = scope["path"]
        try:
            await self._app(scope, receive, watch)
        except ClientDisconnect:
            log.info("http.client_left", extra={"path": path})
        except Exception:
            log.exception("http.failed", extra={"path": path})
            # A response that has begun cannot turn into a 500: returning cuts it off.
            if not has_started:
                response = _dialect_at(path, self._dialects).accident(path)
                await response(scope, receive, send)


def render_http_exceptions(app: FastAPI, dialects: Sequence[Dialect] = ()) -> None:
    """Routing's own 404 and 405 in the dialect of their addresses."""

    async def render(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        path: str = request.scope["path"]
        return _dialect_at(path, dialects).complaint(error, path)

    app.add_exception_handler(HTTPException, render)


def _dialect_at(path: str, dialects: Sequence[Dialect]) -> Dialect:
    fitting = (dialect for dialect in dialects if dialect.speaks_at(path))
    return next(fitting, problems_at(""))
