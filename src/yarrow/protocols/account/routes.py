"""Signup, login, points, ledger and profile."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from yarrow.accounts.authentication import Login
from yarrow.accounts.errors import AuthDisabled, EmailTaken, WrongCredentials
from yarrow.accounts.profile import change_profile, show_profile
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.pool import Database
from yarrow.errors import InvalidInput, TooLarge, Unauthenticated, YarrowError
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.http.problem import describe_problems, make_problem_renderer
from yarrow.http.route_classes import make_route_class
from yarrow.points import read as points
from yarrow.protocols.account import encode, intake, wire
from yarrow.protocols.account.errors import FAULTS

BODY_LIMIT = 64 * 1024
PAGE_MAX = 100

_Credentials = Annotated[
    wire.CredentialsBody, Depends(make_body_reader(wire.CredentialsBody, limit=BODY_LIMIT))
]
_ProfilePatch = Annotated[
    wire.ProfilePatchBody, Depends(make_body_reader(wire.ProfilePatchBody, limit=BODY_LIMIT))
]


def account_routes(database: Database, *, sign_up: Login, log_in: Login) -> APIRouter:
    """The router. `app.state.identify` must be set: see `http/auth.py`."""
    routes = APIRouter(
        prefix="/api/v1", route_class=make_route_class(make_problem_renderer(FAULTS))
    )
    _add_login(routes, sign_up, log_in)
    _add_points(routes, database)
    _add_profile(routes, database)
    return routes


def _add_login(routes: APIRouter, sign_up: Login, log_in: Login) -> None:
    @routes.post(
        "/auth/signup",
        status_code=201,
        tags=["auth"],
        openapi_extra=describe_body(wire.CredentialsBody),
        responses=_problems(EmailTaken, AuthDisabled, TooLarge, InvalidInput),
    )
    async def signup(body: _Credentials) -> wire.TokenOut:
        return encode.token_out(await sign_up(body.email, body.password))

    @routes.post(
        "/auth/login",
        tags=["auth"],
        openapi_extra=describe_body(wire.CredentialsBody),
        responses=_problems(WrongCredentials, AuthDisabled, TooLarge, InvalidInput),
    )
    async def login(body: _Credentials) -> wire.TokenOut:
        return encode.token_out(await log_in(body.email, body.password))


def _add_points(routes: APIRouter, database: Database) -> None:
    @routes.get("/points", tags=["points"], responses=_problems(Unauthenticated))
    async def show_points(account_id: CurrentAccount) -> wire.PointsOut:
        return encode.points_out(await points.read_balance(database, account_id))

    @routes.get(
        "/points/ledger",
        tags=["points"],
        response_model_exclude_unset=True,
        responses=_problems(Unauthenticated, InvalidInput),
    )
    async def show_ledger(
        account_id: CurrentAccount,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
        before: UUID | None = None,
    ) -> wire.LedgerOut:
        found = await points.read_ledger(database, account_id, limit=limit, before=before)
        return encode.ledger_out(found)


def _add_profile(routes: APIRouter, database: Database) -> None:
    @routes.get("/profile", tags=["profile"], responses=_problems(Unauthenticated))
    async def read_profile(account_id: CurrentAccount) -> wire.ProfileOut:
        return encode.profile_out(await show_profile(database, account_id))

    @routes.patch(
        "/profile",
        tags=["profile"],
        openapi_extra=describe_body(wire.ProfilePatchBody),
        responses=_problems(Unauthenticated, TooLarge, InvalidInput),
    )
    async def patch_profile(account_id: CurrentAccount, body: _ProfilePatch) -> wire.ProfileOut:
        patch = intake.profile_patch(body)
        return encode.profile_out(await change_profile(database, account_id, patch))


def _problems(*kinds: type[YarrowError]) -> dict[int | str, dict[str, object]]:
    return describe_problems([FAULTS[kind] for kind in (*kinds, DatabaseUnavailable)])
