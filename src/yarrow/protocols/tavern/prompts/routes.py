"""Dry runs and previews: parse, call one verb, encode."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import body_of, body_schema
from yarrow.ids import AccountId
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import data
from yarrow.protocols.tavern.prompts.encode import dry_run_shape, preview_shape
from yarrow.protocols.tavern.prompts.wire import DryRunBody, PreviewBody
from yarrow.protocols.tavern.router import dialect_router
from yarrow.runs.story.prompts import Asked, Place, StoryPrompts
from yarrow.sessions.store import MAIN_BRANCH

BODY_LIMIT = 5 * 1024 * 1024

_DryRun = Annotated[DryRunBody, Depends(body_of(DryRunBody, limit=BODY_LIMIT))]
_Preview = Annotated[PreviewBody, Depends(body_of(PreviewBody, limit=BODY_LIMIT))]


def prompt_routes(prompts: StoryPrompts) -> APIRouter:
    """What a session's next prompt would be, and how one text would read in it."""
    router = dialect_router("prompt runtime")

    @router.post(
        "/sessions/{id}/respond/dry-run",
        summary="Assemble the next prompt without sending it",
        openapi_extra=body_schema(DryRunBody),
    )
    async def dry_run(id: str, account_id: CurrentAccount, body: _DryRun) -> Response:  # noqa: A002
        asked = Asked(body.message, body.prompt_intent, body.policy())
        run = await prompts.dry_run(_place(id, account_id, body), asked)
        matches = body.debug_options.include_worldbook_matches
        return data(dry_run_shape(run, with_matches=matches))

    @router.post(
        "/sessions/{id}/prompt-runtime/preview",
        summary="Run the macros of one text",
        openapi_extra=body_schema(PreviewBody),
    )
    async def preview(id: str, account_id: CurrentAccount, body: _Preview) -> Response:  # noqa: A002
        run = await prompts.preview(_place(id, account_id, body), body.text, body.policy())
        return data(preview_shape(run, from_floor=body.source_floor_id is not None))

    return router


def _place(session: str, account_id: AccountId, body: DryRunBody | PreviewBody) -> Place:
    floor = body.source_floor_id
    return Place(
        account_id=account_id,
        session_id=ids.session_id(session),
        branch=body.branch_id or MAIN_BRANCH,
        source_floor=None if floor is None else ids.turn_id(floor),
    )
