"""Routes that generate replies. Hot paths: bare routes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from yarrow.errors import Unavailable
from yarrow.http.body import make_body_reader
from yarrow.http.disconnect import run_while_connected
from yarrow.http.openapi import OpenApiPart, describe_body
from yarrow.http.streaming import PING, EventStream
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.errors import CANCELLED_FAULT, render_fault
from yarrow.protocols.tavern.openapi import authenticate, make_generation_router
from yarrow.protocols.tavern.turns.generate_encode import (
    ResultFields,
    TurnStream,
    encode_result,
)
from yarrow.protocols.tavern.turns.generate_intake import (
    CONTINUE,
    TurnCall,
    build_run_request,
    read_call,
    require_supported,
)
from yarrow.protocols.tavern.turns.generate_wire import RespondBody
from yarrow.protocols.tavern.turns.progress import TurnProgress
from yarrow.runs.accept import accept
from yarrow.runs.cancel import apply_disconnect_policy, cancel
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.runs.model import (
    BusyPolicy,
    DisconnectPolicy,
    NewTurn,
    QueueWhenBusy,
    RejectWhenBusy,
    RunRef,
    RunRequest,
)
from yarrow.runs.read import has_own_run
from yarrow.settings import QueueMode, Settings
from yarrow.stories.turn_input import TurnInput, TurnKind
from yarrow.stories.turns import TurnPlace, find_started_turn, place_turn, release_place

BODY_LIMIT = 5 * 1024 * 1024

_read_respond = make_body_reader(RespondBody, limit=BODY_LIMIT)

ID_PARAMETER: JsonObject = {
    "name": "id",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
}
_ON_DISCONNECT: JsonObject = {
    "name": "on_disconnect",
    "in": "query",
    "schema": {"type": "string", "enum": [CONTINUE]},
}
_IDEMPOTENCY_KEY: JsonObject = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string"},
}
_PARAMETERS: OpenApiPart = {"parameters": [ID_PARAMETER, _ON_DISCONNECT, _IDEMPOTENCY_KEY]}


def make_generate_router(engine: Engine, executions: Executions, settings: Settings) -> APIRouter:
    router = make_generation_router("chat")
    endpoint = GenerateEndpoint(engine, executions, _choose_policy(settings))
    router.post(
        "/sessions/{id}/respond",
        summary="Send a message and wait for the reply",
        openapi_extra=describe_body(RespondBody) | _PARAMETERS,
    )(endpoint.respond)
    router.post(
        "/sessions/{id}/respond/stream",
        summary="Send a message and stream the reply",
        openapi_extra=describe_body(RespondBody) | _PARAMETERS,
        response_class=EventStream,
        status_code=200,
    )(endpoint.stream_response)
    return router


@dataclass(frozen=True, slots=True)
class RunningTurn:
    """An accepted turn: its run, its progress, and what its result shows."""

    run: RunRef
    progress: TurnProgress
    fields: ResultFields


@dataclass(frozen=True, slots=True)
class GenerateEndpoint:
    """Starts turns and waits for them or streams them. What can be known before is an error."""

    engine: Engine
    executions: Executions
    when_busy: BusyPolicy

    async def respond(self, request: Request) -> Response:
        call, running = await self._start_response(request)
        return await self._answer(request, call, running)

    async def stream_response(self, request: Request) -> Response:
        call, running = await self._start_response(request)
        return EventStream(self._apply_policy(self._stream(running), call, running.run))

    async def _start_response(self, request: Request) -> tuple[TurnCall, RunningTurn]:
        account_id = await authenticate(request)
        session_id = ids.parse_session_id(request.path_params["id"])
        body = await _read_respond(request)
        require_supported(body)
        call = read_call(request, account_id, session_id, body)
        place = await self._place(call, body)
        turn = TurnInput(
            kind=TurnKind.RESPOND,
            branch=place.branch,
            intent=body.prompt_intent,
            policy=body.collect_policy(),
            sampling=body.generation_params.collect(),
        )
        run_request = build_run_request(
            call, body.message, turn, target=NewTurn(place.branch), when_busy=self.when_busy
        )
        run = await self._accept(run_request, place)
        return call, await self._open(run, turn.kind, ResultFields(body.debug_options))

    async def _place(self, call: TurnCall, body: RespondBody) -> TurnPlace:
        """The branch of the turn; a repeated call has its turn already."""
        if call.is_keyed and await has_own_run(
            self.engine, call.account_id, session_id=call.session_id, key=call.key
        ):
            return TurnPlace(body.branch_id or "")
        source = body.source_floor_id
        return await place_turn(
            self.engine.database,
            call.account_id,
            call.session_id,
            branch=body.branch_id,
            source=None if source is None else ids.parse_source_floor_id(source),
            namespaces=[write.namespace for write in body.session_state_writes],
        )

    async def _accept(self, run_request: RunRequest, place: TurnPlace) -> RunRef:
        is_accepted = False
        try:
            accepted = await accept(self.engine, self.executions, run_request)
            is_accepted = True
        finally:
            if not is_accepted:
                await release_place(self.engine.database, place)
        return accepted.ref

    async def _open(self, run: RunRef, kind: TurnKind, fields: ResultFields) -> RunningTurn:
        turn = await find_started_turn(self.engine.database, run.id)
        progress = TurnProgress(turn, str(run.id), kind, self.engine.now_ms)
        return RunningTurn(run, progress, fields)

    async def _answer(self, request: Request, call: TurnCall, running: RunningTurn) -> Response:
        """The result as one response. When the client disconnects, the turn is cancelled."""
        progress, run = running.progress, running.run
        if not await run_while_connected(request, self._wait(running)):
            if call.on_disconnect is DisconnectPolicy.CANCEL:
                await cancel(
                    self.engine,
                    self.executions,
                    call.account_id,
                    session_id=run.session_id,
                    key=run.key,
                )
            return render_fault(CANCELLED_FAULT)
        if not progress.has_ended:
            raise Unavailable("the server is stopping; the turn continues elsewhere")
        if progress.fault is not None:
            return render_fault(progress.fault)
        return build_data(encode_result(progress, running.fields))

    async def _wait(self, running: RunningTurn) -> bool:
        """Apply all events of the run."""
        async for batch in self.engine.journal.follow(running.run.id, after=0):
            for _, event in batch:
                running.progress.apply(event)
        return True

    async def _stream(self, running: RunningTurn) -> AsyncGenerator[bytes, None]:
        stream = TurnStream(running.progress, running.fields)
        yield stream.encode_start()
        async for batch in self.engine.journal.follow(running.run.id, after=0):
            if not batch:
                yield PING
            elif frames := stream.encode_batch(batch):
                yield frames

    async def _apply_policy(
        self, frames: AsyncGenerator[bytes, None], call: TurnCall, run: RunRef
    ) -> AsyncGenerator[bytes, None]:
        """Cancel the turn if the client disconnects before the last frame, unless it continues."""
        async with (
            apply_disconnect_policy(
                self.engine, self.executions, call.account_id, run, call.on_disconnect
            ),
            aclosing(frames),
        ):
            async for frame in frames:
                yield frame


def _choose_policy(settings: Settings) -> BusyPolicy:
    match settings.generation_queue:
        case QueueMode.REJECT:
            return RejectWhenBusy()
        case QueueMode.QUEUE:
            return QueueWhenBusy(settings.generation_queue_timeout_ms / 1000)
