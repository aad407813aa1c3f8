"""Policy, mode and assets of a session's prompts."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.kit.json import JsonObject
from yarrow.prompting.model import PromptMode
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.policies.encode import (
    encode_assets,
    encode_policy,
    encode_policy_choices,
    encode_prompt_mode,
)
from yarrow.protocols.tavern.policies.wire import ModeBody, PolicyBody
from yarrow.runs.engine import Engine
from yarrow.stories.bindings import change_mode, change_policy
from yarrow.stories.model import StorySession
from yarrow.stories.story_state import read_story

BODY_LIMIT = 64 * 1024
PATH = "/sessions/{id}/prompt-runtime"

_Policy = Annotated[PolicyBody, Depends(make_json_reader(PolicyBody, limit=BODY_LIMIT))]
_Mode = Annotated[ModeBody, Depends(make_json_reader(ModeBody, limit=BODY_LIMIT))]


def make_policy_router(engine: Engine) -> APIRouter:
    router = make_router("prompt runtime")
    _add_show(router, engine, f"{PATH}/policy", encode_policy, "The session's prompt policy")
    _add_change_policy(router, engine)
    _add_show(router, engine, f"{PATH}/mode", encode_prompt_mode, "How prompts are built")
    _add_change_mode(router, engine)
    _add_show(router, engine, f"{PATH}/assets", encode_assets, "What the next prompt is made of")
    _add_capabilities(router)
    return router


def _add_show(
    router: APIRouter,
    engine: Engine,
    path: str,
    encode: Callable[[StorySession], JsonObject],
    summary: str,
) -> None:
    @router.get(path, summary=summary)
    async def show(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return build_data(
            encode(await read_story(engine.database, account_id, ids.parse_session_id(id)))
        )


def _add_change_policy(router: APIRouter, engine: Engine) -> None:
    @router.patch(
        f"{PATH}/policy",
        summary="Change the session's prompt policy",
        openapi_extra=describe_body(PolicyBody),
    )
    async def change(id: str, account_id: CurrentAccount, body: _Policy) -> Response:  # noqa: A002
        patch = body.model_dump(exclude_unset=True)
        session_id = ids.parse_session_id(id)
        return build_data(
            encode_policy(await change_policy(engine.database, account_id, session_id, patch))
        )


def _add_change_mode(router: APIRouter, engine: Engine) -> None:
    @router.patch(
        f"{PATH}/mode",
        summary="Choose how prompts are built",
        openapi_extra=describe_body(ModeBody),
    )
    async def change(id: str, account_id: CurrentAccount, body: _Mode) -> Response:  # noqa: A002
        mode, session_id = _parse_mode(body), ids.parse_session_id(id)
        return build_data(
            encode_prompt_mode(await change_mode(engine.database, account_id, session_id, mode))
        )


def _parse_mode(body: ModeBody) -> PromptMode | None:
    if not body.model_fields_set:
        raise InvalidInput("mode: field required", field="mode")
    return body.mode or body.prompt_mode


def _add_capabilities(router: APIRouter) -> None:
    @router.get("/prompt-runtime/capabilities", summary="What there is to choose from")
    async def show_capabilities(_account_id: CurrentAccount) -> Response:
        return build_data(encode_policy_choices())
