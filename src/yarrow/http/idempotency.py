"""`Idempotency-Key`: a POST that is sent twice is carried out once and answered twice.

The first request with a key reserves it; its answer is stored if it succeeded, and given to every
later request of the account with the same key. A request that comes meanwhile waits. The key with
another request is a conflict. A failed request stores nothing: it may be sent again.

A reservation is renewed while its request runs. One that is not renewed for 6 seconds, because
its process died or stalled, goes to a request that waits; the first one can then no longer store
its answer or free the key.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from weakref import WeakValueDictionary

from fastapi import Request, Response
from fastapi.responses import FileResponse, StreamingResponse

from yarrow.db import Database
from yarrow.db.errors import DatabaseUnavailable
from yarrow.errors import InvalidInput, Unauthenticated
from yarrow.http import idempotency_store as store
from yarrow.http.auth import current_account
from yarrow.http.body import read_body, read_media_type
from yarrow.http.errors import IdempotencyConflict
from yarrow.http.idempotency_store import RequestKey, StoredAnswer
from yarrow.http.streaming import StreamedResponse
from yarrow.ids import AccountId, new_uuid

KEY_HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MAX_KEY_CHARS = 255
MAX_BODY_BYTES = 32 * 1024 * 1024
"""A body is read before its route is asked, which may have a lower limit; forms are not."""
BODY_RULE = f"the body of a request with an {KEY_HEADER} must have at most {MAX_BODY_BYTES} bytes"
FORM_TYPE = "multipart/form-data"
MAX_ANSWER_BYTES = 1024 * 1024
"""A larger answer is not stored; no route that makes something has one."""
WAIT_S = 60.0
POLL_S = 0.1
MAX_POLL_S = 1.0
"""The longer a request has waited, the less often it asks."""
MARK_S = 1.0
"""How often a waiting request says so."""
RENEW_S = 2.0
ABANDONED_AFTER = timedelta(seconds=3 * RENEW_S)
"""Longer than the lease of a worker, so that the run of a dead process is taken over first."""
FINISH_TRIES = 30
SWEEP_S = 3600.0
KEEP = timedelta(days=1)

Handle = Callable[[Request], Awaitable[Response]]
HasWaiter = Callable[[], Awaitable[bool]]
_HAS_WAITER = "yarrow.has_waiter"


def read_key(request: Request) -> str | None:
    """The key of the request, if it has one; `InvalidInput` if it cannot be one."""
    key = request.headers.get(KEY_HEADER)
    if key is not None and not (0 < len(key) <= MAX_KEY_CHARS and key.isascii()):
        raise InvalidInput(
            f"{KEY_HEADER} must have 1 to {MAX_KEY_CHARS} characters", field=KEY_HEADER
        )
    return key


async def has_waiting_repeat(request: Request) -> bool:
    """Whether another request with the same key waits for the answer of this one."""
    has_waiter: HasWaiter | None = request.scope.get(_HAS_WAITER)
    return has_waiter is not None and await has_waiter()


class IdempotentRequests:
    """Answers repeated POSTs from the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turns: WeakValueDictionary[tuple[AccountId, str, bytes], asyncio.Lock] = (
            WeakValueDictionary()
        )

    async def answer(self, request: Request, handle: Handle) -> Response:
        """Carry out the request, or give the answer of the first one with its key."""
        key = read_key(request) if request.method == "POST" else None
        if key is None:
            return await handle(request)
        try:
            account_id = await current_account(request)
        except Unauthenticated:
            return await handle(request)  # a public route, or it refuses in its own way
        request_key = RequestKey(account_id, key, await _digest_request(request), new_uuid())
        stored = await self._reserve_key(request_key)
        if stored is not None:
            return Response(
                stored.body, stored.status, {REPLAYED: "true"}, media_type=stored.media_type
            )
        return await self._carry_out(request_key, request, handle)

    async def _reserve_key(self, key: RequestKey) -> StoredAnswer | None:
        """Reserve the key, or return the stored answer; waits for a first request that runs.

        Of the requests that wait here for one answer, one at a time asks the database.
        """
        turns = self._turns.setdefault((key.account_id, key.key, key.digest), asyncio.Lock())
        with suppress(TimeoutError):
            async with asyncio.timeout(WAIT_S), turns:
                return await self._reserve_or_wait(key)
        raise IdempotencyConflict("the first request with this key is still running")

    async def _reserve_or_wait(self, key: RequestKey) -> StoredAnswer | None:
        now = asyncio.get_running_loop().time
        began_at = mark_at = now()
        while True:
            async with self._database.connection() as tx:
                if await store.reserve_key(tx, key, abandoned_after=ABANDONED_AFTER):
                    return None
                earlier = await store.find_key_state(tx, key)
                if now() >= mark_at:
                    await store.mark_waiting(tx, key)
                    mark_at = now() + MARK_S
            if earlier is not None and earlier.digest != key.digest:
                raise IdempotencyConflict("the key was used for another request")
            if earlier is not None and earlier.answer is not None:
                return earlier.answer
            await asyncio.sleep(min(POLL_S + (now() - began_at) / 10, MAX_POLL_S))

    async def _carry_out(self, key: RequestKey, request: Request, handle: Handle) -> Response:
        answer = None
        request.scope[_HAS_WAITER] = partial(self._has_waiter, key)
        try:
            async with self._renew_reservation(key):
                response = await handle(request)
            answer = _make_stored_answer(response)
            return response
        finally:
            # A shield: the answer is stored even if the client has gone.
            await asyncio.shield(self._finish_request(key, answer))

    async def _has_waiter(self, key: RequestKey) -> bool:
        async with self._database.connection() as tx:
            return await store.has_waiter(tx, key, within=timedelta(seconds=5 * MARK_S))

    async def _finish_request(self, key: RequestKey, answer: StoredAnswer | None) -> None:
        """Store the answer, or free the key; waits for a database that is away, but not long."""
        for _ in range(FINISH_TRIES):
            with suppress(DatabaseUnavailable):
                await self._store_end(key, answer)
                return
            await asyncio.sleep(POLL_S)
        await self._store_end(key, answer)

    async def _store_end(self, key: RequestKey, answer: StoredAnswer | None) -> None:
        async with self._database.connection() as tx:
            if answer is None:
                await store.release_key(tx, key)
            else:
                await store.save_answer(tx, key, answer)

    @asynccontextmanager
    async def _renew_reservation(self, key: RequestKey) -> AsyncIterator[None]:
        """Renew the reservation while the block lasts; a dead process lets go of its keys."""

        async def renew_periodically() -> None:
            while True:
                await asyncio.sleep(RENEW_S)
                with suppress(DatabaseUnavailable):
                    async with self._database.reserved_connection() as tx:
                        await store.renew_key(tx, key)

        task = asyncio.create_task(renew_periodically())
        try:
            yield
        finally:
            task.cancel()


