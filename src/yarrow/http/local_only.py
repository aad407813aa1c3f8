"""A server without accounts answers this machine's user, not the pages they happen to visit."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from yarrow.accounts.rules import is_loopback
from yarrow.http.problem import Fault, build_problem

FOREIGN = Fault(
    403,
    "LOCAL_ONLY",
    "Local only",
    "this server runs without accounts and answers only pages and programs of this machine",
)


class LocalOnlyMiddleware:
    """Refuses a foreign `Origin` (a page of another site) and a foreign `Host` (a name that was
    pointed at loopback). Listening on loopback alone stops neither, because the browser is here.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_local(Headers(scope=scope)):
            refusal = build_problem(
                FOREIGN, detail=FOREIGN.detail or "", params={}, instance="", headers={}
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


def is_local(headers: Headers) -> bool:
    """Whether both the address asked for and the page that asks are of this machine."""
    origin = headers.get("origin")
    if origin is not None and not is_loopback(_host_of(origin)):
        return False
    return is_loopback(_host_of(f"//{headers.get('host', '')}"))


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
