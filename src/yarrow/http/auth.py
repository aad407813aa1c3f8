"""Authentication of a request: from its bearer token to an account."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase

from yarrow.errors import Unauthenticated
from yarrow.ids import AccountId
from yarrow.kit.limiter import set_owner

Identify: TypeAlias = Callable[[str | None], Awaitable[AccountId]]
"""From a token, or None, to an account. `app.state.identify` holds the one in use."""

MAX_TOKEN_CHARS = 8192


def parse_bearer(header: str | None) -> str | None:
    """The token of an `Authorization` header; None without the header."""
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("the Authorization header must be `Bearer <token>`")
    if len(token) > MAX_TOKEN_CHARS or not token.isascii():
        raise Unauthenticated("the token is not valid")
    return token


class BearerAuth(SecurityBase):
    """FastAPI dependency: adds the security scheme to OpenAPI and returns the account."""

    def __init__(self) -> None:
        self.model = HTTPBearer(bearerFormat="JWT")
        self.scheme_name = "bearer"

    async def __call__(self, request: Request) -> AccountId:
        identify: Identify = request.app.state.identify
        account_id = await identify(parse_bearer(request.headers.get("authorization")))
        set_owner(account_id)
        return account_id


current_account = BearerAuth()
CurrentAccount: TypeAlias = Annotated[AccountId, Depends(current_account)]
