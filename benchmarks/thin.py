"""The ceiling: raw ASGI before the model, AG-UI events out; no accounts, checks or database.

    python -m benchmarks.thin --port 9101 --model http://127.0.0.1:9100/v1

What this proxy reaches on a machine is what Python, uvicorn and aiohttp leave to everybody;
the product is measured as a share of it, because machines differ and proxies do not.
"""

import argparse
from typing import cast
from uuid import uuid4

import aiohttp
import uvicorn
from starlette.types import Receive, Scope, Send
from tests.loose_json import JsonObject, decode_json

from yarrow.kit.json import encode_json

STREAM_HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8")]


class ThinProxy:
    """An ASGI application that asks the model and renames its events."""

    def __init__(self, model_url: str) -> None:
        self._url = f"{model_url}/chat/completions"
        self._http: aiohttp.ClientSession

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await self._answer(decode_json(await _read(receive)), send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as self._http:
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, run: JsonObject, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        ids = {"threadId": run["threadId"], "runId": run["runId"]}
        message = {"messageId": str(uuid4())}
        await _emit(send, {"type": "RUN_STARTED", **ids})
        await _emit(send, {"type": "TEXT_MESSAGE_START", **message, "role": "assistant"})
        await self._relay(run, message, send)
        await _emit(send, {"type": "TEXT_MESSAGE_END", **message})
        await _emit(send, {"type": "RUN_FINISHED", **ids})
        await send({"type": "http.response.body", "body": b""})

    async def _relay(self, run: JsonObject, message: JsonObject, send: Send) -> None:
        asked = [{"role": m["role"], "content": m["content"]} for m in run["messages"]]
        body = encode_json({"model": "stub", "stream": True, "messages": asked})
        headers = {"content-type": "application/json"}
        async with self._http.post(self._url, data=body, headers=headers) as answer:
            rest = b""
            async for data in answer.content.iter_any():
                *frames, rest = (rest + data).split(b"\n\n")
                for frame in frames:
                    if text := _text(frame):
                        event = {"type": "TEXT_MESSAGE_CONTENT", **message, "delta": text}
                        await _emit(send, event)


async def _read(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += cast("bytes", message.get("body", b""))
        if not message.get("more_body"):
            return body


async def _emit(send: Send, event: JsonObject) -> None:
    frame = b"data: " + encode_json(event) + b"\n\n"
    await send({"type": "http.response.body", "body": frame, "more_body": True})


def _text(frame: bytes) -> str:
    """What a model's event says, if it says anything."""
    if not frame.startswith(b"data: {"):
        return ""
    choices = decode_json(frame[6:])["choices"]
    return str(choices[0]["delta"].get("content") or "") if choices else ""


def main() -> None:
    """Serve until a signal ends the process."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.thin")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", required=True)
    options = parser.parse_args()
    uvicorn.run(ThinProxy(options.model), host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
