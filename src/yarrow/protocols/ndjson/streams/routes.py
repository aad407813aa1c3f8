"""The four agent streams, and re-attaching to the stream of a run."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from itertools import count
from uuid import UUID, uuid5

from fastapi import APIRouter, Depends, Request, Response
from msgspec import Struct
from pydantic import BaseModel

from yarrow.errors import InvalidInput
from yarrow.http.auth import current_account
from yarrow.http.body import parse_body, read_body, require_json_type, validate_model
from yarrow.http.idempotency import read_key
from yarrow.http.middleware import current_request_id
from yarrow.http.openapi import describe_body
from yarrow.http.route_classes import make_bare_route_class
from yarrow.http.streaming import LineStream
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.protocols.ndjson.error_responses import refuse_stream
from yarrow.protocols.ndjson.openapi import describe_answers
from yarrow.protocols.ndjson.requests import read_language, read_workspace
from yarrow.protocols.ndjson.streams import wire
from yarrow.protocols.ndjson.streams.encode import (
    BUILDING_CONTEXT,
    LineEncoder,
    ToolCallName,
    encode_line,
    make_progress,
)
from yarrow.protocols.ndjson.streams.intake import (
    StreamContext,
    add_row_files,
    build_analyst_request,
    build_loading_request,
    build_questions_request,
    build_report_request,
    collect_inline_rows,
)
from yarrow.protocols.ndjson.streams.trajectory import ResumePoint, TrajectorySigner
from yarrow.runs.accept import accept
from yarrow.runs.disconnect import cancel_when_closed
from yarrow.runs.engine import Engine
from yarrow.runs.errors import RunNotFound
from yarrow.runs.executions import Executions
from yarrow.runs.model import DisconnectPolicy, RunRef, RunRequest
from yarrow.runs.read import read_own_run
from yarrow.tables.create import spool_rows
from yarrow.tables.model import Tables

BODY_LIMIT = 50 * 1024 * 1024
CONTINUE = "continue"
"""`?on_disconnect=continue`: the run survives its client. By default it is cancelled."""


class StreamRoute(Struct, frozen=True):
    """One of the four streams: path, agent, body, and name of the tool call event."""

    path: str
    agent: str
    body: type[BaseModel]
    build_request: Callable[..., RunRequest]
    summary: str
    call_name: ToolCallName = ToolCallName.TOOL_START


STREAMS = (
    StreamRoute(
        "data-agent-streaming",
        "analyst",
        wire.DataAgentBody,
        build_analyst_request,
        "Ask about tables",
    ),
    StreamRoute(
        "get-recommendation-questions",
        "analyst-questions",
        wire.QuestionsBody,
        build_questions_request,
        "Suggest what to ask next",
    ),
    StreamRoute(
        "generate-report-chat",
        "analyst-report",
        wire.ReportBody,
        build_report_request,
        "Write a report",
    ),
    StreamRoute(
        "data-loading-chat",
        "analyst-loader",
        wire.LoadingBody,
        build_loading_request,
        "Talk about loading data",
        call_name=ToolCallName.TOOL_CALL,
    ),
)


def make_stream_router(
    engine: Engine, executions: Executions, *, tables: Tables, signer: TrajectorySigner
) -> APIRouter:
    """`POST /api/agent/…` for each stream, and `GET …/runs/{session_id}` to re-attach."""
    router = APIRouter(
        prefix="/api/agent",
        tags=["analyst"],
        route_class=make_bare_route_class(refuse_stream),
        dependencies=[Depends(current_account)],
    )
    endpoint = StreamEndpoint(engine, executions, tables, signer)
    for stream in STREAMS:
        _add_stream(router, stream, endpoint)
    router.get(
        "/runs/{session_id}",
        summary="Attach to a stream again",
        responses=describe_answers(LineStream.media_type),
        response_class=LineStream,
        status_code=200,
        openapi_extra={"parameters": _ATTACH_PARAMETERS},
    )(endpoint.attach)
    return router


_ATTACH_PARAMETERS: list[JsonObject] = [
    {
        "name": "session_id",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "format": "uuid"},
    },
    {"name": "run_id", "in": "query", "schema": {"type": "string"}},
]
_ON_DISCONNECT: JsonObject = {
    "name": "on_disconnect",
    "in": "query",
    "schema": {"type": "string", "enum": [CONTINUE]},
}


def _add_stream(router: APIRouter, stream: StreamRoute, endpoint: "StreamEndpoint") -> None:
    async def answer(request: Request) -> Response:
        return await endpoint.start(request, stream)

    router.post(
        f"/{stream.path}",
        summary=stream.summary,
        name=stream.path,
        openapi_extra={**describe_body(stream.body), "parameters": [_ON_DISCONNECT]},
        responses=describe_answers(LineStream.media_type),
        response_class=LineStream,
        status_code=200,
    )(answer)


class StreamEndpoint(Struct, frozen=True):
    """Starts runs and streams their lines. Errors are raised before the response starts."""

    engine: Engine
    executions: Executions
    tables: Tables
    signer: TrajectorySigner

    async def start(self, request: Request, stream: StreamRoute) -> Response:
        account_id = await current_account(request)
        body = validate_model(stream.body, await _read_json_object(request))
        run_request = stream.build_request(body, self._make_context(request, account_id))
        if isinstance(body, wire.TablesBody):
            files = await spool_rows(self.tables, account_id, collect_inline_rows(body))
            run_request = add_row_files(run_request, files)
        run = (await accept(self.engine, self.executions, run_request)).ref
        lines = self._stream_lines(run, self._make_encoder(stream, account_id, run))
        if run_request.on_disconnect is DisconnectPolicy.CANCEL:
            lines = cancel_when_closed(self.engine, self.executions, account_id, run, lines)
        return LineStream(lines)

    async def attach(self, request: Request) -> Response:
        """Stream a run's lines from the first one; disconnecting does not cancel the run."""
        account_id = await current_account(request)
        session_id = _parse_session_id(request)
        key = request.query_params.get("run_id")
        run = await read_own_run(self.engine, account_id, session_id=session_id, key=key)
        stream = next((stream for stream in STREAMS if stream.agent == run.agent), None)
        if stream is None:
            raise RunNotFound(run.ref.key)
        encoder = self._make_encoder(stream, account_id, run.ref)
        return LineStream(self._stream_lines(run.ref, encoder))

    def _make_encoder(self, stream: StreamRoute, account_id: AccountId, run: RunRef) -> LineEncoder:
        point = ResumePoint(run.session_id, run.key)
        make_trajectory = partial(self.signer.make_trajectory, account_id, point)
        return LineEncoder(stream.call_name, make_trajectory)

    def _make_context(self, request: Request, account_id: AccountId) -> StreamContext:
        ids = _make_id_source(request, account_id)
        continues = request.query_params.get("on_disconnect") == CONTINUE
        return StreamContext(
            account_id=account_id,
            workspace=read_workspace(request, account_id).name,
            language=read_language(request),
            request_id=current_request_id() or "",
            on_disconnect=DisconnectPolicy.CONTINUE if continues else DisconnectPolicy.CANCEL,
            new_id=self.engine.new_id if ids is None else ids,
            is_repeatable=ids is not None,
            client_models=self.engine.client_models,
            server_model=self.engine.model.name,
            signer=self.signer,
        )

    async def _stream_lines(self, run: RunRef, encoder: LineEncoder) -> AsyncGenerator[bytes, None]:
        """The first line at once, then the run's events; heartbeats become progress lines."""
        ids = {"run_id": run.key, "session_id": str(run.session_id)}
        yield encode_line(make_progress(BUILDING_CONTEXT, **ids))
        async with aclosing(self.engine.journal.follow(run.id, after=0)) as batches:
            async for batch in batches:
                if not batch:
                    yield encode_line(make_progress("waiting"))
                elif lines := encoder.encode_batch(batch):
                    yield lines


def _make_id_source(request: Request, account_id: AccountId) -> Callable[[], UUID] | None:
    """Ids made from the `Idempotency-Key`: a repeated request names the same session and run."""
    if (key := read_key(request)) is None:
        return None
    numbers = count()
    return lambda: uuid5(account_id, f"{request.url.path} {next(numbers)} {key}")


def _parse_session_id(request: Request) -> SessionId:
    try:
        return SessionId(UUID(request.path_params["session_id"]))
    except ValueError:
        raise InvalidInput("session_id must be a UUID", field="session_id") from None


async def _read_json_object(request: Request) -> JsonObject:
    """The body; its content type must be JSON, and its value an object."""
    require_json_type(request)
    value = await parse_body(await read_body(request, limit=BODY_LIMIT))
    if not isinstance(value, dict):
        raise InvalidInput("body must be a JSON object")
    return value
