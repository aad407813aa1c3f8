"""Policy, mode and assets of a session's prompts: parse, call one verb, encode."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.assets.model import AssetKind
from yarrow.db import Database
from yarrow.errors import InvalidInput
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.kit.json import JsonObject
from yarrow.prompting.model import PromptMode
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.assets.encode import milliseconds
from yarrow.protocols.tavern.envelope import data
from yarrow.protocols.tavern.policies.capabilities import capabilities
from yarrow.protocols.tavern.policies.wire import ModeBody, PolicyBody
from yarrow.protocols.tavern.router import dialect_router
from yarrow.stories.bindings import change_mode, change_policy
from yarrow.stories.model import DEFAULT_MODE, BoundAsset, StorySession
from yarrow.stories.state import read_story

BODY_LIMIT = 64 * 1024

_Policy = Annotated[PolicyBody, Depends(make_body_reader(PolicyBody, limit=BODY_LIMIT))]
_Mode = Annotated[ModeBody, Depends(make_body_reader(ModeBody, limit=BODY_LIMIT))]

_WORDS = {
    AssetKind.CHARACTER: "character",
    AssetKind.PERSONA: "user",
    AssetKind.PRESET: "preset",
    AssetKind.WORLDBOOK: "worldbook",
    AssetKind.REGEX_PROFILE: "regex_profile",
}


def policy_routes(database: Database) -> APIRouter:
    """What `prompt-runtime` keeps for a session."""
    router = dialect_router("prompt runtime")
    _add_policy(router, database)
    _add_mode(router, database)
    _add_assets(router, database)
    return router


def _add_policy(router: APIRouter, database: Database) -> None:
    @router.get("/sessions/{id}/prompt-runtime/policy", summary="The session's prompt policy")
    async def show(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        story = await read_story(database, account_id, ids.session_id(id))
        return data(_policy_shape(story))

    @router.patch(
        "/sessions/{id}/prompt-runtime/policy",
        summary="Change the session's prompt policy",
        openapi_extra=describe_body(PolicyBody),
    )
    async def change(id: str, account_id: CurrentAccount, body: _Policy) -> Response:  # noqa: A002
        patch = body.model_dump(exclude_unset=True)
        story = await change_policy(database, account_id, ids.session_id(id), patch)
        return data(_policy_shape(story))


def _add_mode(router: APIRouter, database: Database) -> None:
    @router.get("/sessions/{id}/prompt-runtime/mode", summary="How prompts are built")
    async def show(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        story = await read_story(database, account_id, ids.session_id(id))
        return data(_mode_shape(story))

    @router.patch(
        "/sessions/{id}/prompt-runtime/mode",
        summary="Choose how prompts are built",
        openapi_extra=describe_body(ModeBody),
    )
    async def change(id: str, account_id: CurrentAccount, body: _Mode) -> Response:  # noqa: A002
        story = await change_mode(database, account_id, ids.session_id(id), _mode(body))
        return data(_mode_shape(story))


def _mode(body: ModeBody) -> PromptMode | None:
    if not body.model_fields_set:
        raise InvalidInput("mode: field required", field="mode")
    return body.mode or body.prompt_mode


def _add_assets(router: APIRouter, database: Database) -> None:
    @router.get("/sessions/{id}/prompt-runtime/assets", summary="What the next prompt is made of")
    async def show(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        story = await read_story(database, account_id, ids.session_id(id))
        return data({word: _asset(story.bound.get(kind)) for kind, word in _WORDS.items()})

    @router.get("/prompt-runtime/capabilities", summary="What there is to choose from")
    async def show_capabilities(_account_id: CurrentAccount) -> Response:
        return data(capabilities())


def _policy_shape(story: StorySession) -> JsonObject:
    return {"session_id": str(story.session_id), "policy": story.bindings.policy}


def _mode_shape(story: StorySession) -> JsonObject:
    chosen = story.bindings.prompt_mode
    mode = chosen or DEFAULT_MODE
    return {
        "session_id": str(story.session_id),
        "mode": mode,
        "prompt_mode": mode,
        "source": "default" if chosen is None else "session",
    }


def _asset(bound: BoundAsset | None) -> JsonObject | None:
    if bound is None:
        return None
    return {
        "id": str(bound.asset_id),
        "name": bound.name,
        "version": bound.version,
        "version_id": str(bound.version_id),
        "pinned": bound.pinned,
        "deleted": bound.deleted,
        "updated_at": milliseconds(bound.updated_at),
    }
