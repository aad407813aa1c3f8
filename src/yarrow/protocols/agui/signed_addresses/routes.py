"""Sign the address of one run's events, or of the board of one session."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from yarrow.http.auth import CurrentAccount
from yarrow.http.signed_access import AccessSigner
from yarrow.ids import AccountId
from yarrow.protocols.agui.attachments.urls import AttachmentUrlBuilder
from yarrow.protocols.agui.openapi import PREFIX, ThreadIdPath, make_router
from yarrow.protocols.agui.runs.encode import StreamFormat
from yarrow.protocols.agui.runs.intake import parse_run_key, parse_thread_id
from yarrow.protocols.agui.runs.limits import RUN_ID_CHARS
from yarrow.protocols.agui.signed_addresses.wire import SignedAddress
from yarrow.runs.engine import Engine
from yarrow.runs.read import read_own_run
from yarrow.sessions.read import read_own_answers


def make_address_router(
    engine: Engine, urls: AttachmentUrlBuilder, access: AccessSigner
) -> APIRouter:
    router = make_router("agent")

    def sign(request: Request, path: str, account_id: AccountId, **query: str) -> SignedAddress:
        address, expires_at = access.sign(PREFIX + path, account_id, **query)
        origin = urls.find_origin(request)
        return SignedAddress(url=origin + address, expiresAt=expires_at.isoformat())

    @router.post("/agent/runs/{threadId}/events-url", summary="Sign the address of a run's events")
    async def sign_events(
        request: Request,
        threadId: ThreadIdPath,  # noqa: N803
        account_id: CurrentAccount,
        runId: Annotated[  # noqa: N803
            str | None, Query(json_schema_extra={"minLength": 1, "maxLength": RUN_ID_CHARS})
        ] = None,
        profile: StreamFormat = StreamFormat.SEED,
    ) -> SignedAddress:
        session_id = parse_thread_id(threadId)
        key = None if runId is None else parse_run_key(runId)
        run = await read_own_run(engine, account_id, session_id=session_id, key=key)
        path = f"/agent/runs/{session_id}/events"
        return sign(request, path, account_id, run_key=run.ref.key, profile=profile.value)

    @router.post("/agent/sessions/{threadId}/board-url", summary="Sign the address of a board")
    async def sign_board(
        request: Request,
        threadId: ThreadIdPath,  # noqa: N803
        account_id: CurrentAccount,
    ) -> SignedAddress:
        session_id = parse_thread_id(threadId)
        await read_own_answers(engine.database, account_id, session_id)
        return sign(request, f"/agent/sessions/{session_id}/board.svg", account_id)

    return router
