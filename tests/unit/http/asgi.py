"""One request to an ASGI app, without a server."""

import json
from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message


class Answer(Struct, frozen=True):
    status: int
    headers: Headers
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def call(
    app: ASGIApp,
    path: str,
    *,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    chunks: Iterable[bytes] = (b"",),
) -> Answer:
    """The app's answer; `chunks` are read one at a time, as they would arrive."""
    given = {"host": "localhost", **(headers or {})}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path.partition("?")[0],
        "raw_path": path.encode(),
        "query_string": path.partition("?")[2].encode(),
        "root_path": "",
        "headers": [(key.lower().encode(), value.encode()) for key, value in given.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    waiting = list(chunks)
    sent: list[Message] = []

    async def receive() -> Message:
        chunk = waiting.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    body = b"".join(message.get("body", b"") for message in sent)
    return Answer(start["status"], Headers(raw=start["headers"]), body)
