"""Routes that answer messages. Hot paths: bare routes."""

from fastapi import APIRouter, Request, Response
from msgspec import Struct

from yarrow.http.auth import current_account
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import OpenApiPart, describe_body
from yarrow.http.streaming import EventStream
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.generation.intake import (
    TurnCall,
    read_call,
    require_supported,
)
from yarrow.protocols.tavern.generation.start_turns import (
    PreparedTurn,
    RunningTurn,
    TurnGeneration,
)
from yarrow.protocols.tavern.generation.wire import RespondBody
from yarrow.protocols.tavern.openapi import (
    CHAT,
    TURN_RESULT_SCHEMA,
    describe_success,
    make_bare_router,
)
from yarrow.runs.model import DisconnectPolicy
from yarrow.sessions.run_targets import NewTurn
from yarrow.stories.place_turns import place_turn
from yarrow.stories.turn_input import TurnInput, TurnKind

BODY_LIMIT = 12 * 1024 * 1024
"""A message and more session state than a namespace holds: the limits of state have own codes."""

_read_respond = make_json_reader(RespondBody, limit=BODY_LIMIT)

ID_PARAMETER: JsonObject = {
    "name": "id",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
}
_ON_DISCONNECT: JsonObject = {
    "name": "on_disconnect",
    "in": "query",
    "schema": {"type": "string", "enum": [policy.value for policy in DisconnectPolicy]},
}
TURN_PARAMETERS: OpenApiPart = {"parameters": [ID_PARAMETER, _ON_DISCONNECT]}


def make_generate_router(generation: TurnGeneration) -> APIRouter:
    router = make_bare_router(CHAT)
    endpoint = GenerateEndpoint(generation)
    router.post(
        "/sessions/{id}/respond",
        summary="Send a message and wait for the reply",
        responses=describe_success(TURN_RESULT_SCHEMA),
        openapi_extra=describe_body(RespondBody) | TURN_PARAMETERS,
    )(endpoint.respond)
    router.post(
        "/sessions/{id}/respond/stream",
        summary="Send a message and stream the reply",
        openapi_extra=describe_body(RespondBody) | TURN_PARAMETERS,
        response_class=EventStream,
        status_code=200,
    )(endpoint.stream_response)
    return router


class GenerateEndpoint(Struct, frozen=True):
    """Answers messages. What can be known before the first event is a plain error."""

    generation: TurnGeneration

    async def respond(self, request: Request) -> Response:
        call, running = await self._start_turn(request)
        return await self.generation.answer(request, call, running)

    async def stream_response(self, request: Request) -> Response:
        call, running = await self._start_turn(request)
        return EventStream(self.generation.stream(call, running))

    async def _start_turn(self, request: Request) -> tuple[TurnCall, RunningTurn]:
        account_id = await current_account(request)
        session_id = ids.parse_session_id(request.path_params["id"])
        body = await _read_respond(request)
        require_supported(body, has_session_state=self.generation.has_session_state)
        call = read_call(request, account_id, session_id, body)
        return call, await self.generation.prepare_and_start(
            request, call, lambda: self._prepare_turn(call, body), body.debug_options
        )

    async def _prepare_turn(self, call: TurnCall, body: RespondBody) -> PreparedTurn:
        source = body.source_floor_id
        source_turn = None if source is None else ids.parse_source_floor_id(source)
        tools = await self.generation.find_tools(call, body.config)
        place = await self.generation.wait_for_name(
            lambda: place_turn(
                self.generation.engine.database,
                call.account_id,
                call.session_id,
                branch=body.branch_id,
                source=source_turn,
                state_writes=body.list_state_writes(),
            )
        )
        turn = TurnInput(
            kind=TurnKind.RESPOND,
            branch=place.branch,
            intent=body.prompt_intent,
            policy=body.collect_policy(),
            sampling=body.generation_params.collect(),
            state_writes=body.list_state_writes(),
            modules=body.config.collect_modules(),
            tools=tools,
        )
        return PreparedTurn(body.message, turn, NewTurn(place.branch, place.after), place)
