"""The scripted model of the analyst's benchmark: it plays the same part for every server.

    python -m benchmarks.analyst_model --port 9100

The question carries a wish (`[[chart 0]]`, `[[sql 0]]`, `[[explain 2000]]`, `[[report 2]]`) and
the script is played by what the messages hold: a chart is asked for first and summed up once it
was made, a report is written once no more tools are offered. The number is milliseconds: before
the answer, or between the words of a report. Answers stream or come whole, as the request asks;
their bytes are made once.
"""

import argparse
import asyncio
import re

import uvloop
from benchmarks.analyst_script import CHART, CHARTED, EXPLAIN, READY, REPORT, SQL, SUMMARY
from benchmarks.stub import Script, serve

from yarrow.kit.json import encode_json

TOKEN_CHARACTERS = 4

_WISH = re.compile(rb"\[\[(chart|sql|explain|report) (\d+)\]\]")
_STREAMS = re.compile(rb'"stream": ?true')
_TOOLS = re.compile(rb'"tools": ?\[')


class Answer:
    """One thing the model says, whole and in pieces of a token's size."""

    def __init__(self, words: str | list[str]) -> None:
        pieces = words if isinstance(words, list) else _pieces(words)
        self._script = Script(pieces)
        self._whole = _completion("".join(pieces))

    async def send(self, body: bytes, transport: asyncio.Transport, delay_s: float) -> None:
        """Answer a request as it asks to be answered."""
        if _STREAMS.search(body):
            await self._script.stream(transport, delay_s)
        else:
            transport.write(self._whole)


def _pieces(text: str) -> list[str]:
    places = range(0, len(text), TOKEN_CHARACTERS)
    return [text[place : place + TOKEN_CHARACTERS] for place in places]


def _completion(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    body = encode_json(
        {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": "stub",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
        }
    )
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


ANSWERS = {
    b"chart": Answer(encode_json(CHART).decode()),
    b"sql": Answer(encode_json(SQL).decode()),
    b"summary": Answer(encode_json(SUMMARY).decode()),
    b"explain": Answer(encode_json(EXPLAIN).decode()),
    b"report": Answer(REPORT),
    b"ready": Answer(READY),
}


async def respond(body: bytes, transport: asyncio.Transport) -> None:
    """Play the next line of the script."""
    *_, wish = _WISH.finditer(body)
    kind, wait_s = wish[1], int(wish[2]) / 1000
    if kind == b"report":
        line = b"ready" if _TOOLS.search(body) else b"report"
        await ANSWERS[line].send(body, transport, wait_s)
        return
    if wait_s:
        await asyncio.sleep(wait_s)
    was_made = body.find(CHARTED.encode(), wish.end()) >= 0
    await ANSWERS[b"summary" if was_made else kind].send(body, transport, 0.0)


def main() -> None:
    """Serve until a signal ends the process."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.analyst_model")
    parser.add_argument("--port", type=int, required=True)
    uvloop.run(serve(parser.parse_args().port, respond))


if __name__ == "__main__":
    main()
