"""Deleting a session, its history, and the board of a divination."""

from collections.abc import AsyncGenerator, Sequence
from datetime import date
from functools import partial
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Query, Request, Response

from yarrow.accounts.preferences import find_zone, read_preferences
from yarrow.accounts.profile import show_profile
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.signed_access import AccessSigner
from yarrow.http.streaming import JsonStream
from yarrow.ids import AccountId
from yarrow.protocols.agui.attachments.urls import AttachmentUrlBuilder
from yarrow.protocols.agui.openapi import UUID_FORMAT, ThreadIdPath, make_router
from yarrow.protocols.agui.runs.intake import parse_thread_id
from yarrow.protocols.agui.sessions import encode
from yarrow.protocols.agui.sessions.wire import HistoryResponse
from yarrow.runs.delete_session import delete_session
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.sessions.read import (
    read_day,
    read_latest_answers,
    read_own_answers,
    read_own_messages,
)

SHORT_PIECES = 3
"""Pieces of a history whose messages are one batch."""
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
                limit = parse_day(before) if before is not None else None
                profile = await show_profile(database, account_id)
                zone = find_zone(read_preferences(profile.settings).timezone) or ZoneInfo("UTC")
                day = await read_day(
                    database,
                    account_id,
                    session_id,
                    partial(encode.encode_day_messages, sign_url=sign_url),
                    before=limit,
                    zone=zone,
                )
                pieces = encode.encode_day(day)
            case (None | "history_session_full", id_, None) if id_ is not None:
                encode_batch = partial(encode.encode_messages, sign_url=sign_url)
                batches = await read_own_messages(database, account_id, id_, encode_batch)
                pieces = encode.encode_session(id_, batches)
            case (None | "history_sessions_latest_assistant", None, None):
                page = await read_latest_answers(
                    database,
                    account_id,
                    limit=session_limit,
                    offset=session_offset,
                    after=None if session_after is None else parse_thread_id(session_after),
                )
                pieces = encode.encode_latest(page, sign_url)
            case _:
                raise InvalidInput("scope does not go with threadId and before", field="scope")
        return _build_response(pieces)


def _build_response(pieces: Sequence[bytes]) -> Response:
    """Send a long history piece by piece: joining its megabytes would block the event loop."""
    if len(pieces) <= SHORT_PIECES:
        return Response(b"".join(pieces), media_type="application/json")
    return JsonStream(_iterate_pieces(pieces))


async def _iterate_pieces(pieces: Sequence[bytes]) -> AsyncGenerator[bytes, None]:
    for piece in pieces:
        yield piece


def parse_day(text: str) -> date:
    """`YYYY-MM-DD` only: Python's parser accepts week dates as well."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise InvalidInput("before must be a date in the form YYYY-MM-DD", field="before")
    return day
