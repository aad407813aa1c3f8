"""AG-UI routes: parse, call one verb, encode."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import body_schema, parse_json, read_body, validate
from yarrow.http.problem import problem_renderer, problem_responses, routes_with
from yarrow.http.request_id import current_request_id
from yarrow.http.streaming import PING, event_stream, last_event_id
from yarrow.ids import AccountId
from yarrow.json_values import encode_json
from yarrow.protocols.agui import history
from yarrow.protocols.agui.encode import Encoder, Profile
from yarrow.protocols.agui.errors import FAULTS
from yarrow.protocols.agui.intake import (
    BODY_BYTES,
    HISTORY_BODY_BYTES,
    SIZE_RULE,
    seed_request,
    stock_request,
    thread_id,
)
from yarrow.protocols.agui.prelude import prelude, split_at
from yarrow.protocols.agui.wire import (
    CancelResponse,
    HistoryResponse,
    RunAgentInput,
    TaskAcceptedResponse,
)
from yarrow.runs.accept import accept
from yarrow.runs.cancel import cancel, delete_session
from yarrow.runs.engine import Engine
from yarrow.runs.follow import FoundRun, find_own_run, follow, own_history
from yarrow.runs.model import AcceptedRun
from yarrow.runs.slots import Slots

STREAM = "text/event-stream"


def agui_routes(engine: Engine, slots: Slots) -> APIRouter:
    """The routes of seeds 000 and 002."""
    router = APIRouter(
        prefix="/api/v1",
        tags=["agent"],
        route_class=routes_with(problem_renderer(FAULTS)),
        responses=problem_responses(list(FAULTS.values())),
    )
    _add_runs(router, engine, slots)
    _add_events(router, engine)
    _add_cancel(router, engine, slots)
    _add_history(router, engine)
    return router


def _add_runs(router: APIRouter, engine: Engine, slots: Slots) -> None:
    async def submit(request: Request, account_id: AccountId, agent: str) -> Response:
        streaming = STREAM in request.headers.get("accept", "")
        limit = HISTORY_BODY_BYTES if streaming else BODY_BYTES
        raw = parse_json(await read_body(request, limit=limit, rule=SIZE_RULE))
        intake = stock_request if streaming else seed_request
        wanted = intake(
            validate(RunAgentInput, raw),
            raw,
            account_id=account_id,
            request_id=current_request_id() or "",
            agent=agent,
        )
        run = await accept(engine, slots, wanted)
        if streaming:
            found = FoundRun(run.id, run.session_id, run.key)
            return event_stream(_frames(engine, found, Profile.AGUI, after=0))
        return Response(encode_json(_accepted(run)), 202, media_type="application/json")

    described: dict[str, Any] = {
        "response_model": TaskAcceptedResponse,
        "status_code": 202,
        "openapi_extra": body_schema(RunAgentInput),
        "responses": {200: {"content": {STREAM: {}}, "description": "The run's events"}},
    }

    @router.post("/agent/runs", summary="Submit a run", **described)
    async def submit_run(request: Request, account_id: CurrentAccount) -> Response:
        return await submit(request, account_id, "")

    @router.post("/agents/{agent}/runs", summary="Submit a run to a named agent", **described)
    async def submit_named(request: Request, account_id: CurrentAccount, agent: str) -> Response:
        return await submit(request, account_id, agent)


def _accepted(run: AcceptedRun) -> dict[str, str]:
    return {
        "taskId": str(run.id),
        "threadId": str(run.session_id),
        "runId": run.key,
        "created": run.created_at.isoformat(),
    }


def _add_events(router: APIRouter, engine: Engine) -> None:
    @router.get(
        "/agent/runs/{threadId}/events",
        summary="Follow a run",
        response_class=StreamingResponse,
        responses={200: {"content": {STREAM: {}}, "description": "The run's events"}},
    )
    async def events(
        request: Request,
        threadId: str,  # noqa: N803
        account_id: CurrentAccount,
        runId: str | None = None,  # noqa: N803
        profile: Profile = Profile.SEED,
    ) -> StreamingResponse:
        session_id = thread_id(threadId)
        after = last_event_id(request)
        run = await find_own_run(engine, account_id, session_id=session_id, key=runId)
        if after and profile is Profile.AGUI:
            return event_stream(_joined(engine, run, account_id, after=after))
        return event_stream(_frames(engine, run, profile, after=after))


async def _frames(
    engine: Engine, run: FoundRun, profile: Profile, *, after: int
) -> AsyncIterator[bytes]:
    encoder = Encoder(run, profile)
    async for batch in follow(engine, run.id, after=after):
        yield encoder.batch(batch) if batch else PING


async def _joined(
    engine: Engine, run: FoundRun, account_id: AccountId, *, after: int
) -> AsyncIterator[bytes]:
    seen = split_at(await engine.journal.so_far(run.id), after)
    past = await own_history(engine, account_id, run.session_id)
    encoder = Encoder(run, Profile.AGUI)
    yield prelude(encoder, seen, past)
    async for batch in follow(engine, run.id, after=seen[-1].seq if seen else 0):
        yield encoder.batch(batch) if batch else PING


def _add_cancel(router: APIRouter, engine: Engine, slots: Slots) -> None:
    @router.post("/agent/runs/{threadId}/cancel", summary="Cancel a run")
    async def cancel_run(
        threadId: str,  # noqa: N803
        runId: Annotated[str, Query(min_length=1)],  # noqa: N803
        account_id: CurrentAccount,
    ) -> CancelResponse:
        session_id = thread_id(threadId)
        accepted = await cancel(engine, slots, account_id, session_id=session_id, key=runId)
        return CancelResponse(threadId=str(session_id), runId=runId, accepted=accepted)

    @router.delete("/agent/sessions/{threadId}", status_code=204, summary="Delete a session")
    async def delete(threadId: str, account_id: CurrentAccount) -> None:  # noqa: N803
        await delete_session(engine, slots, account_id, thread_id(threadId))


def _add_history(router: APIRouter, engine: Engine) -> None:
    @router.get("/agent/history", summary="What was said")
    async def read_history(
        account_id: CurrentAccount,
        threadId: str | None = None,  # noqa: N803
        before: str | None = None,
        scope: str | None = None,
        session_limit: Annotated[int, Query(ge=1, le=100)] = 20,
        session_offset: Annotated[int, Query(ge=0)] = 0,
    ) -> HistoryResponse:
        session_id = thread_id(threadId) if threadId is not None else None
        match scope, session_id, before:
            case ("history_day", _, _) | (None, _, str()):
                day = history.parse_day(before) if before else None
                return await history.day_history(
                    engine, account_id, session_id=session_id, before=day
                )
            case (None | "history_session_full", sid, None) if sid is not None:
                return await history.session_history(engine, account_id, sid)
            case (None | "history_sessions_latest_assistant", None, None):
                return await history.latest_history(
                    engine, account_id, limit=session_limit, offset=session_offset
                )
            case _:
                raise InvalidInput("scope does not go with threadId and before", field="scope")
