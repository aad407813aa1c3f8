"""Without accounts, requests from pages of other sites are refused."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from yarrow.accounts.listen_address import is_loopback
from yarrow.http.problem import WireError, build_problem

NOT_LOCAL = WireError(
    403,
    "LOCAL_ONLY",
    "Local only",
    "this server runs without accounts and answers only pages and programs of this machine",
)


class LocalOnlyMiddleware:
    """Refuse a foreign `Origin` (a page of another site) and a foreign `Host` (DNS rebinding).

    Binding to loopback stops neither: the browser that sends them runs on this machine.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not is_local(Headers(scope=scope)):
            refusal = build_problem(
                NOT_LOCAL, detail=NOT_LOCAL.detail or "", params={}, instance="", headers={}
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


def is_local(headers: Headers) -> bool:
    """Whether both `Host` and `Origin` (if sent) name this machine."""
    origin = headers.get("origin")
    if origin is not None and not is_loopback(_parse_host(origin)):
        return False
    return is_loopback(_parse_host(f"//{headers.get('host', '')}"))


def _parse_host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
