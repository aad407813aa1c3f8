"""Tool permissions, the catalogue of tools, and recorded calls."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.product_events.story_tools import ExecutionStatus
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.parameters import PAGE_DEFAULT, Limit, Offset
from yarrow.protocols.tavern.tools.encode import (
    encode_decision,
    encode_execution,
    encode_permissions,
    encode_tool,
)
from yarrow.protocols.tavern.tools.wire import PermissionsBody
from yarrow.runs.engine import Engine
from yarrow.stories.tools.executions import list_calls, list_turn_calls
from yarrow.stories.tools.replay_rules import CallFilter
from yarrow.stories.tools.toolbox import StoryToolbox, change_permissions, read_permissions

BODY_LIMIT = 64 * 1024
PATH = "/sessions/{id}/tool-permissions"

_Permissions = Annotated[
    PermissionsBody, Depends(make_json_reader(PermissionsBody, limit=BODY_LIMIT))
]


def make_tool_router(engine: Engine, toolbox: StoryToolbox) -> APIRouter:
    router = make_router("tools")
    _add_permissions(router, engine)
    _add_catalogue(router, engine, toolbox)
    _add_executions(router, engine)
    return router


def _add_permissions(router: APIRouter, engine: Engine) -> None:
    database = engine.database

    @router.get(PATH, summary="Which tools a session offers to its models")
    async def show_permissions(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        session_id = ids.parse_session_id(id)
        return build_data(
            encode_permissions(await read_permissions(database, account_id, session_id))
        )

    async def change(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        body: PermissionsBody,
        *,
        is_replaced: bool,
    ) -> Response:
        changed = await change_permissions(
            database,
            account_id,
            ids.parse_session_id(id),
            body.list_fields(),
            is_replaced=is_replaced,
        )
        return build_data(encode_permissions(changed))

    @router.put(
        PATH,
        summary="Replace the tool permissions of a session",
        openapi_extra=describe_body(PermissionsBody),
    )
    async def replace(id: str, account_id: CurrentAccount, body: _Permissions) -> Response:  # noqa: A002
        return await change(id, account_id, body, is_replaced=True)

    @router.patch(
        PATH,
        summary="Change some tool permissions of a session; slot lists are merged by slot",
        openapi_extra=describe_body(PermissionsBody),
    )
    async def merge(id: str, account_id: CurrentAccount, body: _Permissions) -> Response:  # noqa: A002
        return await change(id, account_id, body, is_replaced=False)


def _add_catalogue(router: APIRouter, engine: Engine, toolbox: StoryToolbox) -> None:
    @router.get("/tools/builtin", summary="The tools that ship with the server")
    async def show_tools(account_id: CurrentAccount) -> Response:  # noqa: ARG001
        return build_data([encode_tool(each) for each in toolbox.list_tools().values()])

    @router.get("/sessions/{id}/tools/runtime", summary="The tools that a turn would offer")
    async def show_runtime(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        session_id = ids.parse_session_id(id)
        permissions = await read_permissions(engine.database, account_id, session_id)
        tools = [encode_decision(*each) for each in toolbox.decide_tools(permissions)]
        return build_data({"permissions": encode_permissions(permissions), "tools": tools})


def _add_executions(router: APIRouter, engine: Engine) -> None:
    @router.get("/floors/{id}/tool-executions", summary="The tool calls of a floor")
    async def show_floor_calls(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        calls = await list_turn_calls(engine.database, account_id, ids.parse_turn_id(id))
        return build_data([encode_execution(each) for each in calls])

    @router.get("/tool-executions", summary="The tool calls of all stories, newest first")
    async def show_calls(
        account_id: CurrentAccount,
        *,
        session_id: str | None = None,
        floor_id: str | None = None,
        tool_name: Annotated[str | None, Query(max_length=128)] = None,
        status: ExecutionStatus | None = None,
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
    ) -> Response:
        where = CallFilter(
            None if session_id is None else ids.parse_session_id(session_id),
            None if floor_id is None else ids.parse_turn_id(floor_id),
            tool_name,
            status,
        )
        calls, total = await list_calls(
            engine.database, account_id, where, limit=limit, offset=offset
        )
        page = ListPage(limit, offset, "created_at", "desc")
        return build_list([encode_execution(each) for each in calls], total=total, page=page)
