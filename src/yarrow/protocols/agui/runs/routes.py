"""Submitting, following and cancelling runs. Submit and follow are hot paths: bare routes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from msgspec import Struct

from yarrow.agents.assistant.agent import Assistant
from yarrow.agents.storyteller.agent import STORYTELLER
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount, current_account
from yarrow.http.body import parse_body, read_body, validate_model
from yarrow.http.middleware import current_request_id
from yarrow.http.openapi import OpenApiPart, describe_body
from yarrow.http.signed_access import AccessSigner
from yarrow.http.streaming import PING, SSE_TYPE, EventStream, read_last_event_id
from yarrow.ids import AccountId
from yarrow.kit.json import encode_json
from yarrow.protocols.agui.attachments.urls import AttachmentUrlBuilder, AttachmentUrls
from yarrow.protocols.agui.openapi import (
    EVENT_STREAM,
    ThreadIdPath,
    describe_parameter,
    make_bare_router,
    make_router,
)
from yarrow.protocols.agui.runs.encode import EventEncoder, StreamFormat, encode_accepted
from yarrow.protocols.agui.runs.intake import (
    RequestContext,
    build_seed_request,
    build_stock_request,
    find_repeated_message,
    parse_run_key,
    parse_thread_id,
    to_story_request,
)
from yarrow.protocols.agui.runs.limits import (
    BODY_BYTES,
    CONTAINERS,
    HISTORY_BODY_BYTES,
    RUN_ID_CHARS,
    SIZE_RULE,
)
from yarrow.protocols.agui.runs.resume_snapshot import drop_terminal, encode_state
from yarrow.protocols.agui.runs.wire import CancelResponse, RunAgentInput, TaskAcceptedResponse
from yarrow.runs.accept import accept, find_accepted
from yarrow.runs.cancel import cancel
from yarrow.runs.disconnect import cancel_when_closed
from yarrow.runs.engine import Engine
from yarrow.runs.errors import StoryMismatch
from yarrow.runs.executions import Executions
from yarrow.runs.model import AcceptedRun, DisconnectPolicy, RunRef, RunRequest, RunRow
from yarrow.runs.read import find_own_run
from yarrow.sessions.read import read_own_messages_up_to
from yarrow.stories.replaced_turns import find_input_turn


def make_run_router(
    engine: Engine, executions: Executions, urls: AttachmentUrlBuilder, access: AccessSigner
) -> APIRouter:
    """`POST /agent/runs`, the same with a named agent, and `GET …/events`."""
    router = make_bare_router("agent")
    _add_submit(router, engine, executions, urls)
    _add_events(router, engine, executions, urls=urls, access=access)
    return router


def make_cancel_router(engine: Engine, executions: Executions) -> APIRouter:
    """`POST /agent/runs/{threadId}/cancel`."""
    router = make_router("agent")

    @router.post("/agent/runs/{threadId}/cancel", summary="Cancel a run")
    async def cancel_run(
        threadId: ThreadIdPath,  # noqa: N803
        runId: Annotated[str, Query(json_schema_extra={"minLength": 1, "maxLength": RUN_ID_CHARS})],  # noqa: N803
        account_id: CurrentAccount,
    ) -> CancelResponse:
        session_id, key = parse_thread_id(threadId), parse_run_key(runId)
        accepted = await cancel(engine, executions, account_id, session_id=session_id, key=key)
        return CancelResponse(threadId=str(session_id), runId=key, accepted=accepted)

    return router


def _add_submit(
    router: APIRouter, engine: Engine, executions: Executions, urls: AttachmentUrlBuilder
) -> None:
    responses: OpenApiPart = {
        "response_model": TaskAcceptedResponse,
        "status_code": 202,
        "responses": {200: EVENT_STREAM},
    }

    async def submit(request: Request, agent: str) -> Response:
        account_id = await current_account(request)
        streams = SSE_TYPE in request.headers.get("accept", "")
        limit = HISTORY_BODY_BYTES if streams else BODY_BYTES
        data = await read_body(request, limit=limit, rule=SIZE_RULE)
        raw = await parse_body(data, max_containers=CONTAINERS)
        build_request = build_stock_request if streams else build_seed_request
        context = RequestContext(
            account_id,
            current_request_id() or "",
            agent,
            find_path=lambda url: urls.for_request(request).find_path(url),
        )
        run_request = build_request(validate_model(RunAgentInput, raw), raw, context)
        run = await _accept_run(engine, executions, run_request, is_named=bool(agent))
        if streams:
            frames = _stream_events(engine, run.ref, StreamFormat.AGUI, after=0)
            stream = FollowedStream(account_id, run.ref, run_request.input.on_disconnect)
            return stream.respond(engine, executions, frames)
        return Response(encode_json(encode_accepted(run)), 202, media_type="application/json")

    @router.post(
        "/agent/runs",
        summary="Submit a run",
        openapi_extra=describe_body(RunAgentInput),
        **responses,
    )
    async def submit_run(request: Request) -> Response:
        return await submit(request, "")

    @router.post(
        "/agents/{agent}/runs",
        summary="Submit a run to a named agent",
        openapi_extra=describe_body(RunAgentInput)
        | {"parameters": [describe_parameter("agent", "path")]},
        **responses,
    )
    async def submit_named(request: Request) -> Response:
        return await submit(request, request.path_params["agent"])


async def _accept_run(
    engine: Engine, executions: Executions, run_request: RunRequest, *, is_named: bool
) -> AcceptedRun:
    """Accept a run. In a story it is the storyteller's, unless the client named another agent."""
    if run_request.agent == STORYTELLER:
        return await _accept_turn(engine, executions, run_request)
    try:
        return await accept(engine, executions, run_request)
    except StoryMismatch:
        if is_named or run_request.agent != Assistant.spec.name:
            raise
    return await _accept_turn(engine, executions, run_request)


