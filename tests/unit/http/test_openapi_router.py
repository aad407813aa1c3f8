"""The OpenAPI document is built beside the event loop, and once."""

import asyncio
import threading
from typing import Any

from fastapi import FastAPI
from tests.unit.http.asgi import call
from tests.waiting import PATIENCE_S

from yarrow.http.openapi import make_openapi_router


class SlowDocument(FastAPI):
    """Its document takes until other tasks have run."""

    def __init__(self) -> None:
        super().__init__(openapi_url=None)
        self.may_end = threading.Event()
        self.built = 0

    def openapi(self) -> dict[str, Any]:
        self.built += 1
        assert self.may_end.wait(timeout=PATIENCE_S)
        return {"openapi": "3.1.0"}


async def test_the_document_is_built_beside_the_event_loop_and_once() -> None:
    app = SlowDocument()
    app.router.routes.extend(make_openapi_router().routes)

    requests = [asyncio.create_task(call(app, "/openapi.json")) for _ in range(2)]
    while not app.built:
        await asyncio.sleep(0)
    app.may_end.set()
    answers = await asyncio.gather(*requests)

    assert [answer.json for answer in answers] == [{"openapi": "3.1.0"}] * 2
    assert app.built == 1
