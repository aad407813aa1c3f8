"""Variables: parse, call one verb, encode."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.db import Database
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader, parse_json, read_body, validate
from yarrow.http.openapi import describe_body
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import Page, data, listed
from yarrow.protocols.tavern.router import MAX_OFFSET, dialect_router
from yarrow.protocols.tavern.variables.encode import (
    batch_shape,
    resolved_shape,
    scope_shape,
    variable_shape,
)
from yarrow.protocols.tavern.variables.intake import scope_selector
from yarrow.protocols.tavern.variables.wire import BatchBody, KeyBody, PlaceBody, VariableBody
from yarrow.stories import variables
from yarrow.stories.variables import VariableView
from yarrow.variables.model import SCOPE_MAX, Scope

BODY_LIMIT = 512 * 1024
BATCH_LIMIT = 8 * 1024 * 1024

_Variable = Annotated[VariableBody, Depends(make_body_reader(VariableBody, limit=BODY_LIMIT))]
_Batch = Annotated[BatchBody, Depends(make_body_reader(BatchBody, limit=BATCH_LIMIT))]


def variable_routes(database: Database) -> APIRouter:
    """`/variables`."""
    router = dialect_router("variables")
    _add_writing(router, database)
    _add_reading(router, database)
    return router


def _add_writing(router: APIRouter, database: Database) -> None:
    @router.put(
        "/variables",
        summary="Set a variable",
        openapi_extra=describe_body(VariableBody),
        responses={201: {"description": "The variable is new"}},
    )
    async def put(account_id: CurrentAccount, body: _Variable) -> Response:
        item = (scope_selector(body), body.key, body.value)
        (written,) = await variables.put_variables(database, account_id, [item])
        shape = variable_shape(written.variable, written.scope)
        return data(shape, status=201 if written.created else 200)

    @router.put(
        "/variables/batch", summary="Set many variables", openapi_extra=describe_body(BatchBody)
    )
    async def put_many(account_id: CurrentAccount, body: _Batch) -> Response:
        items = [(scope_selector(item), item.key, item.value) for item in body.items]
        return data(batch_shape(await variables.put_variables(database, account_id, items)))

    @router.delete(
        "/variables",
        summary="Delete a variable",
        openapi_extra={
            "parameters": [
                {"name": name, "in": "query", "schema": {"type": "string"}}
                for name in KeyBody.model_fields
            ]
        },
    )
    async def delete(request: Request, account_id: CurrentAccount) -> Response:
        sent = await read_body(request, limit=BODY_LIMIT)
        body = validate(KeyBody, parse_json(sent) if sent else dict(request.query_params))
        resolved = await variables.delete_variable(
            database, account_id, scope_selector(body), key=body.key
        )
        return data(scope_shape(resolved) | {"key": body.key, "deleted": True})


def _add_reading(router: APIRouter, database: Database) -> None:
    @router.get("/variables", summary="The variables of one scope")
    async def show(
        account_id: CurrentAccount,
        scope: Scope,
        *,
        session_id: str | None = None,
        branch_id: str | None = None,
        scope_id: str | None = None,
        key: str | None = None,
        limit: Annotated[int, Query(ge=1, le=SCOPE_MAX)] = SCOPE_MAX,
        offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
    ) -> Response:
        named = PlaceBody(
            scope=scope, session_id=session_id, branch_id=branch_id, scope_id=scope_id
        )
        resolved, found = await variables.read_variables(
            database, account_id, scope_selector(named)
        )
        kept = [each for each in found if key in {None, each.key}]
        part = [variable_shape(each, resolved) for each in kept[offset : offset + limit]]
        return listed(part, total=len(kept), page=Page(limit, offset, "key", "asc"))

    @router.get("/variables/resolve", summary="The values that count, seen from one place")
    async def resolve(
        account_id: CurrentAccount,
        *,
        session_id: str | None = None,
        branch_id: str | None = None,
        floor_id: str | None = None,
        page_id: str | None = None,
    ) -> Response:
        view = VariableView(
            session_id=None if session_id is None else ids.session_id(session_id),
            branch=branch_id,
            turn_id=None if floor_id is None else ids.turn_id(floor_id),
            message_id=None if page_id is None else ids.message_id(page_id),
        )
        return data(resolved_shape(await variables.resolve_variables(database, account_id, view)))
