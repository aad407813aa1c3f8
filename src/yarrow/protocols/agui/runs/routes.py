"""Submitting and following runs: the hot paths, called without FastAPI's machinery."""

from collections.abc import AsyncGenerator

from fastapi import APIRouter, Depends, Request, Response

from yarrow.errors import InvalidInput
from yarrow.http.auth import current_account
from yarrow.http.body import parse_json, read_body, validate
from yarrow.http.openapi import describe_body
from yarrow.http.problem import describe_problems, make_problem_renderer
from yarrow.http.request_id import current_request_id
from yarrow.http.route_classes import make_bare_route_class
from yarrow.http.streaming import PING, SSE_TYPE, EventStream, read_last_event_id
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.protocols.agui.attachments.urls import AttachmentUrlBuilder, AttachmentUrls
from yarrow.protocols.agui.errors import FAULTS
from yarrow.protocols.agui.runs.encode import Encoder, Profile
from yarrow.protocols.agui.runs.intake import (
    BODY_BYTES,
    HISTORY_BODY_BYTES,
    SIZE_RULE,
    Asking,
    run_key,
    seed_request,
    stock_request,
    thread_id,
)
from yarrow.protocols.agui.runs.resume import prelude, without_end
from yarrow.protocols.agui.runs.wire import RunAgentInput, TaskAcceptedResponse
from yarrow.runs.accept import accept
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.runs.follow import follow, read_own_run
from yarrow.runs.model import AcceptedRun, RunRef
from yarrow.sessions.read import read_own_messages


def run_routes(engine: Engine, executions: Executions, links: AttachmentUrlBuilder) -> APIRouter:
    """`POST /agent/runs`, the same with a named agent, and `GET …/events`."""
    router = APIRouter(
        prefix="/api/v1",
        tags=["agent"],
        route_class=make_bare_route_class(make_problem_renderer(FAULTS)),
        responses=describe_problems(list(FAULTS.values())),
        dependencies=[Depends(current_account)],
    )
    _add_submit(router, engine, executions, links)
    _add_events(router, engine, links)
    return router


def _add_submit(
    router: APIRouter, engine: Engine, executions: Executions, links: AttachmentUrlBuilder
) -> None:
    described: JsonObject = {
        "response_model": TaskAcceptedResponse,
        "status_code": 202,
        "responses": {200: _STREAMED},
    }

    async def submit(request: Request, agent: str) -> Response:
        account_id = await current_account(request)
        streaming = SSE_TYPE in request.headers.get("accept", "")
        limit = HISTORY_BODY_BYTES if streaming else BODY_BYTES
        raw = parse_json(await read_body(request, limit=limit, rule=SIZE_RULE))
        intake = stock_request if streaming else seed_request
        asking = Asking(
            account_id,
            current_request_id() or "",
            agent,
            path_of=lambda url: links.for_request(request).find_path(url),
        )
        wanted = intake(validate(RunAgentInput, raw), raw, asking)
        run = await accept(engine, executions, wanted)
        if streaming:
            return EventStream(_frames(engine, run.ref, Profile.AGUI, after=0))
        return Response(encode_json(_accepted(run)), 202, media_type="application/json")

    @router.post(
        "/agent/runs",
        summary="Submit a run",
        openapi_extra=describe_body(RunAgentInput),
        **described,
    )
    async def submit_run(request: Request) -> Response:
        return await submit(request, "")

    @router.post(
        "/agents/{agent}/runs",
        summary="Submit a run to a named agent",
        openapi_extra=describe_body(RunAgentInput) | {"parameters": [_parameter("agent", "path")]},
        **described,
    )
    async def submit_named(request: Request) -> Response:
        return await submit(request, request.path_params["agent"])


def _accepted(run: AcceptedRun) -> dict[str, str]:
    return {
        "taskId": str(run.ref.id),
        "threadId": str(run.ref.session_id),
        "runId": run.ref.key,
        "created": run.created_at.isoformat(),
    }


def _add_events(router: APIRouter, engine: Engine, links: AttachmentUrlBuilder) -> None:
    @router.get(
        "/agent/runs/{threadId}/events",
        summary="Follow a run",
        status_code=200,
        response_class=EventStream,
        responses={200: _STREAMED},
        openapi_extra={
            "parameters": [
                _parameter("threadId", "path", format="uuid"),
                _parameter("runId", "query", maxLength=128),
                _parameter("profile", "query", enum=[profile.value for profile in Profile]),
                _parameter("lastEventId", "query", pattern="^[0-9]{1,18}$"),
                _parameter("Last-Event-ID", "header", pattern="^[0-9]{1,18}$"),
            ]
        },
    )
    async def events(request: Request) -> Response:
        account_id = await current_account(request)
        session_id = thread_id(request.path_params["threadId"])
        profile = _profile(request.query_params.get("profile"))
        after = read_last_event_id(request)
        given = request.query_params.get("runId")
        key = run_key(given) if given is not None else None
        row = await read_own_run(engine, account_id, session_id=session_id, key=key)
        if after and profile is Profile.AGUI:
            return EventStream(_joined(engine, row.ref, account_id, links.for_request(request)))
        return EventStream(_frames(engine, row.ref, profile, after=after))


def _profile(given: str | None) -> Profile:
    try:
        return Profile(given or Profile.SEED)
    except ValueError:
        raise InvalidInput("profile must be seed or agui", field="profile") from None


async def _frames(
    engine: Engine, run: RunRef, profile: Profile, *, after: int
) -> AsyncGenerator[bytes, None]:
    encoder = Encoder(run, profile)
    async for batch in follow(engine, run.id, after=after):
        yield encoder.batch(batch) if batch else PING


async def _joined(
    engine: Engine, run: RunRef, account_id: AccountId, links: AttachmentUrls
) -> AsyncGenerator[bytes, None]:
    """Where the client left off does not matter: it is brought to where the run is now."""
    history = await read_own_messages(engine.database, account_id, run.session_id)
    encoder = Encoder(run, Profile.AGUI)
    joined = False
    async for batch in follow(engine, run.id, after=0):
        if not batch:
            yield PING
        elif joined:
            yield encoder.batch(batch)
        else:
            joined = True
            past = without_end(batch)
            start = prelude(encoder, run.key, past, history, url_of=links.sign) if past else b""
            yield start + encoder.batch(batch[len(past) :])


_STREAMED: JsonObject = {
    "description": "The run's events",
    "content": {SSE_TYPE: {"schema": {"type": "string"}}},
}


def _parameter(name: str, place: str, **schema: object) -> JsonObject:
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "schema": {"type": "string", **schema},
    }
