"""Comparing branches, and taking floors off their ends."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import make_json_reader
from yarrow.http.openapi import describe_body
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.turns.encode import encode_diff
from yarrow.protocols.tavern.turns.wire import ResetBody
from yarrow.runs.engine import Engine
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.branch_diff import compare_branches
from yarrow.stories.undo import delete_last_turn, reset_branch

BODY_LIMIT = 64 * 1024

_Reset = Annotated[ResetBody, Depends(make_json_reader(ResetBody, limit=BODY_LIMIT))]


def make_undo_router(engine: Engine) -> APIRouter:
    router = make_router("floors")
    _add_diff(router, engine)
    _add_undo(router, engine)
    return router


def _add_diff(router: APIRouter, engine: Engine) -> None:
    @router.get("/sessions/{id}/branches/diff", summary="What two branches do not share")
    async def compare(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        target_branch_id: str,
        base_branch_id: str = MAIN_BRANCH,
    ) -> Response:
        diff = await compare_branches(
            engine.database,
            account_id,
            ids.parse_session_id(id),
            base_branch=base_branch_id,
            target_branch=target_branch_id,
        )
        return build_data(encode_diff(diff))


def _add_undo(router: APIRouter, engine: Engine) -> None:
    @router.post(
        "/sessions/{id}/branches/{branch_id}/reset",
        summary="Take away the floors after one",
        openapi_extra=describe_body(ResetBody),
    )
    async def reset(
        id: str,  # noqa: A002
        branch_id: str,
        account_id: CurrentAccount,
        body: _Reset,
    ) -> Response:
        session_id = ids.parse_session_id(id)
        target, expected = body.target_floor_id, body.expected_head_floor_id
        turn_ids = await reset_branch(
            engine.database,
            account_id,
            session_id,
            branch=branch_id,
            target=ids.parse_turn_id(target),
            expected_last=ids.parse_turn_id(expected),
        )
        return build_data(
            {
                "session_id": str(session_id),
                "branch_id": branch_id,
                "target_floor_id": target,
                "expected_head_floor_id": expected,
                "superseded_floor_ids": [str(turn_id) for turn_id in turn_ids],
                "superseded_count": len(turn_ids),
            }
        )

    @router.delete("/floors/{id}", summary="Take away the last floor of a branch")
    async def delete_floor(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        turn = await delete_last_turn(engine.database, account_id, ids.parse_turn_id(id))
        return build_data({"id": str(turn.id), "branch_id": turn.branch, "deleted": True})
