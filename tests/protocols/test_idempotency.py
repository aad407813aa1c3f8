"""`Idempotency-Key`: what was made once is made once, however often the request is sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import aiohttp
import pytest
from tests.loose_json import JsonObject
from tests.observed_database import ObservedDatabase
from tests.own_database import create_database
from tests.protocols.fixtures import served
from tests.serving import Caller, Served
from tests.tcp_postgres import tcp_postgres
from tests.waiting import PATIENCE_S

from yarrow.db import open_database
from yarrow.http import idempotency_store as store
from yarrow.http.idempotency import IdempotentRequests
from yarrow.http.idempotency_store import KeyState, RequestKey, StoredAnswer
from yarrow.ids import AccountId

__all__ = ["served"]

SESSIONS = "/sessions"
CREATE_TABLE = "/api/tables/create-table"
LIST_TABLES = "/api/tables/list-tables"


async def post_session(
    caller: Caller, key: str, title: str = "A story"
) -> tuple[int, str, JsonObject]:
    headers = {**caller.headers, "Idempotency-Key": key}
    url = caller.url + SESSIONS
    async with caller.http.post(url, json={"title": title}, headers=headers) as answer:
        body = await answer.json()
        return answer.status, answer.headers.get("Idempotency-Replayed", ""), body


async def upload(caller: Caller, key: str) -> JsonObject:
    form = aiohttp.FormData()
    form.add_field("file", b"a,b\n1,2\n", filename="t.csv", content_type="text/csv")
    headers = {**caller.headers, "Idempotency-Key": key}
    async with caller.http.post(caller.url + CREATE_TABLE, data=form, headers=headers) as answer:
        body: JsonObject = await answer.json()
        return body


async def test_a_repeated_request_gets_the_first_answer(served: Served) -> None:
    caller = await served.account()

    first = await post_session(caller, "k1")
    again = await post_session(caller, "k1")
    other = await post_session(caller, "k2")

    assert (first[0], first[1], again[1]) == (201, "", "true")
    assert (again[0], again[2]) == (first[0], first[2])
    assert other[2]["data"]["id"] != first[2]["data"]["id"]


async def test_requests_that_meet_make_one_thing(served: Served) -> None:
    caller = await served.account()

    answers = await asyncio.gather(*(post_session(caller, "k") for _ in range(8)))

    assert len({body["data"]["id"] for _, _, body in answers}) == 1
    _, sessions = await caller.get(SESSIONS)
    assert sessions["meta"]["total"] == 1


async def test_the_key_with_another_body_is_a_conflict(served: Served) -> None:
    caller = await served.account()
    await post_session(caller, "k", "one")

    status, _, body = await post_session(caller, "k", "two")

    assert (status, body["error"]["code"]) == (409, "idempotency_conflict")


async def test_another_body_is_a_conflict_however_its_type_is_written(served: Served) -> None:
    caller = await served.account()
    headers = {**caller.headers, "Idempotency-Key": "k", "Content-Type": "Application/JSON"}

    statuses = []
    for body in (b'{"title": "alpha"}', b'{"title": "bravo"}'):
        async with caller.http.post(caller.url + SESSIONS, data=body, headers=headers) as answer:
            statuses.append(answer.status)

    assert statuses == [201, 409]


async def test_a_key_does_not_lift_the_limit_of_a_body(served: Served) -> None:
    caller, sent = await served.account(), 0

    async def send() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(256):
            sent += 1
            yield b" " * 1024 * 1024

    headers = {**caller.headers, "Idempotency-Key": "k", "Content-Type": "application/json"}
    with suppress(aiohttp.ClientError):  # the server hangs up on what it has refused
        async with caller.http.post(caller.url + SESSIONS, data=send(), headers=headers) as answer:
            assert answer.status == 413

    assert sent < 128


async def test_a_key_belongs_to_its_account(served: Served) -> None:
    mine, theirs = await served.account(), await served.account()

    first, second = await post_session(mine, "k"), await post_session(theirs, "k")

    assert (first[1], second[1]) == ("", "")
    assert first[2]["data"]["id"] != second[2]["data"]["id"]


async def test_a_failed_request_may_be_sent_again(served: Served) -> None:
    caller = await served.account()
    headers = {**caller.headers, "Idempotency-Key": "k"}
    url = caller.url + SESSIONS
    async with caller.http.post(url, json={"nonsense": 1}, headers=headers) as answer:
        assert answer.status == 400

    assert (await post_session(caller, "k"))[0] == 201


@pytest.mark.parametrize("key", ["", "k" * 256])
async def test_an_impossible_key_is_refused(served: Served, key: str) -> None:
    caller = await served.account()

    status, _, body = await post_session(caller, key)

    assert (status, body["error"]["code"]) == (400, "validation_error")


@pytest.mark.parametrize("late_answer", [None, StoredAnswer(200, None, b"late")])
async def test_a_request_that_lost_its_key_cannot_end_its_successor(
    served: Served, late_answer: StoredAnswer | None
) -> None:
    account_id, at_once = AccountId(uuid4()), timedelta(0)
    stalled, successor = (RequestKey(account_id, "k", b"d", uuid4()) for _ in range(2))
    requests = IdempotentRequests(served.product.database)
    async with served.product.database.connection() as tx:
        assert await store.reserve_key(tx, stalled, abandoned_after=at_once)
        assert await store.reserve_key(tx, successor, abandoned_after=at_once)

        await requests._finish_request(stalled, late_answer)
        await store.renew_key(tx, stalled)
        assert await store.find_key_state(tx, successor) == KeyState(b"d", None)
        await requests._finish_request(successor, StoredAnswer(201, None, b"own"))
        await requests._finish_request(stalled, late_answer)

        assert await store.find_key_state(tx, stalled) == KeyState(
            b"d", StoredAnswer(201, None, b"own")
        )


async def test_an_upload_that_is_repeated_makes_one_table(served: Served) -> None:
    caller, key = await served.account(), uuid4().hex

    first, again = await upload(caller, key), await upload(caller, key)

    assert first["status"] == "success", first
    assert again == first
    _, tables = await caller.get(LIST_TABLES)
    assert len(tables["data"]["tables"]) == 1


async def test_of_many_that_wait_for_one_answer_one_asks_for_it(served: Served) -> None:
    database, account_id = served.product.database, AccountId(uuid4())
    first, *repeats = (RequestKey(account_id, "k", b"d", uuid4()) for _ in range(50))
    async with database.connection() as tx:
        assert await store.reserve_key(tx, first, abandoned_after=timedelta(minutes=1))
    observed = ObservedDatabase(database)
    requests = IdempotentRequests(observed)

    waiting = [asyncio.create_task(requests._reserve_key(each)) for each in repeats]
    async with asyncio.timeout(PATIENCE_S):
        while observed.taken.total() < 5:
            await asyncio.sleep(0.01)
    askers = len(observed.taken)
    await requests._finish_request(first, StoredAnswer(201, None, b"made"))

    answers = await asyncio.gather(*waiting)
    assert askers == 1
    assert {answer.body for answer in answers if answer} == {b"made"}


@pytest.mark.parametrize("answer", [None, StoredAnswer(201, None, b"made")])
async def test_a_request_ends_its_key_when_the_database_is_back(
    postgres: str, answer: StoredAnswer | None
) -> None:
    name = urlsplit(await create_database(postgres)).path.removeprefix("/")
    key = RequestKey(AccountId(uuid4()), "k", b"d", uuid4())
    async with tcp_postgres(postgres) as proxy, open_database(proxy.url(name), size=2) as database:
        requests = IdempotentRequests(database)
        assert await requests._reserve_key(key) is None

        proxy.cut_after = 0
        ending = asyncio.create_task(requests._finish_request(key, answer))
        await asyncio.sleep(0.3)
        proxy.cut_after = None
        await ending

        async with database.connection() as tx:
            kept = await store.find_key_state(tx, key)
        assert kept == (None if answer is None else KeyState(b"d", answer))


@pytest.mark.slow
async def test_the_key_of_a_request_that_takes_long_is_kept(served: Served) -> None:
    database, account_id = served.product.database, AccountId(uuid4())
    slow, other = (RequestKey(account_id, "k", b"d", uuid4()) for _ in range(2))
    async with database.connection() as tx:
        assert await store.reserve_key(tx, slow, abandoned_after=timedelta(minutes=1))
        await tx.execute(
            "UPDATE idempotency_keys SET reserved_at = now() - interval '1 hour' "
            "WHERE account_id = $1",
            account_id,
        )
        renewed = "SELECT reserved_at > now() - $2::interval FROM idempotency_keys"

        async with (
            IdempotentRequests(database)._renew_reservation(slow),
            asyncio.timeout(PATIENCE_S),
        ):
            while not await tx.fetchval(
                f"{renewed} WHERE account_id = $1", account_id, timedelta(minutes=1)
            ):
                await asyncio.sleep(0.1)

        assert not await store.reserve_key(tx, other, abandoned_after=timedelta(minutes=1))
