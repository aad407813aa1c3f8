"""Who calls: the bearer token of a request, and the account behind it."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase

from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId

Identify: TypeAlias = Callable[[str | None], Awaitable[AccountId]]
"""From a token (or none) to an account; `app.state.identify` holds the one in use."""

MAX_TOKEN_CHARS = 8192


def bearer_token(header: str | None) -> str | None:
    """The token of an `Authorization` header; None without one."""
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("the Authorization header must be `Bearer <token>`")
    if len(token) > MAX_TOKEN_CHARS or not token.isascii():
        raise Unauthenticated("the token is not valid")
    return token


class _BearerAccount(SecurityBase):
    """One dependency for both: the scheme in OpenAPI, and the account of the request."""

    def __init__(self) -> None:
        self.model = HTTPBearer(bearerFormat="JWT")
        self.scheme_name = "bearer"

    async def __call__(self, request: Request) -> AccountId:
        identify: Identify = request.app.state.identify
        return await identify(bearer_token(request.headers.get("authorization")))


current_account = _BearerAccount()
CurrentAccount: TypeAlias = Annotated[AccountId, Depends(current_account)]
