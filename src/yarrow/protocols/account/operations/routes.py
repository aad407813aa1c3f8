"""Operations: for the local user, or the accounts named in `YARROW_OPERATORS`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeAlias
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from yarrow.accounts.errors import AccountNotFound
from yarrow.errors import Conflict, Forbidden, InvalidInput, NotFound, TooLarge, Unauthenticated
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.errors import IdempotencyConflict
from yarrow.http.openapi import describe_body
from yarrow.ids import AccountId, RunId
from yarrow.operations import read
from yarrow.operations.doctor import ExplainNoPython
from yarrow.operations.model import RunGroup
from yarrow.operations.operators import require_operator
from yarrow.points.adjust import grant_points
from yarrow.protocols.account.errors import describe_account_problems
from yarrow.protocols.account.operations import encode, wire
from yarrow.protocols.account.router import PREFIX, make_router
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.settings import Settings

BODY_LIMIT = 4096
WHO_MAX = 320
WITHOUT_NUL = r"^[^\x00]*$"

_Grant = Annotated[wire.GrantBody, Depends(make_body_reader(wire.GrantBody, limit=BODY_LIMIT))]
_Who = Annotated[str, Query(min_length=1, max_length=WHO_MAX)]


FindOperator: TypeAlias = Callable[..., Awaitable[AccountId]]
"""A dependency: the account of the request, which must be an operator."""


def make_operations_router(
    engine: Engine, executions: Executions, settings: Settings, why_no_python: ExplainNoPython
) -> APIRouter:
    router = make_router("operations", prefix=f"{PREFIX}/operations")

    async def find_operator(account_id: CurrentAccount) -> AccountId:
        require_operator(account_id, auth=settings.auth, operators=settings.operators)
        return account_id

    _add_overview(router, engine, find_operator)
    _add_doctor(router, engine, find_operator, settings, why_no_python)
    _add_run_search(router, engine, find_operator)
    _add_runs(router, engine, executions, find_operator)
    _add_accounts(router, engine, find_operator)
    return router


def _add_overview(router: APIRouter, engine: Engine, find_operator: FindOperator) -> None:
    @router.get(
        "/overview",
        summary="Queue, workers, the load of the last hour and findings",
        responses=describe_account_problems(Unauthenticated, Forbidden),
        dependencies=[Depends(find_operator)],
    )
    async def show_overview() -> wire.OverviewOut:
        overview = await read.read_overview(engine)
        return encode.encode_overview(overview, await read.list_findings(engine, overview))


def _add_doctor(
    router: APIRouter,
    engine: Engine,
    find_operator: FindOperator,
    settings: Settings,
    why_no_python: ExplainNoPython,
) -> None:
    one_at_a_time = asyncio.Lock()

    @router.post(
        "/doctor",
        summary="Run the checks of `yarrow doctor`; the model is asked for one word",
        responses=describe_account_problems(
            Unauthenticated, Forbidden, InvalidInput, IdempotencyConflict
        ),
        dependencies=[Depends(find_operator)],
    )
    async def run_doctor() -> wire.DiagnosisOut:
        async with one_at_a_time:
            return encode.encode_checks(await read.diagnose_server(engine, settings, why_no_python))


def _add_run_search(router: APIRouter, engine: Engine, find_operator: FindOperator) -> None:
    @router.get(
        "/runs/search",
        summary="Find runs of the last seven days by an id, an account, agent, status or failure",
        response_model_exclude_unset=True,
        responses=describe_account_problems(Unauthenticated, Forbidden, InvalidInput),
    )
    async def search_runs(
        operator: Annotated[AccountId, Depends(find_operator)],
        text: Annotated[str, Query(min_length=1, max_length=WHO_MAX, pattern=WITHOUT_NUL)],
        after: UUID | None = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 100,
    ) -> wire.RunSearchOut:
        last = None if after is None else RunId(after)
        search = await read.search_runs(engine, text.strip(), after=last, limit=limit)
        return encode.encode_search(search, operator)


def _add_runs(
    router: APIRouter, engine: Engine, executions: Executions, find_operator: FindOperator
) -> None:
    @router.get(
        "/runs",
        summary="Runs of all accounts, without their words",
        responses=describe_account_problems(Unauthenticated, Forbidden, InvalidInput),
    )
    async def show_runs(
        operator: Annotated[AccountId, Depends(find_operator)],
        group: RunGroup = RunGroup.ACTIVE,
        limit: Annotated[int, Query(ge=1, le=200)] = 100,
    ) -> wire.OperatedRunListOut:
        return encode.encode_runs(await read.list_runs(engine, group, limit=limit), operator)

    @router.get(
        "/runs/{id}",
        summary="A run, the kinds of its events and their times",
        responses=describe_account_problems(Unauthenticated, Forbidden, InvalidInput, NotFound),
    )
    async def show_run(
        id: UUID,  # noqa: A002
        operator: Annotated[AccountId, Depends(find_operator)],
    ) -> wire.RunDetailOut:
        run, events = await read.read_run(engine, RunId(id))
        return encode.encode_detail(run, events, operator)

    @router.post(
        "/runs/{id}/cancel",
        summary="Cancel a run of any account",
        responses=describe_account_problems(
            Unauthenticated, Forbidden, InvalidInput, NotFound, IdempotencyConflict
        ),
        dependencies=[Depends(find_operator)],
    )
    async def cancel_run(id: UUID) -> wire.CancelOut:  # noqa: A002
        return wire.CancelOut(accepted=await read.cancel_run(engine, executions, RunId(id)))


def _add_accounts(router: APIRouter, engine: Engine, find_operator: FindOperator) -> None:
    @router.get(
        "/account",
        summary="Find an account by e-mail or id, with its points",
        responses=describe_account_problems(
            Unauthenticated, Forbidden, InvalidInput, AccountNotFound
        ),
        dependencies=[Depends(find_operator)],
    )
    async def show_account(who: _Who) -> wire.FoundAccountOut:
        return encode.encode_account(await read.find_account(engine, who))

    @router.post(
        "/accounts/{id}/grants",
        summary="Grant points with a ticket; a repeated ticket is ignored",
        openapi_extra=describe_body(wire.GrantBody),
        responses=describe_account_problems(
            Unauthenticated, Forbidden, InvalidInput, AccountNotFound, Conflict, TooLarge
        ),
    )
    async def grant(
        id: UUID,  # noqa: A002
        body: _Grant,
        operator: Annotated[AccountId, Depends(find_operator)],
    ) -> wire.FoundAccountOut:
        account = await read.find_account(engine, str(id))
        await grant_points(
            engine.database,
            str(account.id),
            amount=body.amount,
            ticket_id=body.ticket_id,
            operator_id=operator,
        )
        return encode.encode_account(await read.find_account(engine, str(id)))
