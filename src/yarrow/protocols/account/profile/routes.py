"""Read and change the profile of the account."""

from typing import Annotated

from fastapi import APIRouter, Depends

from yarrow.accounts.profile import change_profile, show_profile
from yarrow.errors import InvalidInput, TooLarge, Unauthenticated
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.protocols.account.errors import describe_account_problems
from yarrow.protocols.account.profile.encode import encode_profile
from yarrow.protocols.account.profile.intake import parse_patch
from yarrow.protocols.account.profile.wire import ProfileOut, ProfilePatchBody
from yarrow.protocols.account.router import make_router
from yarrow.runs.engine import Engine

BODY_LIMIT = 64 * 1024

_ProfilePatch = Annotated[
    ProfilePatchBody, Depends(make_body_reader(ProfilePatchBody, limit=BODY_LIMIT))
]


def make_profile_router(engine: Engine) -> APIRouter:
    router = make_router("profile")

    @router.get("/profile", responses=describe_account_problems(Unauthenticated))
    async def read_profile(account_id: CurrentAccount) -> ProfileOut:
        return encode_profile(await show_profile(engine.database, account_id))

    @router.patch(
        "/profile",
        openapi_extra=describe_body(ProfilePatchBody),
        responses=describe_account_problems(Unauthenticated, TooLarge, InvalidInput),
    )
    async def patch_profile(account_id: CurrentAccount, body: _ProfilePatch) -> ProfileOut:
        patch = parse_patch(body)
        profile = await change_profile(engine.database, account_id, patch)
        return encode_profile(profile)

    return router
