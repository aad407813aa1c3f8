"""The sessions of all agents, their titles, and the runs with what they used."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from yarrow.activity.read import list_runs, list_sessions, search_sessions
from yarrow.errors import Forbidden, InvalidInput, NotFound, TooLarge, Unauthenticated
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.ids import BranchId, SessionId
from yarrow.protocols.account.activity import encode, wire
from yarrow.protocols.account.activity.intake import read_moment, read_words
from yarrow.protocols.account.errors import describe_account_problems
from yarrow.protocols.account.router import make_router
from yarrow.runs.engine import Engine
from yarrow.sessions.begin import begin_session
from yarrow.sessions.rename import rename_session

AGENT_MAX = 64
QUERY_MAX = 200
BODY_LIMIT = 64 * 1024

_SessionPatch = Annotated[
    wire.SessionPatchBody, Depends(make_body_reader(wire.SessionPatchBody, limit=BODY_LIMIT))
]


def make_activity_router(engine: Engine) -> APIRouter:
    router = make_router("activity")

    @router.get(
        "/sessions",
        summary="List the sessions of all agents",
        response_model_exclude_unset=True,
        responses=describe_account_problems(Unauthenticated, InvalidInput, Forbidden, NotFound),
    )
    async def show_sessions(
        account_id: CurrentAccount,
        limit: Annotated[int, Query(ge=1, le=100)] = 30,
        after: UUID | None = None,
        agent: Annotated[str | None, Query(max_length=AGENT_MAX)] = None,
    ) -> wire.SessionListOut:
        page = await list_sessions(
            engine.database,
            account_id,
            limit=limit,
            after=None if after is None else SessionId(after),
            agent=agent,
        )
        return encode.encode_sessions(page)

    @router.get(
        "/runs",
        summary="List runs with their tokens, cost and points",
        responses=describe_account_problems(Unauthenticated, InvalidInput, Forbidden, NotFound),
    )
    async def show_runs(
        account_id: CurrentAccount,
        limit: Annotated[int, Query(ge=1, le=100)] = 30,
        session: UUID | None = None,
    ) -> wire.RunListOut:
        session_id = None if session is None else SessionId(session)
        runs = await list_runs(engine.database, account_id, session_id=session_id, limit=limit)
        return encode.encode_runs(runs)

    _add_search(router, engine)
    _add_begin(router, engine)
    _add_rename(router, engine)
    return router


def _add_search(router: APIRouter, engine: Engine) -> None:
    @router.get(
        "/sessions/search",
        summary="Find sessions of all agents by words in their messages",
        responses=describe_account_problems(Unauthenticated, InvalidInput),
    )
    async def search(
        account_id: CurrentAccount,
        query: Annotated[str, Query(min_length=1, max_length=QUERY_MAX)],
        before: datetime | None = None,
        limit: Annotated[int, Query(ge=1, le=50)] = 20,
    ) -> wire.FoundSessionsOut:
        words = read_words(query)
        moment = read_moment(before)
        found = await search_sessions(
            engine.database, account_id, words, limit=limit, before=moment
        )
        return encode.encode_found(found)


def _add_begin(router: APIRouter, engine: Engine) -> None:
    @router.put(
        "/sessions/{id}",
        summary="Begin an empty session, to upload pictures for its first message",
        responses=describe_account_problems(Unauthenticated, InvalidInput, Forbidden, NotFound),
    )
    async def begin(id: UUID, account_id: CurrentAccount) -> wire.BegunSessionOut:  # noqa: A002
        branch_id = BranchId(engine.new_id())
        await begin_session(engine.database, account_id, SessionId(id), branch_id=branch_id)
        return wire.BegunSessionOut(id=id)


def _add_rename(router: APIRouter, engine: Engine) -> None:
    @router.patch(
        "/sessions/{id}",
        summary="Rename a session of any agent",
        openapi_extra=describe_body(wire.SessionPatchBody),
        responses=describe_account_problems(
            Unauthenticated, TooLarge, InvalidInput, Forbidden, NotFound
        ),
    )
    async def rename(
        id: UUID,  # noqa: A002
        account_id: CurrentAccount,
        body: _SessionPatch,
    ) -> wire.SessionTitleOut:
        title = await rename_session(engine.database, account_id, SessionId(id), body.title)
        return wire.SessionTitleOut(id=id, title=title)
