"""Jobs that write memories outside of a turn: queue, read, retry and cancel them."""

from uuid import UUID, uuid5

import msgspec
from msgspec import Struct

from yarrow.db import Database, Tx
from yarrow.db.list_total import ListTotal
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, MemoryId, SessionId, TurnId, new_uuid
from yarrow.kit.json import JsonObject
from yarrow.memory import edge_store, job_store
from yarrow.memory import store as memory_store
from yarrow.memory.errors import MemoryBusy, MemoryJobNotFound, MemoryJobState
from yarrow.memory.model import (
    MemoryEdge,
    MemoryJob,
    MemoryJobKind,
    MemoryJobStatus,
    MemoryRelation,
    MemoryScope,
    MemoryScopeRef,
    NewMemory,
)
from yarrow.product_events.story import MemoryNote
from yarrow.prompting.choose_memories import MemoryKind, SummaryTier
from yarrow.sessions import branch_store
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.memories import find_place
from yarrow.stories.variables import ScopeSelector
from yarrow.variables.model import Scope

OPEN_MAX = 20
"""Unfinished jobs of an account with which no other can be asked for; turns still queue theirs."""
BUSY_RETRY_S = 30.0


class ScopeWork(Struct, frozen=True, omit_defaults=True):
    """The payload of a job on one scope."""

    scope: MemoryScope
    turn_id: str | None = None
    is_forced: bool = False


class JobFilter(Struct, frozen=True):
    """Which jobs to list; None matches all."""

    session_id: SessionId | None = None
    status: MemoryJobStatus | None = None


async def queue_scope_job(
    database: Database,
    account_id: AccountId,
    selector: ScopeSelector,
    kind: MemoryJobKind,
    *,
    is_forced: bool = False,
) -> MemoryJob:
    """Queue a job that compacts or rebuilds the memories of a scope."""
    if selector.scope is Scope.GLOBAL:
        raise InvalidInput("global memories belong to no story", field="scope")
    async with database.transaction() as tx:
        await _require_room(tx, account_id)
        place = await find_place(tx, account_id, selector, is_written=True)
        assert place.session_id is not None
        name = selector.branch or MAIN_BRANCH
        branches = await branch_store.read_branches(tx, place.session_id, name)
        work = ScopeWork(
            place.scope, None if place.turn_id is None else str(place.turn_id), is_forced
        )
        job = MemoryJob(
            id=new_uuid(),
            account_id=account_id,
            session_id=place.session_id,
            branch_id=place.branch_id or branches[0].id,
            branch=name,
            kind=kind,
            payload=_encode_work(work),
        )
        await job_store.insert_job(tx, job)
    return await read_job(database, account_id, job.id)


async def _require_room(tx: Tx, account_id: AccountId) -> None:
    if await job_store.lock_open_jobs(tx, account_id) >= OPEN_MAX:
        rule = f"{OPEN_MAX} memory jobs of the account wait or run"
        raise MemoryBusy(rule, retry_after_s=BUSY_RETRY_S)


def _encode_work(work: ScopeWork) -> JsonObject:
    payload: JsonObject = msgspec.to_builtins(work)
    return payload


async def read_job(database: Database, account_id: AccountId, job_id: UUID) -> MemoryJob:
    async with database.connection() as tx:
        job = await job_store.find_job(tx, account_id, job_id)
    if job is None:
        raise MemoryJobNotFound(str(job_id))
    return job


async def list_jobs(
    database: Database, account_id: AccountId, where: JobFilter, *, limit: int, offset: int
) -> tuple[tuple[MemoryJob, ...], ListTotal]:
    """List jobs, newest first, and count those that match."""
    async with database.connection() as tx:
        return await job_store.list_jobs(
            tx,
            account_id,
            session_id=where.session_id,
            status=where.status,
            limit=limit,
            offset=offset,
        )


async def retry_job(database: Database, account_id: AccountId, job_id: UUID) -> MemoryJob:
    """Queue a failed or cancelled job again."""
    return await _change_status(
        database,
        account_id,
        job_id,
        old=(MemoryJobStatus.FAILED, MemoryJobStatus.CANCELLED),
        new=MemoryJobStatus.QUEUED,
    )


async def cancel_job(database: Database, account_id: AccountId, job_id: UUID) -> MemoryJob:
    """Cancel a job that has not ended; what it has found so far is not stored."""
    return await _change_status(
        database,
        account_id,
        job_id,
        old=(MemoryJobStatus.QUEUED, MemoryJobStatus.RUNNING),
        new=MemoryJobStatus.CANCELLED,
    )


async def _change_status(
    database: Database,
    account_id: AccountId,
    job_id: UUID,
    *,
    old: tuple[MemoryJobStatus, ...],
    new: MemoryJobStatus,
) -> MemoryJob:
    async with database.transaction() as tx:
        if new is MemoryJobStatus.QUEUED:
            await _require_room(tx, account_id)
        is_changed = await job_store.change_status(tx, account_id, job_id, old=old, new=new)
    job = await read_job(database, account_id, job_id)
    if not is_changed:
        action = "retried" if new is MemoryJobStatus.QUEUED else "cancelled"
        raise MemoryJobState(job.status, action)
    return job


async def store_macro(tx: Tx, job: MemoryJob, work: ScopeWork, note: MemoryNote) -> None:
    """Store the summary of a compaction job; it counts while all replies that it covers do."""
    replies = tuple(UUID(reply) for reply in note.replies)
    turn_id = None if work.turn_id is None else TurnId(UUID(work.turn_id))
    has_branch = work.scope in {MemoryScope.BRANCH, MemoryScope.TURN}
    memory = NewMemory(
        id=MemoryId(uuid5(job.id, "macro")),
        place=MemoryScopeRef(
            work.scope, job.session_id, job.branch_id if has_branch else None, turn_id
        ),
        kind=MemoryKind.SUMMARY,
        content=note.content,
        tier=SummaryTier.MACRO,
        importance=note.importance,
        replies=replies,
    )
    await memory_store.insert_items(tx, job.account_id, [memory])
    edges = [
        MemoryEdge(
            uuid5(job.id, f"edge:{target}"),
            memory.id,
            MemoryId(UUID(target)),
            MemoryRelation.COMPACTS,
            replies,
        )
        for target in note.compacts
    ]
    await edge_store.insert_edges(tx, job.account_id, edges)
