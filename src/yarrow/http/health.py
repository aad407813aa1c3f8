"""Readiness: the database answers and every background loop is alive."""

import asyncio

from fastapi import APIRouter, Response

from yarrow.db import Database
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.tasks import BackgroundLoops

TIMEOUT_S = 2.0


class DatabaseCheck:
    """Asks whether the database answers, once at a time.

    Nobody waits for the end of a query that got no answer: cancelling it takes a connection to the
    same server, which may stand still for as long as the query.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ping: asyncio.Task[None] | None = None

    async def answers(self, *, within_s: float) -> bool:
        if self._ping is None or self._ping.done():
            self._ping = asyncio.create_task(self._database.ping())
            self._ping.add_done_callback(_take_error)
        ping = self._ping
        done, _ = await asyncio.wait({ping}, timeout=within_s)
        return bool(done) and ping.exception() is None


def _take_error(ping: asyncio.Task[None]) -> None:
    """Nobody may be left who asks; asyncio would log the error as never retrieved."""
    if not ping.cancelled():
        ping.exception()


def make_health_router(database: Database, loops: BackgroundLoops) -> APIRouter:
    """`GET /healthz`: 200 when ready, 503 when not.

    After a loop died the process drains and exits; until then the answer names the loop.
    """
    router = APIRouter()
    check = DatabaseCheck(database)

    @router.get("/healthz", tags=["health"], summary="Ready?")
    async def healthz() -> Response:
        if loops.dead_loop is not None:
            return _build_response(503, {"status": "loop died", "loop": loops.dead_loop})
        if not await check.answers(within_s=TIMEOUT_S):
            return _build_response(503, {"status": "no database"})
        return _build_response(200, {"status": "ok"})

    return router


def _build_response(status: int, body: JsonObject) -> Response:
    return Response(encode_json(body), status, media_type="application/json")
