"""`/memory/jobs` and `/memory/scopes`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, Depends, Request, Response

from yarrow.agents.storyteller.memory_jobs import MemoryWorker
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import read_optional_body, validate_model
from yarrow.http.openapi import describe_body
from yarrow.ids import AccountId
from yarrow.kit.limiter import Limiter
from yarrow.kit.rate_limit import RateLimit
from yarrow.memory.errors import MemoryBusy
from yarrow.memory.model import MemoryJobKind, MemoryJobStatus
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list
from yarrow.protocols.tavern.memories.encode import encode_job
from yarrow.protocols.tavern.memories.intake import parse_job_id, parse_scope
from yarrow.protocols.tavern.memories.routes import BODY_LIMIT, refuse_memory
from yarrow.protocols.tavern.memories.wire import CompactBody, MemoryScopeBody, MemoryScopeName
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.parameters import PAGE_DEFAULT, Limit, Offset
from yarrow.runs.engine import Engine
from yarrow.settings import MemoryMode
from yarrow.stories import memory_jobs
from yarrow.stories.memory_jobs import JobFilter

PER_MINUTE = 30
"""Jobs that an account may ask for: they cost no points, and the server's model answers them."""
AT_ONCE = 8
WAIT_S = 30.0


class JobAdmission:
    """Bounds the jobs that accounts ask for: how often, and how many are executed at once."""

    def __init__(self, engine: Engine, mode: MemoryMode) -> None:
        self._engine, self._is_queued = engine, mode is MemoryMode.ASYNC
        self._rate = RateLimit(burst=PER_MINUTE, per_s=PER_MINUTE / 60)
        self._slots = Limiter(AT_ONCE, per_owner=1, timeout_s=WAIT_S, busy=_refuse_waiting)

    @asynccontextmanager
    async def executing(self, account_id: AccountId) -> AsyncIterator[None]:
        """Count a job; one that this process executes at once waits for those before it."""
        if wait_s := self._rate.take(account_id, now=self._engine.clock().timestamp()):
            rule = f"an account may ask for {PER_MINUTE} memory jobs a minute"
            raise MemoryBusy(rule, retry_after_s=wait_s)
        if self._is_queued:
            yield
            return
        async with self._slots.slot(account_id):
            yield

    @asynccontextmanager
    async def storing(self, account_id: AccountId) -> AsyncIterator[None]:
        async with self._engine.admission.slot(account_id):
            yield


def _refuse_waiting() -> MemoryBusy:
    return MemoryBusy("other memory jobs are executed", retry_after_s=WAIT_S)


def make_memory_job_router(engine: Engine, worker: MemoryWorker, mode: MemoryMode) -> APIRouter:
    router = make_router("memories")
    if mode is MemoryMode.OFF:
        router.dependencies.append(Depends(refuse_memory))
    admission = JobAdmission(engine, mode)
    _add_jobs(router, worker, admission)
    _add_scopes(router, worker, admission, mode)
    return router


def _add_jobs(router: APIRouter, worker: MemoryWorker, admission: JobAdmission) -> None:
    database = worker.database

    @router.get("/memory/jobs", summary="Memory jobs, newest first")
    async def show(
        account_id: CurrentAccount,
        *,
        session_id: str | None = None,
        status: MemoryJobStatus | None = None,
        limit: Limit = PAGE_DEFAULT,
        offset: Offset = 0,
    ) -> Response:
        session = None if session_id is None else ids.parse_session_id(session_id)
        jobs, total = await memory_jobs.list_jobs(
            database, account_id, JobFilter(session, status), limit=limit, offset=offset
        )
        page = ListPage(limit, offset, "created_at", "desc")
        return build_list(list(map(encode_job, jobs)), total=total, page=page)

    @router.get("/memory/jobs/{id}", summary="One memory job")
    async def read(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return build_data(
            encode_job(await memory_jobs.read_job(database, account_id, parse_job_id(id)))
        )

    @router.post("/memory/jobs/{id}/retry", summary="Queue a failed or cancelled job again")
    async def retry(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        job_id = parse_job_id(id)
        async with admission.executing(account_id), admission.storing(account_id):
            job = await memory_jobs.retry_job(database, account_id, job_id)
        return build_data(encode_job(job))

    @router.post("/memory/jobs/{id}/cancel", summary="Cancel a job that has not ended")
    async def cancel(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        job = await memory_jobs.cancel_job(database, account_id, parse_job_id(id))
        return build_data(encode_job(job))


def _add_scopes(
    router: APIRouter, worker: MemoryWorker, admission: JobAdmission, mode: MemoryMode
) -> None:
    async def run(
        account_id: AccountId,
        scope: MemoryScopeName,
        scope_id: str,
        kind: MemoryJobKind,
        *,
        is_forced: bool = False,
    ) -> Response:
        """Queue the job; without a queue it is executed at once."""
        selector = parse_scope(
            validate_model(MemoryScopeBody, {"scope": scope.value, "scope_id": scope_id})
        )
        async with admission.executing(account_id):
            async with admission.storing(account_id):
                job = await memory_jobs.queue_scope_job(
                    worker.database, account_id, selector, kind, is_forced=is_forced
                )
            if mode is MemoryMode.ASYNC:
                return build_data(encode_job(job), status=202)
            await worker.run_job(job.id)
        return build_data(
            encode_job(await memory_jobs.read_job(worker.database, account_id, job.id))
        )

    @router.post(
        "/memory/scopes/{scope}/{id}/compact",
        summary="Replace old summaries of turns by one of all of them",
        openapi_extra=describe_body(CompactBody),
    )
    async def compact(
        request: Request,
        scope: MemoryScopeName,
        id: str,  # noqa: A002
        account_id: CurrentAccount,
    ) -> Response:
        body = await read_optional_body(CompactBody, request, limit=BODY_LIMIT)
        return await run(account_id, scope, id, MemoryJobKind.COMPACT, is_forced=body.force)

    @router.post(
        "/memory/scopes/{scope}/{id}/rebuild",
        summary="Make the summaries of turns again from their replies",
    )
    async def rebuild(scope: MemoryScopeName, id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        return await run(account_id, scope, id, MemoryJobKind.REBUILD)
