"""Large bodies are inflated for a few requests at once, and for one of each account."""

import asyncio
from collections.abc import Iterator

from fastapi import Request
from starlette.types import Message
from tests.serving import Served
from tests.waiting import PATIENCE_S

from yarrow.protocols.ndjson.tables.sync_body import AT_ONCE, SyncReader

BODY = b'{"table_name": "sales", "rows": [{"a": 1}]}'


def make_request() -> Request:
    messages: Iterator[Message] = iter([{"type": "http.request", "body": BODY}])

    async def receive() -> Message:
        return next(messages)

    headers = [(b"content-type", b"application/json")]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


async def test_one_account_leaves_places_to_the_others(served: Served) -> None:
    reader, go_on, inside = SyncReader(served.product.tables), asyncio.Event(), list[str]()

    async def read(owner: str) -> None:
        async def check(name: str) -> None:
            inside.append(owner)
            await go_on.wait()

        async with reader.read(make_request(), owner, check) as rows:
            assert rows.table_name == "sales"

    owners = ["one", "one", "one", "two", "three", "four"]
    tasks = [asyncio.create_task(read(owner)) for owner in owners]
    async with asyncio.timeout(PATIENCE_S):
        while len(inside) < AT_ONCE:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)

    assert len(inside) == AT_ONCE
    assert len(set(inside)) == AT_ONCE
    go_on.set()
    await asyncio.gather(*tasks)
    assert sorted(inside) == sorted(owners)
