"""Cancel, delete and history: parse, call one verb, encode."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.problem import describe_problems, make_problem_renderer
from yarrow.http.route_classes import make_route_class
from yarrow.kit.json import JsonObject
from yarrow.protocols.agui.attachments.urls import AttachmentUrlBuilder
from yarrow.protocols.agui.errors import FAULTS
from yarrow.protocols.agui.runs.intake import run_key, thread_id
from yarrow.protocols.agui.runs.wire import CancelResponse
from yarrow.protocols.agui.sessions import history
from yarrow.protocols.agui.sessions.board import board_svg
from yarrow.protocols.agui.sessions.wire import HistoryResponse
from yarrow.runs.cancel import cancel, delete_session
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions

UUID_FORMAT: JsonObject = {"format": "uuid"}
ThreadId = Annotated[str, Path(json_schema_extra=UUID_FORMAT)]
MAX_OFFSET = 2**31 - 1


def session_routes(
    engine: Engine, executions: Executions, links: AttachmentUrlBuilder
) -> APIRouter:
    """The routes beside `run_routes.py`."""
    router = APIRouter(
        prefix="/api/v1",
        tags=["agent"],
        route_class=make_route_class(make_problem_renderer(FAULTS)),
        responses=describe_problems(list(FAULTS.values())),
    )
    _add_cancel(router, engine, executions)
    _add_board(router, engine)
    _add_history(router, engine, links)
    return router


def _add_cancel(router: APIRouter, engine: Engine, executions: Executions) -> None:
    @router.post("/agent/runs/{threadId}/cancel", summary="Cancel a run")
    async def cancel_run(
        threadId: ThreadId,  # noqa: N803
        runId: Annotated[str, Query(json_schema_extra={"minLength": 1, "maxLength": 128})],  # noqa: N803
        account_id: CurrentAccount,
    ) -> CancelResponse:
        session_id, key = thread_id(threadId), run_key(runId)
        accepted = await cancel(engine, executions, account_id, session_id=session_id, key=key)
        return CancelResponse(threadId=str(session_id), runId=key, accepted=accepted)

    @router.delete("/agent/sessions/{threadId}", status_code=204, summary="Delete a session")
    async def delete(threadId: ThreadId, account_id: CurrentAccount) -> None:  # noqa: N803
        await delete_session(engine, executions, account_id, thread_id(threadId))


def _add_board(router: APIRouter, engine: Engine) -> None:
    @router.get(
        "/agent/sessions/{threadId}/board.svg",
        summary="The board of a divination",
        response_class=Response,
        responses={200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
    )
    async def board(threadId: str, account_id: CurrentAccount) -> Response:  # noqa: N803
        picture = await board_svg(engine.database, account_id, thread_id(threadId))
        return Response(picture, media_type="image/svg+xml")


def _add_history(router: APIRouter, engine: Engine, links: AttachmentUrlBuilder) -> None:
    @router.get("/agent/history", summary="What was said")
    async def read_history(
        request: Request,
        account_id: CurrentAccount,
        *,
        threadId: Annotated[str | None, Query(json_schema_extra=UUID_FORMAT)] = None,  # noqa: N803
        before: Annotated[str | None, Query(json_schema_extra={"format": "date"})] = None,
        scope: str | None = None,
        session_limit: Annotated[int, Query(ge=1, le=100)] = 20,
        session_offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
    ) -> HistoryResponse:
        session_id = thread_id(threadId) if threadId is not None else None
        url_of = links.for_request(request).sign
        match scope, session_id, before:
            case ("history_day", _, _) | (None, _, str()):
                day = history.parse_day(before) if before else None
                return await history.day_history(
                    engine.database, account_id, session_id=session_id, before=day, url_of=url_of
                )
            case (None | "history_session_full", sid, None) if sid is not None:
                return await history.session_history(
                    engine.database, account_id, sid, url_of=url_of
                )
            case (None | "history_sessions_latest_assistant", None, None):
                return await history.latest_history(
                    engine.database,
                    account_id,
                    limit=session_limit,
                    offset=session_offset,
                    url_of=url_of,
                )
            case _:
                raise InvalidInput("scope does not go with threadId and before", field="scope")
