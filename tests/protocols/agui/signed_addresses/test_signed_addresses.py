"""Addresses for EventSource and <img>, which cannot send a bearer token."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from starlette.requests import Request
from tests.protocols.agui.runs.test_divination import divination
from tests.serving import RUNS, Caller, Served, frames_of, run_body

from yarrow.errors import Unauthenticated
from yarrow.http.signed_access import TTL, AccessSigner
from yarrow.ids import AccountId
from yarrow.kit.signing import EXPIRED


async def open_without_token(caller: Caller, url: str) -> tuple[int, str]:
    async with caller.http.get(url) as response:
        return response.status, await response.text()


async def sign_events(caller: Caller) -> str:
    body = run_body()
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    path = f"{RUNS}/{body['threadId']}/events-url"
    _, signed = await caller.post(path, None, runId=body["runId"])
    return str(signed["url"])


async def test_signed_address_streams_one_run_without_a_token(caller: Caller) -> None:
    url = await sign_events(caller)

    async with caller.http.get(url, headers={"Last-Event-ID": "1"}) as response:
        frames = [frame async for frame in frames_of(response)]

    assert (response.status, frames[-1].type) == (200, "RUN_FINISHED")


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("runId=", "runId=x"),
        ("account=", f"account={UUID(int=1)}&"),
        ("expires=", "expires=9"),
        ("signature=", "signature=0"),
        ("/events?", f"/../{UUID(int=1)}/events?"),
    ],
)
async def test_changed_address_is_refused(caller: Caller, part: str, other: str) -> None:
    url = await sign_events(caller)

    status, _ = await open_without_token(caller, url.replace(part, other))

    assert status in (401, 404)


async def test_address_of_another_accounts_run_is_not_signed(
    caller: Caller, served: Served
) -> None:
    body = run_body()
    await caller.submit(body)
    stranger = await served.account()

    status, _ = await stranger.post(f"{RUNS}/{body['threadId']}/events-url", None)

    assert status == 403


async def test_signed_address_shows_the_board(caller: Caller) -> None:
    body = divination()
    await caller.submit(body)
    await caller.events(body["threadId"], body["runId"])
    path = f"/api/v1/agent/sessions/{body['threadId']}/board"

    _, signed = await caller.post(f"{path}-url", None)

    assert (await open_without_token(caller, signed["url"]))[1].startswith("<svg")
    assert (await open_without_token(caller, f"{caller.url}{path}.svg"))[0] == 401


async def test_address_expires() -> None:
    now = datetime(2026, 4, 3, tzinfo=UTC)
    address, expires_at = AccessSigner(b"x" * 32, lambda: now).sign("/a", AccountId(uuid4()))
    path, _, query = address.partition("?")
    scope = {"type": "http", "path": path, "query_string": query.encode(), "headers": []}
    later = AccessSigner(b"x" * 32, lambda: now + TTL + timedelta(seconds=1))

    with pytest.raises(Unauthenticated, match=EXPIRED):
        await later.identify(Request(scope))
    assert expires_at == now + TTL
