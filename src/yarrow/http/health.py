"""Readiness: the database answers and every background loop is alive."""

import asyncio

from fastapi import APIRouter, Response

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.tasks import BackgroundLoops

TIMEOUT_S = 2.0


def make_health_router(database: Database, loops: BackgroundLoops) -> APIRouter:
    """`GET /healthz`: 200 when ready, 503 when not.

    After a loop died the process drains and exits; until then the answer names the loop.
    """
    router = APIRouter()

    @router.get("/healthz", tags=["health"], summary="Ready?")
    async def healthz() -> Response:
        if loops.dead_loop is not None:
            return _answer(503, {"status": "loop died", "loop": loops.dead_loop})
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await database.ping()
        except (DatabaseUnavailable, TimeoutError):
            return _answer(503, {"status": "no database"})
        return _answer(200, {"status": "ok"})

    return router


def _answer(status: int, body: JsonObject) -> Response:
    return Response(encode_json(body), status, media_type="application/json")
