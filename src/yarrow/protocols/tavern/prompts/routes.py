"""Dry runs and previews of prompts. Hot paths: bare routes."""

from fastapi import APIRouter, Request, Response

from yarrow.http.auth import current_account
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import CHAT, make_bare_router
from yarrow.protocols.tavern.prompts.encode import encode_dry_run, encode_preview
from yarrow.protocols.tavern.prompts.wire import DryRunBody, PreviewBody
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.prompts import PromptPosition, PromptQuery, StoryPrompts

BODY_LIMIT = 5 * 1024 * 1024

_read_dry_run = make_json_reader(DryRunBody, limit=BODY_LIMIT)
_read_preview = make_json_reader(PreviewBody, limit=BODY_LIMIT)

_SESSION: JsonObject = {
    "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
}


def make_prompt_router(prompts: StoryPrompts) -> APIRouter:
    router = make_bare_router(CHAT)

    @router.post(
        "/sessions/{id}/respond/dry-run",
        summary="Assemble the next prompt without sending it",
        openapi_extra=describe_body(DryRunBody) | _SESSION,
    )
    async def dry_run(request: Request) -> Response:
        account_id = await current_account(request)
        body = await _read_dry_run(request)
        query = PromptQuery(body.message, body.prompt_intent, body.collect_policy())
        run = await prompts.dry_run(_parse_position(request, account_id, body), query)
        matches = body.debug_options.include_worldbook_matches
        return build_data(encode_dry_run(run, with_matches=matches))

    @router.post(
        "/sessions/{id}/prompt-runtime/preview",
        summary="Run the macros of one text",
        openapi_extra=describe_body(PreviewBody) | _SESSION,
    )
    async def preview(request: Request) -> Response:
        account_id = await current_account(request)
        body = await _read_preview(request)
        position = _parse_position(request, account_id, body)
        run = await prompts.preview(position, body.text, body.collect_policy())
        return build_data(encode_preview(run))

    return router


def _parse_position(
    request: Request, account_id: AccountId, body: DryRunBody | PreviewBody
) -> PromptPosition:
    floor = body.source_floor_id
    return PromptPosition(
        account_id=account_id,
        session_id=ids.parse_session_id(request.path_params["id"]),
        branch=body.branch_id or MAIN_BRANCH,
        source_turn=None if floor is None else ids.parse_source_floor_id(floor),
    )
