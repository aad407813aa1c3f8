"""Is the product ready: it is when its database answers."""

import asyncio

from fastapi import APIRouter, Response

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.kit.json import encode_json

PATIENCE_S = 2.0


def health_routes(database: Database) -> APIRouter:
    """`GET /healthz`: 200 when ready, 503 when not."""
    routes = APIRouter()

    @routes.get("/healthz", tags=["health"], summary="Ready?")
    async def healthz() -> Response:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await database.ping()
        except (DatabaseUnavailable, TimeoutError):
            return Response(encode_json({"status": "no database"}), 503, media_type=JSON)
        return Response(encode_json({"status": "ok"}), media_type=JSON)

    return routes


JSON = "application/json"
