"""Dry runs and previews: parse, call one verb, encode."""

from fastapi import APIRouter, Request, Response

from yarrow.http.body import make_body_reader
from yarrow.http.openapi import describe_body
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import data
from yarrow.protocols.tavern.prompts.encode import dry_run_shape, preview_shape
from yarrow.protocols.tavern.prompts.wire import DryRunBody, PreviewBody
from yarrow.protocols.tavern.router import asker, bare_router
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.prompts import PromptPosition, PromptQuery, StoryPrompts

BODY_LIMIT = 5 * 1024 * 1024

_read_dry_run = make_body_reader(DryRunBody, limit=BODY_LIMIT)
_read_preview = make_body_reader(PreviewBody, limit=BODY_LIMIT)

_SESSION: JsonObject = {
    "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
}


def prompt_routes(prompts: StoryPrompts) -> APIRouter:
    """What a session's next prompt would be, and how one text would read in it."""
    router = bare_router("prompt runtime")

    @router.post(
        "/sessions/{id}/respond/dry-run",
        summary="Assemble the next prompt without sending it",
        openapi_extra=describe_body(DryRunBody) | _SESSION,
    )
    async def dry_run(request: Request) -> Response:
        account_id = await asker(request)
        body = await _read_dry_run(request)
        query = PromptQuery(body.message, body.prompt_intent, body.policy())
        run = await prompts.dry_run(_position(request, account_id, body), query)
        matches = body.debug_options.include_worldbook_matches
        return data(dry_run_shape(run, with_matches=matches))

    @router.post(
        "/sessions/{id}/prompt-runtime/preview",
        summary="Run the macros of one text",
        openapi_extra=describe_body(PreviewBody) | _SESSION,
    )
    async def preview(request: Request) -> Response:
        account_id = await asker(request)
        body = await _read_preview(request)
        position = _position(request, account_id, body)
        run = await prompts.preview(position, body.text, body.policy())
        return data(preview_shape(run, from_floor=body.source_floor_id is not None))

    return router


def _position(
    request: Request, account_id: AccountId, body: DryRunBody | PreviewBody
) -> PromptPosition:
    floor = body.source_floor_id
    return PromptPosition(
        account_id=account_id,
        session_id=ids.session_id(request.path_params["id"]),
        branch=body.branch_id or MAIN_BRANCH,
        source_turn=None if floor is None else ids.source_floor_id(floor),
    )
