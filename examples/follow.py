"""Ask, and follow the answer over as many connections as it takes.

    .venv/bin/python examples/follow.py "How are you?" --url http://127.0.0.1:3000

The run goes on without us; after a lost connection we come back with the last event id we have
seen and get what we missed. `--hang-up-after 5` loses the connection on purpose every 5 events.
Works with and without accounts: a server with YARROW_AUTH=off has nothing to sign up for.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import aiohttp

ENDS = ("RUN_FINISHED", "RUN_ERROR")


async def sign_up(http: aiohttp.ClientSession) -> dict[str, str]:
    """The headers of a new account; none on a server without accounts."""
    body = {"email": f"{uuid4().hex}@example.com", "password": "correct horse"}
    async with http.post("/api/v1/auth/signup", json=body) as answer:
        said = await answer.json(content_type=None)
    if said.get("code") == "AUTH_DISABLED":
        return {}
    answer.raise_for_status()
    return {"Authorization": f"Bearer {said['access_token']}"}


async def ask(http: aiohttp.ClientSession, headers: dict[str, str], question: str) -> str:
    """Submit a run; gives back the address of its events."""
    run = {
        "threadId": str(uuid4()),
        "runId": f"run-{uuid4()}",
        "state": {},
        "messages": [{"id": "msg-1", "role": "user", "content": question}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
    async with http.post("/api/v1/agent/runs", json=run, headers=headers) as answer:
        answer.raise_for_status()
    return f"/api/v1/agent/runs/{run['threadId']}/events?runId={run['runId']}"


async def follow(
    http: aiohttp.ClientSession, headers: dict[str, str], address: str, *, hang_up_after: int
) -> AsyncIterator[dict[str, Any]]:
    """Each event once and in order, whatever happens to the connections."""
    last_id = "0"
    while True:
        try:
            resume = {"Last-Event-ID": last_id} if last_id != "0" else {}
            async with http.get(address, headers=headers | resume) as answer:
                answer.raise_for_status()
                seen = 0
                async for id_, event in read_events(answer):
                    last_id = id_
                    yield event
                    if event["type"] in ENDS:
                        return
                    seen += 1
                    if seen == hang_up_after:
                        break
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError):
            await asyncio.sleep(1)


async def read_events(answer: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """The events of one connection with their ids; comments are heartbeats."""
    id_ = "0"
    async for line in answer.content:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "id":
            id_ = value
        elif name == "data":
            yield id_, json.loads(value)


async def main() -> None:
    options = argparse.ArgumentParser(description="Ask, and follow the answer.")
    options.add_argument("question")
    options.add_argument("--url", default="http://127.0.0.1:3000")
    options.add_argument("--hang-up-after", type=int, default=0, metavar="EVENTS")
    given = options.parse_args()
    patience = aiohttp.ClientTimeout(total=None, sock_read=60)
    async with aiohttp.ClientSession(given.url, timeout=patience) as http:
        try:
            headers = await sign_up(http)
        except aiohttp.ClientConnectionError:
            raise SystemExit(
                f"No server answers at {given.url}: start one with `make serve`, "
                "or name yours by --url."
            ) from None
        address = await ask(http, headers, given.question)
        async for event in follow(http, headers, address, hang_up_after=given.hang_up_after):
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                print(event["delta"], end="", flush=True)
            elif event.get("name") == "RUN_RESTARTED":
                print(
                    "\n(a server was lost; the text above is void, what was completed is repeated)"
                )
            elif event["type"] == "RUN_ERROR":
                print(f"\n{event['code']}: {event['message']}")
        print()


if __name__ == "__main__":
    asyncio.run(main())
