"""The four streams, and attaching to one again."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from yarrow.errors import InvalidInput
from yarrow.http.auth import current_account
from yarrow.http.body import parse_json, read_body, validate
from yarrow.http.openapi import describe_body
from yarrow.http.request_id import current_request_id
from yarrow.http.route_classes import make_bare_route_class
from yarrow.http.streaming import LineStream
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.protocols.ndjson.errors import render_preflight
from yarrow.protocols.ndjson.openapi import answers
from yarrow.protocols.ndjson.requests import read_language, read_workspace, require_json
from yarrow.protocols.ndjson.streams import wire
from yarrow.protocols.ndjson.streams.checkpoint import Checkpoints, Pause
from yarrow.protocols.ndjson.streams.encode import (
    BUILDING_CONTEXT,
    CallWord,
    LineEncoder,
    line,
    progress,
)
from yarrow.protocols.ndjson.streams.intake import (
    Asking,
    data_agent_request,
    loading_request,
    questions_request,
    report_request,
    rows_given,
    with_rows,
)
from yarrow.runs.accept import accept
from yarrow.runs.cancel import apply_disconnect_policy
from yarrow.runs.engine import Engine
from yarrow.runs.errors import RunNotFound
from yarrow.runs.executions import Executions
from yarrow.runs.follow import follow, read_own_run
from yarrow.runs.model import DisconnectPolicy, RunRef, RunRequest
from yarrow.tables.inline_rows import put_down_rows
from yarrow.tables.model import Shelf

BODY_LIMIT = 50 * 1024 * 1024
CONTINUE = "continue"
"""`?on_disconnect=continue`: the run goes on when its client leaves; otherwise it is stopped."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One of the four: its path, its agent, its body, and its word for a tool call."""

    path: str
    agent: str
    body: type[BaseModel]
    intake: Callable[..., RunRequest]
    summary: str
    call_word: CallWord = CallWord.TOOL_START


STREAMS = (
    Stream(
        "data-agent-streaming",
        "analyst",
        wire.DataAgentBody,
        data_agent_request,
        "Ask about tables",
    ),
    Stream(
        "get-recommendation-questions",
        "analyst-questions",
        wire.QuestionsBody,
        questions_request,
        "Suggest what to ask next",
    ),
    Stream(
        "generate-report-chat",
        "analyst-report",
        wire.ReportBody,
        report_request,
        "Write a report",
    ),
    Stream(
        "data-loading-chat",
        "analyst-loader",
        wire.LoadingBody,
        loading_request,
        "Talk about loading data",
        call_word=CallWord.TOOL_CALL,
    ),
)


def stream_routes(
    engine: Engine, executions: Executions, *, shelf: Shelf, checkpoints: Checkpoints
) -> APIRouter:
    """`POST /api/agent/…` for each stream, and `GET …/runs/{session_id}` to attach again."""
    router = APIRouter(
        prefix="/api/agent",
        tags=["analyst"],
        route_class=make_bare_route_class(render_preflight),
        dependencies=[Depends(current_account)],
    )
    opening = _Opening(engine, executions, shelf, checkpoints)
    for stream in STREAMS:
        _add_stream(router, stream, opening)
    router.get(
        "/runs/{session_id}",
        summary="Attach to a stream again",
        responses=answers("application/x-ndjson"),
        response_class=LineStream,
        status_code=200,
        openapi_extra={
            "parameters": [
                {"name": "session_id", "in": "path", "required": True, "schema": _UUID},
                {"name": "run_id", "in": "query", "schema": {"type": "string"}},
            ]
        },
    )(opening.attach)
    return router


def _add_stream(router: APIRouter, stream: Stream, opening: "_Opening") -> None:
    async def answer(request: Request) -> Response:
        return await opening.answer(request, stream)

    leaving = {"type": "string", "enum": [CONTINUE]}
    router.post(
        f"/{stream.path}",
        summary=stream.summary,
        name=stream.path,
        openapi_extra={
            **describe_body(stream.body),
            "parameters": [{"name": "on_disconnect", "in": "query", "schema": leaving}],
        },
        responses=answers("application/x-ndjson"),
        response_class=LineStream,
        status_code=200,
    )(answer)


