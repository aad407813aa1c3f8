"""Signup, login, points, ledger and profile."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request

from yarrow.accounts.authentication import Authentication
from yarrow.accounts.errors import (
    AuthDisabled,
    EmailTaken,
    TooManyLogins,
    TooManySignups,
    WrongCredentials,
)
from yarrow.accounts.profile import change_profile, show_profile
from yarrow.errors import InvalidInput, TooLarge, Unauthenticated
from yarrow.http.auth import CurrentAccount, parse_bearer
from yarrow.http.body import make_body_reader
from yarrow.http.errors import IdempotencyConflict
from yarrow.http.openapi import describe_body
from yarrow.http.problem import make_problem_renderer
from yarrow.http.route_classes import make_route_class
from yarrow.points.read import read_balance, read_ledger
from yarrow.protocols.account import encode, intake, wire
from yarrow.protocols.account.errors import WIRE_ERRORS, describe_account_problems
from yarrow.runs.engine import Engine

BODY_LIMIT = 64 * 1024
PAGE_MAX = 100

_Credentials = Annotated[
    wire.CredentialsBody, Depends(make_body_reader(wire.CredentialsBody, limit=BODY_LIMIT))
]
_ProfilePatch = Annotated[
    wire.ProfilePatchBody, Depends(make_body_reader(wire.ProfilePatchBody, limit=BODY_LIMIT))
]


def make_account_router(engine: Engine, authentication: Authentication) -> APIRouter:
    router = APIRouter(
        prefix="/api/v1", route_class=make_route_class(make_problem_renderer(WIRE_ERRORS))
    )
    _add_auth(router, authentication)
    _add_points(router, engine)
    _add_profile(router, engine)
    return router


def _add_auth(router: APIRouter, authentication: Authentication) -> None:
    @router.post(
        "/auth/signup",
        status_code=201,
        tags=["auth"],
        openapi_extra=describe_body(wire.CredentialsBody),
        responses=describe_account_problems(
            EmailTaken, TooManySignups, AuthDisabled, TooLarge, InvalidInput
        ),
    )
    async def signup(request: Request, body: _Credentials) -> wire.TokenOut:
        token = await authentication.sign_up(body.email, body.password, _address(request))
        return encode.encode_token(token)

    @router.post(
        "/auth/login",
        tags=["auth"],
        openapi_extra=describe_body(wire.CredentialsBody),
        responses=describe_account_problems(
            WrongCredentials, TooManyLogins, AuthDisabled, TooLarge, InvalidInput
        ),
    )
    async def login(request: Request, body: _Credentials) -> wire.TokenOut:
        token = await authentication.log_in(body.email, body.password, _address(request))
        return encode.encode_token(token)

    @router.post(
        "/auth/logout",
        status_code=204,
        tags=["auth"],
        summary="Sign out: the token is refused from now on",
        responses=describe_account_problems(Unauthenticated, InvalidInput, IdempotencyConflict),
    )
    async def logout(request: Request, _: CurrentAccount) -> None:
        await authentication.sign_out(parse_bearer(request.headers.get("authorization")))


def _address(request: Request) -> str:
    """The client's address; behind a trusted proxy uvicorn has taken it from the header."""
    return request.client.host if request.client else ""


def _add_points(router: APIRouter, engine: Engine) -> None:
    @router.get("/points", tags=["points"], responses=describe_account_problems(Unauthenticated))
    async def show_points(account_id: CurrentAccount) -> wire.PointsOut:
        return encode.encode_balance(await read_balance(engine.database, account_id))

    @router.get(
        "/points/ledger",
        tags=["points"],
        response_model_exclude_unset=True,
        responses=describe_account_problems(Unauthenticated, InvalidInput),
    )
    async def show_ledger(
        account_id: CurrentAccount,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
        before: UUID | None = None,
    ) -> wire.LedgerOut:
        ledger = await read_ledger(engine.database, account_id, limit=limit, before=before)
        return encode.encode_ledger(ledger)


def _add_profile(router: APIRouter, engine: Engine) -> None:
    @router.get("/profile", tags=["profile"], responses=describe_account_problems(Unauthenticated))
    async def read_profile(account_id: CurrentAccount) -> wire.ProfileOut:
        return encode.encode_profile(await show_profile(engine.database, account_id))

    @router.patch(
        "/profile",
        tags=["profile"],
        openapi_extra=describe_body(wire.ProfilePatchBody),
        responses=describe_account_problems(Unauthenticated, TooLarge, InvalidInput),
    )
    async def patch_profile(account_id: CurrentAccount, body: _ProfilePatch) -> wire.ProfileOut:
        patch = intake.parse_patch(body)
        profile = await change_profile(engine.database, account_id, patch)
        return encode.encode_profile(profile)