async def _accept_turn(
    engine: Engine, executions: Executions, run_request: RunRequest
) -> AcceptedRun:
    """Accept a turn of a story. A message that was sent before replaces its turn."""
    replaced = None
    if message_id := find_repeated_message(run_request):
        if accepted := await find_accepted(engine, run_request):
            return accepted
        replaced = await find_input_turn(
            engine.database, run_request.account_id, run_request.session_id, message_id
        )
    return await accept(engine, executions, to_story_request(run_request, replaced))


def _add_events(
    router: APIRouter,
    engine: Engine,
    executions: Executions,
    *,
    urls: AttachmentUrlBuilder,
    access: AccessSigner,
) -> None:
    @router.get(
        "/agent/runs/{threadId}/events",
        summary="Follow a run",
        status_code=200,
        response_class=EventStream,
        responses={200: EVENT_STREAM},
        openapi_extra={"parameters": _EVENTS_PARAMETERS},
    )
    async def events(request: Request) -> Response:
        account_id = await access.identify(request)
        session_id = parse_thread_id(request.path_params["threadId"])
        stream_format = _parse_format(request.query_params.get("profile"))
        after = read_last_event_id(request)
        run_id = request.query_params.get("runId")
        key = parse_run_key(run_id) if run_id is not None else None
        run = await find_own_run(engine, executions, account_id, session_id=session_id, key=key)
        if after and stream_format is StreamFormat.AGUI:
            frames = _resume_events(engine, run, account_id, urls.for_request(request))
        else:
            frames = _stream_events(engine, run.ref, stream_format, after=after)
        stream = FollowedStream(account_id, run.ref, run.on_disconnect)
        return stream.respond(engine, executions, frames)


_EVENTS_PARAMETERS = [
    describe_parameter("threadId", "path", format="uuid"),
    describe_parameter("runId", "query", maxLength=RUN_ID_CHARS),
    describe_parameter("profile", "query", enum=[each.value for each in StreamFormat]),
    describe_parameter("lastEventId", "query", pattern="^[0-9]{1,18}$"),
    describe_parameter("Last-Event-ID", "header", pattern="^[0-9]{1,18}$"),
]


def _parse_format(text: str | None) -> StreamFormat:
    try:
        return StreamFormat(text or StreamFormat.SEED)
    except ValueError:
        raise InvalidInput("profile must be seed or agui", field="profile") from None


PIECE_EVENTS = 500
"""Of a replay that are encoded at once: some milliseconds, in which nobody else is answered."""


class FollowedStream(Struct, frozen=True):
    """One client's stream of a run, and what happens to the run when the last one is left."""

    account_id: AccountId
    run: RunRef
    on_disconnect: DisconnectPolicy

    def respond(
        self, engine: Engine, executions: Executions, frames: AsyncGenerator[bytes, None]
    ) -> EventStream:
        if self.on_disconnect is DisconnectPolicy.CANCEL:
            frames = cancel_when_closed(
                engine, executions, self.account_id, self.run, frames, unless_followed=True
            )
        return EventStream(frames)


async def _stream_events(
    engine: Engine, run: RunRef, stream_format: StreamFormat, *, after: int
) -> AsyncGenerator[bytes, None]:
    encoder = EventEncoder(run, stream_format, resumed=after > 0)
    journal = engine.journal
    async with aclosing(journal.follow(run.id, after=after, piece_events=PIECE_EVENTS)) as batches:
        async for batch in batches:
            yield encoder.encode_batch(batch) if batch else PING


async def _resume_events(
    engine: Engine, row: RunRow, account_id: AccountId, urls: AttachmentUrls
) -> AsyncGenerator[bytes, None]:
    """Send the run's current state, then its events. `Last-Event-ID` does not matter here: stock
    clients always start from an empty state."""
    run = row.ref
    history = await read_own_messages_up_to(
        engine.database, account_id, run.session_id, row.turn_id
    )
    encoder = EventEncoder(run, StreamFormat.AGUI)
    has_state = False
    async with aclosing(engine.journal.follow(run.id, after=0)) as batches:
        async for batch in batches:
            if not batch:
                yield PING
            elif has_state:
                yield encoder.encode_batch(batch)
            else:
                has_state = True
                past = drop_terminal(batch)
                state = b""
                if past:
                    state = encode_state(encoder, run.key, past, history, url_of=urls.sign)
                yield state + encoder.encode_batch(batch[len(past) :])