@dataclass(frozen=True, slots=True)
class _Opening:
    """Checks a request before anything is sent, then lets its lines flow."""

    engine: Engine
    executions: Executions
    shelf: Shelf
    checkpoints: Checkpoints

    async def answer(self, request: Request, stream: Stream) -> Response:
        account_id = await current_account(request)
        body = validate(stream.body, await read_json_object(request))
        asking = self._asking(request, account_id)
        wanted = stream.intake(body, asking)
        if isinstance(body, wire.AskBody):
            files = await put_down_rows(self.shelf, account_id, rows_given(body))
            wanted = with_rows(wanted, files)
        if request.query_params.get("on_disconnect") != CONTINUE:
            wanted = replace(wanted, on_disconnect=DisconnectPolicy.CANCEL)
        run = (await accept(self.engine, self.executions, wanted)).ref
        lines = self._lines(run, self._encoder(stream, account_id, run))
        return LineStream(self._cancelling(lines, run, wanted))

    async def attach(self, request: Request) -> Response:
        """A run's lines from the beginning, live if it still goes; leaving stops nothing."""
        account_id = await current_account(request)
        session_id = _session_id(request)
        key = request.query_params.get("run_id")
        row = await read_own_run(self.engine, account_id, session_id=session_id, key=key)
        stream = next((stream for stream in STREAMS if stream.agent == row.agent), None)
        if stream is None:
            raise RunNotFound(row.ref.key)
        return LineStream(self._lines(row.ref, self._encoder(stream, account_id, row.ref)))

    def _encoder(self, stream: Stream, account_id: AccountId, run: RunRef) -> LineEncoder:
        trajectory = self.checkpoints.trajectory(account_id, Pause(run.session_id, run.key))
        return LineEncoder(stream.call_word, trajectory)

    def _asking(self, request: Request, account_id: AccountId) -> Asking:
        return Asking(
            account_id=account_id,
            workspace=read_workspace(request, account_id).name,
            language=read_language(request),
            request_id=current_request_id() or "",
            new_id=self.engine.new_id,
            client_models=self.engine.client_models,
            server_model=self.engine.model.name,
            checkpoints=self.checkpoints,
        )

    async def _lines(self, run: RunRef, encoder: LineEncoder) -> AsyncGenerator[bytes, None]:
        """The first line at once; then the run's events, and a sign of life in long silences."""
        began = progress(BUILDING_CONTEXT, run_id=run.key, session_id=str(run.session_id))
        yield line(began)
        async for batch in follow(self.engine, run.id, after=0):
            if not batch:
                yield line(progress("waiting"))
            elif lines := encoder.batch(batch):
                yield lines

    async def _cancelling(
        self, lines: AsyncGenerator[bytes, None], run: RunRef, wanted: RunRequest
    ) -> AsyncGenerator[bytes, None]:
        async with (
            apply_disconnect_policy(
                self.engine, self.executions, wanted.account_id, run, wanted.on_disconnect
            ),
            aclosing(lines),
        ):
            async for piece in lines:
                yield piece


def _session_id(request: Request) -> SessionId:
    try:
        return SessionId(UUID(request.path_params["session_id"]))
    except ValueError:
        raise InvalidInput("session_id must be a UUID", field="session_id") from None


async def read_json_object(request: Request) -> JsonObject:
    """The body; its content type must be JSON, and its value an object."""
    require_json(request)
    value = parse_json(await read_body(request, limit=BODY_LIMIT))
    if not isinstance(value, dict):
        raise InvalidInput("body must be a JSON object")
    return value


_UUID: JsonObject = {"type": "string", "format": "uuid"}
