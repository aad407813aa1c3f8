"""Timelines, floors (turns), branches, pages (message versions) and messages."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader, read_optional_body
from yarrow.http.openapi import describe_body
from yarrow.ids import MessageId
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list, encode_batch
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.parameters import NUMBER_MAX, PAGE_DEFAULT, Limit, Offset
from yarrow.protocols.tavern.turns.encode import (
    encode_branch,
    encode_floor,
    encode_message,
    encode_page,
    encode_timeline,
)
from yarrow.protocols.tavern.turns.wire import BatchHideBody, ChangeMessageBody, ForkBody
from yarrow.runs.engine import Engine
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories import branches, timeline
from yarrow.stories.edit_message import edit_message

BODY_LIMIT = 64 * 1024
MESSAGE_LIMIT = 10 * 1024 * 1024

_Change = Annotated[
    ChangeMessageBody, Depends(make_json_reader(ChangeMessageBody, limit=MESSAGE_LIMIT))
]
_BatchHide = Annotated[BatchHideBody, Depends(make_json_reader(BatchHideBody, limit=BODY_LIMIT))]


def make_turn_router(engine: Engine) -> APIRouter:
    router = make_router("floors")
    _add_timeline(router, engine)
    _add_branches(router, engine)
    _add_floors(router, engine)
    _add_pages(router, engine)
    _add_messages(router, engine)
    return router


def _add_timeline(router: APIRouter, engine: Engine) -> None:
    @router.get("/sessions/{id}/timeline", summary="The floors on the way to a branch's end")
    async def show_timeline(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        *,
        branch_id: str = MAIN_BRANCH,
        limit: Annotated[int | None, Query(ge=1, le=NUMBER_MAX)] = None,
        offset: Offset = 0,
    ) -> Response:
        session_id = ids.parse_session_id(id)
        shown = await timeline.read_timeline(
            engine.database, account_id, session_id, branch=branch_id, limit=limit, offset=offset
        )
        return build_data(encode_timeline(shown))


def _add_branches(router: APIRouter, engine: Engine) -> None:
    @router.get("/sessions/{id}/branches", summary="The branches of a story")
    async def show_branches(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        session_id = ids.parse_session_id(id)
        story_branches = await timeline.read_branches(engine.database, account_id, session_id)
        return build_data([encode_branch(session_id, branch) for branch in story_branches])

    @router.delete("/sessions/{id}/branches/{branch_id}", summary="Delete a branch")
    async def delete_branch(
        id: str,  # noqa: A002
        branch_id: str,
        account_id: CurrentAccount,
    ) -> Response:
        await branches.delete_branch(
            engine.database, account_id, ids.parse_session_id(id), name=branch_id
        )
        return build_data({"branch_id": branch_id, "deleted": True})

    @router.post(
        "/floors/{id}/branch",
        status_code=201,
        summary="Fork after a floor",
        openapi_extra=describe_body(ForkBody),
    )
    async def fork(request: Request, id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        body = await read_optional_body(ForkBody, request, limit=BODY_LIMIT)
        turn_id = ids.parse_turn_id(id)
        session_id, branch = await branches.fork_branch(
            engine.database, account_id, turn_id, name=body.branch_id
        )
        return build_data(encode_branch(session_id, branch), status=201)


def _add_floors(router: APIRouter, engine: Engine) -> None:
    @router.get("/floors", summary="The live floors of a story")
    async def show_floors(
        account_id: CurrentAccount,
        session_id: str,
        *,
        branch_id: str | None = None,
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
    ) -> Response:
        turns, total = await timeline.read_turns(
            engine.database,
            account_id,
            ids.parse_session_id(session_id),
            branch=branch_id,
            limit=limit,
            offset=offset,
        )
        page = ListPage(limit, offset, "floor_no", "asc")
        return build_list([encode_floor(turn) for turn in turns], total=total, page=page)

    @router.get("/floors/{id}", summary="One floor, also one that was replaced")
    async def show_floor(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return build_data(
            encode_floor(
                await timeline.read_turn(engine.database, account_id, ids.parse_turn_id(id))
            )
        )


def _add_pages(router: APIRouter, engine: Engine) -> None:
    @router.patch("/pages/{id}/activate", summary="Choose an alternate")
    async def activate(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        message = await branches.activate_version(
            engine.database, account_id, ids.parse_message_id(id)
        )
        return build_data(encode_page(message.version))


def _add_messages(router: APIRouter, engine: Engine) -> None:
    described = describe_body(BatchHideBody)

    @router.post("/messages/batch/visibility", summary="Hide or show many", openapi_extra=described)
    @router.patch(
        "/messages/batch/visibility", summary="Hide or show many", openapi_extra=described
    )
    async def hide_many(account_id: CurrentAccount, body: _BatchHide) -> Response:
        uuids = (ids.parse_uuid(text) for text in body.ids)
        message_ids = [MessageId(each) for each in uuids if each is not None]
        done = await branches.hide_messages(
            engine.database, account_id, message_ids, hidden=body.is_hidden
        )
        return build_data(encode_batch(body.ids, done, action="updated"))

    @router.get("/messages/{id}", summary="One message")
    async def show_message(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        message = await timeline.read_message(engine.database, account_id, ids.parse_message_id(id))
        return build_data(encode_message(message.version))

    @router.patch(
        "/messages/{id}",
        summary="Change the text of a message, keep it out of prompts, or let it in",
        openapi_extra=describe_body(ChangeMessageBody),
    )
    async def change(id: str, account_id: CurrentAccount, body: _Change) -> Response:  # noqa: A002
        message_id = ids.parse_message_id(id)
        if body.content is not None:
            message = await edit_message(
                engine.database,
                account_id,
                message_id,
                content=body.content,
                expected=body.expected_content,
            )
        else:
            message = await branches.hide_message(
                engine.database, account_id, message_id, hidden=bool(body.is_hidden)
            )
        return build_data(encode_message(message.version))
