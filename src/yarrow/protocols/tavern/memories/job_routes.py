"""`/memory/jobs` and `/memory/scopes`."""

from fastapi import APIRouter, Depends, Request, Response

from yarrow.agents.storyteller.memory_jobs import MemoryWorker
from yarrow.http.auth import CurrentAccount
from yarrow.http.body import read_optional_body, validate
from yarrow.http.openapi import describe_body
from yarrow.ids import AccountId
from yarrow.memory.model import MemoryJobKind, MemoryJobStatus
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import ListPage, build_data, build_list
from yarrow.protocols.tavern.memories.encode import encode_job
from yarrow.protocols.tavern.memories.intake import parse_job_id, parse_scope
from yarrow.protocols.tavern.memories.routes import BODY_LIMIT, refuse_memory
from yarrow.protocols.tavern.memories.wire import CompactBody, MemoryScopeBody, MemoryScopeName
from yarrow.protocols.tavern.openapi import make_router
from yarrow.protocols.tavern.parameters import PAGE_DEFAULT, Limit, Offset
from yarrow.settings import MemoryMode
from yarrow.stories import memory_jobs
from yarrow.stories.memory_jobs import JobFilter


def make_memory_job_router(worker: MemoryWorker, mode: MemoryMode) -> APIRouter:
    router = make_router("memories")
    if mode is MemoryMode.OFF:
        router.dependencies.append(Depends(refuse_memory))
    _add_jobs(router, worker)
    _add_scopes(router, worker, mode)
    return router


def _add_jobs(router: APIRouter, worker: MemoryWorker) -> None:
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
        job = await memory_jobs.retry_job(database, account_id, parse_job_id(id))
        return build_data(encode_job(job))

    @router.post("/memory/jobs/{id}/cancel", summary="Cancel a job that has not ended")
    async def cancel(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        job = await memory_jobs.cancel_job(database, account_id, parse_job_id(id))
        return build_data(encode_job(job))


def _add_scopes(router: APIRouter, worker: MemoryWorker, mode: MemoryMode) -> None:
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
            validate(MemoryScopeBody, {"scope": scope.value, "scope_id": scope_id})
        )
        job = await memory_jobs.queue_scope_job(
            worker.database, account_id, selector, kind, is_forced=is_forced
        )
        if mode is MemoryMode.ASYNC:
            return build_data(encode_job(job), status=202)
        await worker.run_next(job.id)
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
