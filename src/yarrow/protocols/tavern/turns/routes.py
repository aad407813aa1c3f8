"""Timelines, floors, branches, pages and messages: parse, call one verb, encode."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.db import Database
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader, parse_json, read_body, validate
from yarrow.http.openapi import describe_body
from yarrow.ids import MessageId
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import Page, data, listed
from yarrow.protocols.tavern.router import MAX_OFFSET, PAGE_DEFAULT, PAGE_MAX, dialect_router
from yarrow.protocols.tavern.sessions.encode import batch_shape
from yarrow.protocols.tavern.turns.encode import (
    branch_shape,
    floor_shape,
    message_shape,
    page_shape,
    timeline_shape,
)
from yarrow.protocols.tavern.turns.wire import BatchHideBody, ForkBody, HideBody
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories import branches, timeline

BODY_LIMIT = 64 * 1024

_Hide = Annotated[HideBody, Depends(make_body_reader(HideBody, limit=BODY_LIMIT))]
_BatchHide = Annotated[BatchHideBody, Depends(make_body_reader(BatchHideBody, limit=BODY_LIMIT))]
_Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET)]


def turn_routes(database: Database) -> APIRouter:
    """What a story is made of."""
    router = dialect_router("floors")
    _add_timeline(router, database)
    _add_branches(router, database)
    _add_floors(router, database)
    _add_pages(router, database)
    _add_messages(router, database)
    return router


def _add_timeline(router: APIRouter, database: Database) -> None:
    @router.get("/sessions/{id}/timeline", summary="The floors on the way to a branch's end")
    async def show_timeline(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        *,
        branch_id: str = MAIN_BRANCH,
        limit: Annotated[int | None, Query(ge=1, le=MAX_OFFSET)] = None,
        offset: _Offset = 0,
    ) -> Response:
        session_id = ids.session_id(id)
        shown = await timeline.read_timeline(
            database, account_id, session_id, branch=branch_id, limit=limit, offset=offset
        )
        return data(timeline_shape(shown))


def _add_branches(router: APIRouter, database: Database) -> None:
    @router.get("/sessions/{id}/branches", summary="The branches of a story")
    async def show_branches(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        session_id = ids.session_id(id)
        found = await timeline.read_branches(database, account_id, session_id)
        return data([branch_shape(session_id, branch) for branch in found])

    @router.delete("/sessions/{id}/branches/{branch_id}", summary="Delete a branch")
    async def delete_branch(
        id: str,  # noqa: A002
        branch_id: str,
        account_id: CurrentAccount,
    ) -> Response:
        await branches.delete_branch(database, account_id, ids.session_id(id), name=branch_id)
        return data({"branch_id": branch_id, "deleted": True})

    @router.post(
        "/floors/{id}/branch",
        status_code=201,
        summary="Fork after a floor",
        openapi_extra=describe_body(ForkBody),
    )
    async def fork(request: Request, id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        sent = await read_body(request, limit=BODY_LIMIT)
        body = validate(ForkBody, parse_json(sent) if sent else {})
        turn_id = ids.turn_id(id)
        session_id, made = await branches.fork_branch(
            database, account_id, turn_id, name=body.branch_id
        )
        return data(branch_shape(session_id, made), status=201)


def _add_floors(router: APIRouter, database: Database) -> None:
    @router.get("/floors", summary="The live floors of a story")
    async def show_floors(
        account_id: CurrentAccount,
        session_id: str,
        *,
        branch_id: str | None = None,
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
        offset: _Offset = 0,
    ) -> Response:
        turns, total = await timeline.read_turns(
            database,
            account_id,
            ids.session_id(session_id),
            branch=branch_id,
            limit=limit,
            offset=offset,
        )
        page = Page(limit, offset, "floor_no", "asc")
        return listed([floor_shape(turn) for turn in turns], total=total, page=page)

    @router.get("/floors/{id}", summary="One floor, also one that was replaced")
    async def show_floor(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return data(floor_shape(await timeline.read_turn(database, account_id, ids.turn_id(id))))


def _add_pages(router: APIRouter, database: Database) -> None:
    @router.patch("/pages/{id}/activate", summary="Choose an alternate")
    async def activate(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        found = await branches.activate_version(database, account_id, ids.message_id(id))
        return data(page_shape(found.version))


def _add_messages(router: APIRouter, database: Database) -> None:
    told = describe_body(BatchHideBody)

    @router.post("/messages/batch/visibility", summary="Hide or show many", openapi_extra=told)
    @router.patch("/messages/batch/visibility", summary="Hide or show many", openapi_extra=told)
    async def hide_many(account_id: CurrentAccount, body: _BatchHide) -> Response:
        found = (ids.uuid_of(each) for each in body.ids)
        wanted = [MessageId(each) for each in found if each is not None]
        done = await branches.hide_messages(database, account_id, wanted, hidden=body.is_hidden)
        return data(batch_shape(body.ids, done, action="updated"))

    @router.get("/messages/{id}", summary="One message")
    async def show_message(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        found = await timeline.read_message(database, account_id, ids.message_id(id))
        return data(message_shape(found.version))

    @router.patch(
        "/messages/{id}",
        summary="Keep a message out of prompts, or let it in",
        openapi_extra=describe_body(HideBody),
    )
    async def hide(id: str, account_id: CurrentAccount, body: _Hide) -> Response:  # noqa: A002
        found = await branches.hide_message(
            database, account_id, ids.message_id(id), hidden=body.is_hidden
        )
        return data(message_shape(found.version))
