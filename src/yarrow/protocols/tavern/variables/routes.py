"""`/variables`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader, read_body_or_query
from yarrow.http.openapi import describe_body
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.parameters import Offset
from yarrow.protocols.tavern.variables.encode import (
    encode_resolution,
    encode_scope,
    encode_variable,
    encode_writes,
)
from yarrow.protocols.tavern.variables.intake import parse_scope, parse_write
from yarrow.protocols.tavern.variables.wire import (
    KeyBody,
    ScopeBody,
    VariableBatchBody,
    VariableBody,
)
from yarrow.protocols.tavern.wire import parse_items
from yarrow.runs.engine import Engine
from yarrow.stories import variables
from yarrow.stories.variables import VariableView
from yarrow.variables.model import SCOPE_MAX, Scope

BODY_LIMIT = 512 * 1024
BATCH_LIMIT = 8 * 1024 * 1024

_Variable = Annotated[VariableBody, Depends(make_json_reader(VariableBody, limit=BODY_LIMIT))]
_Batch = Annotated[
    VariableBatchBody, Depends(make_json_reader(VariableBatchBody, limit=BATCH_LIMIT))
]


def make_variable_router(engine: Engine) -> APIRouter:
    router = make_router("variables")
    _add_write(router, engine)
    _add_read(router, engine)
    return router


def _add_write(router: APIRouter, engine: Engine) -> None:
    @router.put(
        "/variables",
        summary="Set a variable",
        openapi_extra=describe_body(VariableBody),
        responses={
            201: {"description": "The variable is new", "content": {"application/json": {}}}
        },
    )
    async def put(account_id: CurrentAccount, body: _Variable) -> Response:
        item = (parse_scope(body), body.key, body.value)
        (written,) = await variables.put_variables(engine.database, account_id, [item])
        encoded = encode_variable(written.variable, written.scope)
        return build_data(encoded, status=201 if written.created else 200)

    @router.put(
        "/variables/batch",
        summary="Set many variables",
        openapi_extra=describe_body(VariableBatchBody),
    )
    async def put_many(account_id: CurrentAccount, body: _Batch) -> Response:
        items = parse_items(parse_write, body.items)
        return build_data(
            encode_writes(await variables.put_variables(engine.database, account_id, items))
        )

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
        body = await read_body_or_query(KeyBody, request, limit=BODY_LIMIT)
        resolved = await variables.delete_variable(
            engine.database, account_id, parse_scope(body), key=body.key
        )
        return build_data(encode_scope(resolved) | {"key": body.key, "deleted": True})


def _add_read(router: APIRouter, engine: Engine) -> None:
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
        offset: Offset = 0,
    ) -> Response:
        body = ScopeBody(scope=scope, session_id=session_id, branch_id=branch_id, scope_id=scope_id)
        resolved, all_variables = await variables.read_variables(
            engine.database, account_id, parse_scope(body)
        )
        matching = [each for each in all_variables if key in {None, each.key}]
        part = [encode_variable(each, resolved) for each in matching[offset : offset + limit]]
        return build_list(part, total=len(matching), page=ListPage(limit, offset, "key", "asc"))

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
            session_id=None if session_id is None else ids.parse_session_id(session_id),
            branch=branch_id,
            turn_id=None if floor_id is None else ids.parse_turn_id(floor_id),
            message_id=None if page_id is None else ids.parse_message_id(page_id),
        )
        return build_data(
            encode_resolution(await variables.resolve_variables(engine.database, account_id, view))
        )
