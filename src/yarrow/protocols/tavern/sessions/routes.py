"""`/sessions`."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from yarrow.assets.model import SortOrder
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader, read_optional_body
from yarrow.http.openapi import describe_body
from yarrow.ids import SessionId
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list, encode_batch
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.parameters import PAGE_DEFAULT, Limit, Offset
from yarrow.protocols.tavern.sessions.encode import encode_session
from yarrow.protocols.tavern.sessions.intake import parse_change, parse_story
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
from yarrow.stories.story_state import list_stories, read_story

BODY_LIMIT = 256 * 1024
SESSION_BYTES = 12 * 1024 * 1024
"""A session may bring a copy of its character, which is as large as an imported card."""

_Session = Annotated[SessionBody, Depends(make_json_reader(SessionBody, limit=SESSION_BYTES))]
_Status = Annotated[BatchStatusBody, Depends(make_json_reader(BatchStatusBody, limit=BODY_LIMIT))]
_Delete = Annotated[BatchDeleteBody, Depends(make_json_reader(BatchDeleteBody, limit=BODY_LIMIT))]


def make_session_router(engine: Engine, executions: Executions) -> APIRouter:
    router = make_router("sessions")
    _add_batches(router, engine, executions)
    _add_list(router, engine)
    _add_one(router, engine, executions)
    return router


def _add_list(router: APIRouter, engine: Engine) -> None:
    @router.get("/sessions", summary="The account's stories")
    async def list_sessions(
        account_id: CurrentAccount,
        *,
        status: StoryStatus | None = None,
        character_id: str | None = None,
        search: str = "",
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
        sort_by: StorySort = StorySort.UPDATED_AT,
        sort_order: SortOrder = SortOrder.DESC,
    ) -> Response:
        character = None if character_id is None else ids.parse_asset_id(character_id)
        stories, total = await list_stories(
            engine.database,
            account_id,
            StoryFilter(status, character, search),
            sort=(sort_by, sort_order),
            limit=limit,
            offset=offset,
        )
        page = ListPage(limit, offset, sort_by, sort_order)
        return build_list([encode_session(story) for story in stories], total=total, page=page)


def _add_one(router: APIRouter, engine: Engine, executions: Executions) -> None:
    database = engine.database

    @router.post(
        "/sessions",
        status_code=201,
        summary="Open a story",
        openapi_extra=describe_body(SessionBody),
    )
    async def create(account_id: CurrentAccount, body: _Session) -> Response:
        story = await create_story(database, account_id, parse_story(body), now=engine.clock())
        return build_data(encode_session(story), status=201)

    @router.get("/sessions/{id}", summary="One story")
    async def show(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return build_data(
            encode_session(await read_story(database, account_id, ids.parse_session_id(id)))
        )

    @router.patch(
        "/sessions/{id}", summary="Change a story", openapi_extra=describe_body(SessionBody)
    )
    async def change(id: str, account_id: CurrentAccount, body: _Session) -> Response:  # noqa: A002
        patch = parse_change(body)
        story = await change_story(
            database, account_id, ids.parse_session_id(id), patch, now=engine.clock()
        )
        return build_data(encode_session(story))

    @router.delete("/sessions/{id}", summary="Delete a story")
    async def delete(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        session_id = ids.parse_session_id(id)
        await delete_story(engine, executions, account_id, session_id)
        return build_data({"id": str(session_id), "deleted": True})

    @router.post(
        "/sessions/{id}/character/sync",
        summary="Take the character's newest version",
        openapi_extra=describe_body(SyncBody),
    )
    async def sync(request: Request, id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        body = await read_optional_body(SyncBody, request, limit=BODY_LIMIT)
        story = await sync_character(
            database, account_id, ids.parse_session_id(id), forced=body.force
        )
        return build_data(encode_session(story))


def _add_batches(router: APIRouter, engine: Engine, executions: Executions) -> None:
    database = engine.database

    described = describe_body(BatchStatusBody)

    @router.post("/sessions/batch/status", summary="Archive or open many", openapi_extra=described)
    @router.patch("/sessions/batch/status", summary="Archive or open many", openapi_extra=described)
    async def change_many(account_id: CurrentAccount, body: _Status) -> Response:
        done = await set_status(
            database, account_id, _parse_session_ids(body.ids), status=body.status
        )
        return build_data(encode_batch(body.ids, done, action="updated"))

    @router.post(
        "/sessions/batch/delete",
        summary="Delete many",
        openapi_extra=describe_body(BatchDeleteBody),
    )
    async def delete_many(account_id: CurrentAccount, body: _Delete) -> Response:
        done = await delete_stories(engine, executions, account_id, _parse_session_ids(body.ids))
        return build_data(encode_batch(body.ids, done, action="deleted"))


def _parse_session_ids(texts: Sequence[str]) -> list[SessionId]:
    """The ids that are UUIDs; the others name no session."""
    uuids = (ids.parse_uuid(text) for text in texts)
    return [SessionId(each) for each in uuids if each is not None]
