"""Routes that answer again: regenerate, retry, edit and regenerate. Hot paths: bare routes."""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response
from msgspec import Struct
from msgspec.structs import replace

from yarrow.http.auth import current_account
from yarrow.http.body import make_json_reader, read_optional_body
from yarrow.http.openapi import describe_body
from yarrow.http.streaming import SSE_TYPE, EventStream
from yarrow.ids import MessageId, TurnId
from yarrow.prompting.assembly import InputOrigin
from yarrow.prompting.preset import PromptIntent
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.generation.intake import TurnCall, read_call, require_supported
from yarrow.protocols.tavern.generation.routes import BODY_LIMIT, TURN_PARAMETERS
from yarrow.protocols.tavern.generation.start_turns import PreparedTurn, TurnGeneration
from yarrow.protocols.tavern.generation.wire import EditBody, RegenerateBody, ReplaceBody
from yarrow.protocols.tavern.openapi import (
    CHAT,
    TURN_RESULT_SCHEMA,
    describe_success,
    make_bare_router,
)
from yarrow.sessions.run_targets import NewTurn, ReplaceTurn, RetryTurn
from yarrow.stories.replaced_turns import (
    find_message_session,
    find_regenerated_turn,
    find_retried_turn,
    find_turn_session,
    place_edit,
)
from yarrow.stories.turn_input import TurnInput, TurnKind

_INTENTS = {
    TurnKind.REGENERATE: PromptIntent.REGENERATE,
    TurnKind.RETRY: PromptIntent.SWIPE,
    TurnKind.EDIT: PromptIntent.NORMAL,
}

_read_edit = make_json_reader(EditBody, limit=BODY_LIMIT)


def make_replace_router(generation: TurnGeneration) -> APIRouter:
    router = make_bare_router(CHAT)
    endpoint = ReplaceEndpoint(generation)
    router.post(
        "/sessions/{id}/regenerate",
        summary="Replace the last floor of a branch by a new one",
        responses=describe_success(TURN_RESULT_SCHEMA),
        openapi_extra=describe_body(RegenerateBody) | TURN_PARAMETERS,
    )(endpoint.regenerate)
    router.post(
        "/floors/{id}/retry",
        summary="Replace the reply of a floor; the old one stays as a page",
        responses=describe_success(TURN_RESULT_SCHEMA),
        openapi_extra=describe_body(ReplaceBody) | TURN_PARAMETERS,
    )(endpoint.retry)
    router.post(
        "/messages/{id}/edit-and-regenerate",
        summary="Answer an edited message on a new branch",
        responses=describe_success(TURN_RESULT_SCHEMA),
        openapi_extra=describe_body(EditBody) | TURN_PARAMETERS,
    )(endpoint.edit)
    return router


class ReplaceEndpoint(Struct, frozen=True):
    """Answers turns again. The replaced turn stays live until the new one commits."""

    generation: TurnGeneration

    async def regenerate(self, request: Request) -> Response:
        account_id = await current_account(request)
        session_id = ids.parse_session_id(request.path_params["id"])
        body = await read_optional_body(RegenerateBody, request, limit=BODY_LIMIT)
        require_supported(body, has_session_state=self.generation.has_session_state)
        call = read_call(request, account_id, session_id, body)
        return await self._run_turn(
            request, call, body, lambda: self._prepare_replacement(call, body)
        )

    async def _prepare_replacement(self, call: TurnCall, body: RegenerateBody) -> PreparedTurn:
        replaced = await find_regenerated_turn(
            self.generation.engine.database,
            call.account_id,
            call.session_id,
            branch=body.branch_id,
            state_writes=body.list_state_writes(),
            confirmed=body.list_confirmed(),
        )
        turn = await self._make_input(call, body, TurnKind.REGENERATE, branch=replaced.branch)
        return PreparedTurn(replaced.text, turn, ReplaceTurn(replaced.id))

    async def retry(self, request: Request) -> Response:
        account_id = await current_account(request)
        turn_id = ids.parse_turn_id(request.path_params["id"])
        body = await read_optional_body(ReplaceBody, request, limit=BODY_LIMIT)
        require_supported(body, has_session_state=self.generation.has_session_state)
        session_id = await find_turn_session(self.generation.engine.database, account_id, turn_id)
        call = read_call(request, account_id, session_id, body)
        return await self._run_turn(
            request, call, body, lambda: self._prepare_retry(call, turn_id, body)
        )

    async def _prepare_retry(
        self, call: TurnCall, turn_id: TurnId, body: ReplaceBody
    ) -> PreparedTurn:
        retried = await find_retried_turn(
            self.generation.engine.database,
            call.account_id,
            turn_id,
            state_writes=body.list_state_writes(),
            confirmed=body.list_confirmed(),
        )
        turn = await self._make_input(call, body, TurnKind.RETRY, branch=retried.branch)
        return PreparedTurn(retried.text, turn, RetryTurn(turn_id))

    async def edit(self, request: Request) -> Response:
        account_id = await current_account(request)
        message_id = ids.parse_message_id(request.path_params["id"])
        body = await _read_edit(request)
        require_supported(body, has_session_state=self.generation.has_session_state)
        session_id = await find_message_session(
            self.generation.engine.database, account_id, message_id
        )
        call = read_call(request, account_id, session_id, body)
        return await self._run_turn(
            request, call, body, lambda: self._prepare_edit(call, message_id, body)
        )

    async def _prepare_edit(
        self, call: TurnCall, message_id: MessageId, body: EditBody
    ) -> PreparedTurn:
        edit = await self.generation.wait_for_name(
            lambda: place_edit(
                self.generation.engine.database,
                call.account_id,
                message_id,
                content=body.content,
                branch=body.branch_id,
                state_writes=body.list_state_writes(),
                confirmed=body.list_confirmed(),
            )
        )
        turn = await self._make_input(call, body, TurnKind.EDIT, branch=edit.place.branch)
        edited = replace(turn, source_turn=str(edit.source_turn), source_message=str(message_id))
        return PreparedTurn(edit.text, edited, NewTurn(edit.place.branch), edit.place)

    async def _make_input(
        self, call: TurnCall, body: ReplaceBody, kind: TurnKind, *, branch: str
    ) -> TurnInput:
        confirmed = body.list_confirmed()
        return TurnInput(
            kind=kind,
            branch=branch,
            intent=_INTENTS[kind],
            policy=body.collect_policy(),
            sampling=body.generation_params.collect(),
            state_writes=body.list_state_writes(),
            modules=body.config.collect_modules(),
            tools=await self.generation.find_tools(call, body.config),
            confirmed_executions=tuple(confirmed.executions),
            confirmed_mutations=tuple(confirmed.mutations),
            origin=InputOrigin.EDITED if kind is TurnKind.EDIT else InputOrigin.STORED,
        )

    async def _run_turn(
        self,
        request: Request,
        call: TurnCall,
        body: ReplaceBody,
        prepare: Callable[[], Awaitable[PreparedTurn]],
    ) -> Response:
        running = await self.generation.prepare_and_start(
            request, call, prepare, body.debug_options
        )
        if SSE_TYPE in request.headers.get("accept", ""):
            return EventStream(self.generation.stream(call, running))
        return await self.generation.answer(request, call, running)
