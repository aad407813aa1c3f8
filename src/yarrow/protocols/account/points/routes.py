"""Balance and ledger."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from yarrow.errors import InvalidInput, Unauthenticated
from yarrow.http.auth import CurrentAccount
from yarrow.points.read import read_balance, read_ledger
from yarrow.protocols.account.errors import describe_account_problems
from yarrow.protocols.account.points.encode import encode_balance, encode_ledger
from yarrow.protocols.account.points.wire import LedgerOut, PointsOut
from yarrow.protocols.account.router import make_router
from yarrow.runs.engine import Engine

PAGE_MAX = 100


def make_points_router(engine: Engine) -> APIRouter:
    router = make_router("points")

    @router.get("/points", responses=describe_account_problems(Unauthenticated))
    async def show_points(account_id: CurrentAccount) -> PointsOut:
        return encode_balance(await read_balance(engine.database, account_id))

    @router.get(
        "/points/ledger",
        response_model_exclude_unset=True,
        responses=describe_account_problems(Unauthenticated, InvalidInput),
    )
    async def show_ledger(
        account_id: CurrentAccount,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 50,
        before: UUID | None = None,
    ) -> LedgerOut:
        ledger = await read_ledger(engine.database, account_id, limit=limit, before=before)
        return encode_ledger(ledger)

    return router
