"""Explain, compare and inspect the prompts of turns."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.agents.storyteller.sampling import choose_sampler
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.generation.intake import require_supported
from yarrow.protocols.tavern.generation.routes import BODY_LIMIT
from yarrow.protocols.tavern.generation.start_turns import TurnGeneration
from yarrow.protocols.tavern.generation.wire import RespondBody
from yarrow.protocols.tavern.openapi import CHAT, make_router
from yarrow.protocols.tavern.prompts.explain_encode import (
    encode_comparison,
    encode_explanation,
    encode_inspection,
)
from yarrow.protocols.tavern.prompts.wire import CompareBody
from yarrow.stories.explanations import explain_turn, find_inspected_branch
from yarrow.stories.prompts import PromptPosition, PromptQuery, StoryPrompts

_Compare = Annotated[CompareBody, Depends(make_json_reader(CompareBody, limit=BODY_LIMIT))]
_Inspect = Annotated[RespondBody, Depends(make_json_reader(RespondBody, limit=BODY_LIMIT))]


def make_explain_router(generation: TurnGeneration, prompts: StoryPrompts) -> APIRouter:
    engine = generation.engine
    router = make_router(CHAT)

    @router.get(
        "/floors/{id}/prompt-runtime/explain",
        summary="The prompt that a committed floor was made from, as it was stored",
    )
    async def explain(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        explanation = await explain_turn(engine.database, account_id, ids.parse_turn_id(id))
        return build_data(encode_explanation(explanation))

    @router.post(
        "/sessions/{id}/prompt-runtime/compare",
        summary="The differences between the prompts of two floors",
        openapi_extra=describe_body(CompareBody),
    )
    async def compare(id: str, account_id: CurrentAccount, body: _Compare) -> Response:  # noqa: A002
        session_id = ids.parse_session_id(id)
        left, right = [
            await explain_turn(
                engine.database, account_id, ids.parse_turn_id(side.floor_id), session_id=session_id
            )
            for side in (body.left, body.right)
        ]
        return build_data(encode_comparison(left, right))

    @router.post(
        "/sessions/{id}/prompt-runtime/inspect",
        summary="Prepare a turn without sending or storing it",
        openapi_extra=describe_body(RespondBody),
    )
    async def inspect(id: str, account_id: CurrentAccount, body: _Inspect) -> Response:  # noqa: A002
        require_supported(body, has_session_state=generation.has_session_state)
        source = body.source_floor_id
        session_id = ids.parse_session_id(id)
        branch, source_turn = await find_inspected_branch(
            engine.database,
            account_id,
            session_id,
            branch=body.branch_id,
            source=None if source is None else ids.parse_source_floor_id(source),
        )
        position = PromptPosition(account_id, session_id, branch, source_turn=source_turn)
        query = PromptQuery(body.message, body.prompt_intent, body.collect_policy())
        prompt = await prompts.inspect(position, query)
        sampler = choose_sampler(prompt, body.generation_params.collect())
        return build_data(encode_inspection(prompt, sampler))

    return router
