"""Deleting a session, its history, and the board of a divination."""

from collections.abc import Callable
from datetime import date
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.accounts.preferences import find_zone, read_preferences
from yarrow.accounts.profile import show_profile
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.signed_access import AccessSigner
from yarrow.ids import AccountId
from yarrow.kit.threads import in_thread_if_large
from yarrow.protocols.agui.attachments.urls import AttachmentUrlBuilder
from yarrow.protocols.agui.openapi import UUID_FORMAT, ThreadIdPath, make_router
from yarrow.protocols.agui.runs.intake import parse_thread_id
from yarrow.protocols.agui.sessions import encode
from yarrow.protocols.agui.sessions.wire import HistoryResponse
from yarrow.runs.cancel import delete_session
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.sessions.read import (
    read_day,
    read_latest_answers,
    read_own_answers,
    read_own_messages,
)

MAX_OFFSET = 2**31 - 1
SESSION_AFTER = "The last thread already read: the page begins behind it, at no cost of its depth"


def make_session_router(
    engine: Engine, executions: Executions, urls: AttachmentUrlBuilder, access: AccessSigner
) -> APIRouter:
    router = make_router("agent")
    _add_delete(router, engine, executions)
    _add_board(router, engine, access)
    _add_history(router, engine, urls)
    return router


def _add_delete(router: APIRouter, engine: Engine, executions: Executions) -> None:
    @router.delete("/agent/sessions/{threadId}", status_code=204, summary="Delete a session")
    async def delete(threadId: ThreadIdPath, account_id: CurrentAccount) -> None:  # noqa: N803
        await delete_session(engine, executions, account_id, parse_thread_id(threadId))


def _add_board(router: APIRouter, engine: Engine, access: AccessSigner) -> None:
    @router.get(
        "/agent/sessions/{threadId}/board.svg",
        summary="The board of a divination",
        response_class=Response,
        responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
        openapi_extra={"security": [{"bearer": []}]},
    )
    async def board(
        threadId: str,  # noqa: N803
        account_id: Annotated[AccountId, Depends(access.identify)],
    ) -> Response:
        session_id = parse_thread_id(threadId)
        answers = await read_own_answers(engine.database, account_id, session_id)
        profile = await show_profile(engine.database, account_id)
        svg = encode.encode_board(answers, profile.settings)
        return Response(svg, media_type="image/svg+xml")


def _add_history(router: APIRouter, engine: Engine, urls: AttachmentUrlBuilder) -> None:
    @router.get("/agent/history", summary="Read the history", response_model=HistoryResponse)
    async def read_history(
        request: Request,
        account_id: CurrentAccount,
        *,
        threadId: Annotated[str | None, Query(json_schema_extra=UUID_FORMAT)] = None,  # noqa: N803
        before: Annotated[str | None, Query(json_schema_extra={"format": "date"})] = None,
        scope: str | None = None,
        session_limit: Annotated[int, Query(ge=1, le=100)] = 20,
        session_offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
        session_after: Annotated[
            str | None, Query(json_schema_extra=UUID_FORMAT, description=SESSION_AFTER)
        ] = None,
    ) -> Response:
        database, sign_url = engine.database, urls.for_request(request).sign
        session_id = parse_thread_id(threadId) if threadId is not None else None
        match scope, session_id, before:
            case ("history_day", _, _) | (None, _, str()):
                limit = parse_day(before) if before else None
                profile = await show_profile(database, account_id)
                zone = find_zone(read_preferences(profile.settings).timezone) or ZoneInfo("UTC")
                day = await read_day(database, account_id, session_id, before=limit, zone=zone)
                count = 0 if day is None else len(day.messages)
                return await _respond(count, lambda: encode.encode_day(day, sign_url))
            case (None | "history_session_full", id_, None) if id_ is not None:
                messages = await read_own_messages(database, account_id, id_)
                return await _respond(
                    len(messages), lambda: encode.encode_session(id_, messages, sign_url)
                )
            case (None | "history_sessions_latest_assistant", None, None):
                page = await read_latest_answers(
                    database,
                    account_id,
                    limit=session_limit,
                    offset=session_offset,
                    after=None if session_after is None else parse_thread_id(session_after),
                )
                return await _respond(0, lambda: encode.encode_latest(page, sign_url))
            case _:
                raise InvalidInput("scope does not go with threadId and before", field="scope")


async def _respond(messages: int, build: Callable[[], HistoryResponse]) -> Response:
    """Encode so many messages, beside the event loop if they are many."""
    body = await in_thread_if_large(messages, lambda: encode.serialize(build()))
    return Response(body, media_type="application/json")


def parse_day(text: str) -> date:
    """`YYYY-MM-DD` only: Python's parser accepts week dates as well."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise InvalidInput("before must be a date in the form YYYY-MM-DD", field="before")
    return day
