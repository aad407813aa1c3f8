"""`python -m benchmarks.model_bounds`: what a hostile model costs the server and its neighbours.

A real server in a process of its own asks each endpoint of `benchmarks.hostile_model`, one run
each; meanwhile a neighbour asks `/healthz` without a pause. Printed for each answer: how the run
ended, how many bytes the server accepted, how much its memory grew, and the longest that the
neighbour waited. Fails above the limits. The CPU of parsing a token is printed first.
"""

import argparse
import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from uuid import uuid4

import aiohttp
from benchmarks.deployment import Account, Server, deployed, opened, scratch
from benchmarks.hostile_model import ANSWERS, HostileModel, event, serve_hostile
from benchmarks.processes import LOOPBACK, resident_mb
from msgspec import Struct
from tests.loose_json import JsonObject, decode_json

from yarrow.llm.openai_answer import AnswerReader

MAX_GROWTH_MB = 32.0
MAX_WAIT_S = 0.3
CODE = "AGENT_MODEL_OUTPUT_INVALID"
TOKENS = 20_000
ROUNDS = 20


def parse_ns(per_read: int) -> float:
    """CPU of parsing one token, best of some rounds."""
    words = (" the", " quick", "你好", " fox")
    events = [event({"content": words[number % 4]}) for number in range(TOKENS)]
    reads = [b"".join(events[at : at + per_read]) for at in range(0, TOKENS, per_read)]
    best = float("inf")
    for _ in range(ROUNDS):
        reader, began = AnswerReader(), time.process_time()
        for data in reads:
            for _chunk in reader.feed(data):
                pass
        best = min(best, time.process_time() - began)
    return best / TOKENS * 1e9


class Watch(Struct):
    """Memory of the server, and how long its neighbour waited."""

    growth_mb: float = 0.0
    longest_wait_s: float = 0.0


@contextmanager
def watching(server: Server) -> Iterator[Watch]:
    """Measure for the length of the block, in a thread: the hostile model shares our event loop."""
    watch, before, ended = Watch(), resident_mb([server.child.pid]), threading.Event()

    def look() -> None:
        connection = HTTPConnection(LOOPBACK, server.port)
        while not ended.wait(0.005):
            began = time.perf_counter()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            watch.longest_wait_s = max(watch.longest_wait_s, time.perf_counter() - began)
            grown = resident_mb([server.child.pid]) - before
            watch.growth_mb = max(watch.growth_mb, grown)
        connection.close()

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield watch
    finally:
        ended.set()
        looking.join()


async def run_code(http: aiohttp.ClientSession, server: Server, account: Account) -> str:
    """The code with which a run ends; empty for a success."""
    body: JsonObject = {
        "threadId": str(uuid4()),
        "runId": uuid4().hex,
        "state": {},
        "messages": [{"id": "m1", "role": "user", "content": "What time is it?"}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
    headers = {**account.headers, "Accept": "text/event-stream"}
    url = f"{server.url}/api/v1/agents/assistant/runs"
    last = b"{}"
    async with http.post(url, json=body, headers=headers) as answer:
        async for line in answer.content:
            last = line[6:] if line.startswith(b"data: ") else last
    return str(decode_json(last).get("code", ""))


async def measure(name: str, model: HostileModel) -> list[str]:
    """Ask one endpoint; what exceeded the limits, in words."""
    with scratch() as folder:
        async with deployed(folder, model.base_url(name)) as deployment:
            server = await deployment.serve()
            async with opened(deployment) as database:
                account = await deployment.account(server, database, points=1_000)
            timeout = aiohttp.ClientTimeout(total=120)
            async with aiohttp.ClientSession(timeout=timeout, read_bufsize=1 << 23) as http:
                await asyncio.sleep(0.5)
                with watching(server) as watch:
                    code = await run_code(http, server, account)
                    await asyncio.sleep(0.2)
    print(
        f"{name:20} {code:28} {model.sent / 1e6:8.1f} MB sent {watch.growth_mb:7.1f} MB "
        f"{watch.longest_wait_s * 1000:7.0f} ms",
        flush=True,
    )
    faults = [] if code == CODE else [f"{name}: ended with {code!r}"]
    if watch.growth_mb > MAX_GROWTH_MB:
        faults.append(f"{name}: grew by {watch.growth_mb:.0f} MB")
    if watch.longest_wait_s > MAX_WAIT_S:
        faults.append(f"{name}: a neighbour waited {watch.longest_wait_s:.2f} s")
    return faults


async def measure_all(names: list[str]) -> list[str]:
    async with serve_hostile() as model:
        return [fault for name in names for fault in await measure(name, model)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", nargs="*", help=f"of {', '.join(ANSWERS)}; default: all")
    options = parser.parse_args()
    for per_read in (1, 20):
        print(f"parse: {parse_ns(per_read):.0f} ns a token, {per_read} in a read")
    faults = asyncio.run(measure_all(options.answers or list(ANSWERS)))
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
