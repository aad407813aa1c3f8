"""Sign up, log in and sign out."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from yarrow.accounts.authentication import Authentication
from yarrow.accounts.errors import (
    AuthDisabled,
    EmailTaken,
    TooManyLogins,
    TooManySignups,
    WrongCredentials,
)
from yarrow.errors import InvalidInput, TooLarge, Unauthenticated
from yarrow.http.auth import CurrentAccount, parse_bearer
from yarrow.http.body import make_body_reader
from yarrow.http.errors import IdempotencyConflict
from yarrow.http.openapi import describe_body
from yarrow.protocols.account.auth.encode import encode_token
from yarrow.protocols.account.auth.wire import CredentialsBody, TokenOut
from yarrow.protocols.account.errors import describe_account_problems
from yarrow.protocols.account.router import make_router

BODY_LIMIT = 64 * 1024

_Credentials = Annotated[
    CredentialsBody, Depends(make_body_reader(CredentialsBody, limit=BODY_LIMIT))
]


def make_auth_router(authentication: Authentication) -> APIRouter:
    router = make_router("auth")

    @router.post(
        "/auth/signup",
        status_code=201,
        openapi_extra=describe_body(CredentialsBody),
        responses=describe_account_problems(
            EmailTaken, TooManySignups, AuthDisabled, TooLarge, InvalidInput
        ),
    )
    async def signup(request: Request, body: _Credentials) -> TokenOut:
        token = await authentication.sign_up(
            body.email, body.password, _find_client_address(request)
        )
        return encode_token(token)

    @router.post(
        "/auth/login",
        openapi_extra=describe_body(CredentialsBody),
        responses=describe_account_problems(
            WrongCredentials, TooManyLogins, AuthDisabled, TooLarge, InvalidInput
        ),
    )
    async def login(request: Request, body: _Credentials) -> TokenOut:
        token = await authentication.log_in(
            body.email, body.password, _find_client_address(request)
        )
        return encode_token(token)

    @router.post(
        "/auth/logout",
        status_code=204,
        summary="Sign out: the token is refused from now on",
        responses=describe_account_problems(Unauthenticated, InvalidInput, IdempotencyConflict),
    )
    async def logout(request: Request, _: CurrentAccount) -> None:
        await authentication.sign_out(parse_bearer(request.headers.get("authorization")))

    return router


def _find_client_address(request: Request) -> str:
    """The client's address; behind a trusted proxy uvicorn has taken it from the header."""
    return request.client.host if request.client else ""