async def sweep_keys(database: Database) -> None:
    """Delete answers that are older than a day."""
    async with database.connection() as tx:
        await store.delete_old(tx, older_than=KEEP)


def _make_stored_answer(response: Response) -> StoredAnswer | None:
    """The answer as it is stored; None for a failure, a stream or a very large one."""
    if (
        isinstance(response, StreamedResponse | StreamingResponse | FileResponse)
        or response.status_code >= 300
    ):
        return None
    body = bytes(response.body)
    if len(body) > MAX_ANSWER_BYTES:
        return None
    return StoredAnswer(response.status_code, response.headers.get("content-type"), body)


async def _digest_request(request: Request) -> bytes:
    """What makes a request the same: its address and body; of a form only the length, because
    forms are read as streams and their boundaries differ."""
    digest = hashlib.sha256(f"{request.url.path}?{request.url.query}\n".encode())
    kind = read_media_type(request)
    if kind == FORM_TYPE:
        digest.update(f"{kind} {request.headers.get('content-length', '')}".encode())
    else:
        digest.update(await _keep_body(request))
    return digest.digest()


async def _keep_body(request: Request) -> bytes:
    """Read the body and leave it to the route, as `Request.body` does, but not without a limit."""
    body = await read_body(request, limit=MAX_BODY_BYTES, rule=BODY_RULE)
    request._body = body
    return body
