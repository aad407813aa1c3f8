"""Sessions: parse, call one verb, encode."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.assets.model import SortOrder
from yarrow.db import Database
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader, parse_json, read_body, validate
from yarrow.http.openapi import describe_body
from yarrow.ids import SessionId
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import Page, data, listed
from yarrow.protocols.tavern.router import MAX_OFFSET, PAGE_DEFAULT, PAGE_MAX, dialect_router
from yarrow.protocols.tavern.sessions.encode import batch_shape, session_shape
from yarrow.protocols.tavern.sessions.intake import changed_story, story_patch
from yarrow.protocols.tavern.sessions.wire import (
    BatchDeleteBody,
    BatchStatusBody,
    SessionBody,
    SyncBody,
)
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.stories.bindings import change_story, set_status, sync_character
from yarrow.stories.create import create_story, delete_stories, delete_story
from yarrow.stories.model import StoryFilter, StorySort, StoryStatus
from yarrow.stories.state import list_stories, read_story

BODY_LIMIT = 256 * 1024

_Session = Annotated[SessionBody, Depends(make_body_reader(SessionBody, limit=BODY_LIMIT))]
_Status = Annotated[BatchStatusBody, Depends(make_body_reader(BatchStatusBody, limit=BODY_LIMIT))]
_Delete = Annotated[BatchDeleteBody, Depends(make_body_reader(BatchDeleteBody, limit=BODY_LIMIT))]


def session_routes(engine: Engine, executions: Executions) -> APIRouter:
    """`/sessions` and what stands directly below."""
    router = dialect_router("sessions")
    _add_batches(router, engine, executions)
    _add_list(router, engine.database)
    _add_one(router, engine, executions)
    return router


def _add_list(router: APIRouter, database: Database) -> None:
    @router.get("/sessions", summary="The account's stories")
    async def list_sessions(
        account_id: CurrentAccount,
        *,
        status: StoryStatus | None = None,
        character_id: str | None = None,
        search: str = "",
        limit: Annotated[int, Query(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT,
        offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
        sort_by: StorySort = StorySort.UPDATED_AT,
        sort_order: SortOrder = SortOrder.DESC,
    ) -> Response:
        character = None if character_id is None else ids.asset_id(character_id)
        stories, total = await list_stories(
            database,
            account_id,
            StoryFilter(status, character, search),
            sort=(sort_by, sort_order),
            limit=limit,
            offset=offset,
        )
        page = Page(limit, offset, sort_by, sort_order)
        return listed([session_shape(story) for story in stories], total=total, page=page)


def _add_one(router: APIRouter, engine: Engine, executions: Executions) -> None:
    database = engine.database

    @router.post(
        "/sessions",
        status_code=201,
        summary="Open a story",
        openapi_extra=describe_body(SessionBody),
    )
    async def create(account_id: CurrentAccount, body: _Session) -> Response:
        story = await create_story(database, account_id, story_patch(body), now=engine.clock())
        return data(session_shape(story), status=201)

    @router.get("/sessions/{id}", summary="One story")
    async def show(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return data(session_shape(await read_story(database, account_id, ids.session_id(id))))

    @router.patch(
        "/sessions/{id}", summary="Change a story", openapi_extra=describe_body(SessionBody)
    )
    async def change(id: str, account_id: CurrentAccount, body: _Session) -> Response:  # noqa: A002
        patch = changed_story(body)
        story = await change_story(
            database, account_id, ids.session_id(id), patch, now=engine.clock()
        )
        return data(session_shape(story))

    @router.delete("/sessions/{id}", summary="Delete a story")
    async def delete(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        session_id = ids.session_id(id)
        await delete_story(engine, executions, account_id, session_id)
        return data({"id": str(session_id), "deleted": True})

    @router.post(
        "/sessions/{id}/character/sync",
        summary="Take the character's newest version",
        openapi_extra=describe_body(SyncBody),
    )
    async def sync(request: Request, id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        sent = await read_body(request, limit=BODY_LIMIT)
        body = validate(SyncBody, parse_json(sent) if sent else {})
        story = await sync_character(database, account_id, ids.session_id(id), forced=body.force)
        return data(session_shape(story))


def _add_batches(router: APIRouter, engine: Engine, executions: Executions) -> None:
    database = engine.database

    told = describe_body(BatchStatusBody)

    @router.post("/sessions/batch/status", summary="Archive or open many", openapi_extra=told)
    @router.patch("/sessions/batch/status", summary="Archive or open many", openapi_extra=told)
    async def change_many(account_id: CurrentAccount, body: _Status) -> Response:
        done = await set_status(database, account_id, _session_ids(body.ids), status=body.status)
        return data(batch_shape(body.ids, done, action="updated"))

    @router.post(
        "/sessions/batch/delete",
        summary="Delete many",
        openapi_extra=describe_body(BatchDeleteBody),
    )
    async def delete_many(account_id: CurrentAccount, body: _Delete) -> Response:
        done = await delete_stories(engine, executions, account_id, _session_ids(body.ids))
        return data(batch_shape(body.ids, done, action="deleted"))


def _session_ids(given: Sequence[str]) -> list[SessionId]:
    found = (ids.uuid_of(each) for each in given)
    return [SessionId(each) for each in found if each is not None]
