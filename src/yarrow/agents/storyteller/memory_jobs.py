"""Work off the memory jobs. A job that is delivered twice stores its memories once."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import assert_never
from uuid import UUID

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.agents.conversation.conversation import Conversation
from yarrow.agents.storyteller.consolidate import ask_compaction, make_macro_summary
from yarrow.agents.storyteller.director_verifier import InternalQuestion
from yarrow.agents.storyteller.sampling import build_sampler
from yarrow.agents.storyteller.slots import list_skips
from yarrow.agents.storyteller.turn_memory import TurnConsolidation
from yarrow.db import Database, Tx
from yarrow.errors import NotFound
from yarrow.ids import AccountId, MessageId, SessionId, TurnId, new_uuid
from yarrow.journal.events import RunEvent, UsageReported
from yarrow.kit.json import JsonObject
from yarrow.memory import job_store
from yarrow.memory.compaction import plan_compaction
from yarrow.memory.model import MemoryJob, MemoryJobKind, MemoryJobStatus, StoredMemory
from yarrow.product_events.story import MemoryNote
from yarrow.prompting.tokens import estimate_tokens
from yarrow.runs.executions import await_or_log
from yarrow.sessions.model import TurnView
from yarrow.stories.memory_commit import (
    MemoryOwner,
    TurnMemory,
    note_summaries,
    store_notes,
)
from yarrow.stories.memory_jobs import ScopeWork, store_macro
from yarrow.stories.memory_rebuild import rebuild_summaries
from yarrow.stories.model_endpoints.model import ModelSlot
from yarrow.stories.model_endpoints.slots import SlotModel
from yarrow.stories.story_state import read_state, rewind_state
from yarrow.stories.timeline import read_turn

log = logging.getLogger("yarrow.memory")

MODEL_SILENT = "the memory model gave no usable answer; retry the job"
JOB_BROKEN = "an error of the server; it is in its log. Retry the job, or cancel it"
STORY_GONE = "the story, branch or turn of this job is gone"

ChooseModel = Callable[[AccountId, SessionId], Awaitable[SlotModel | None]]


class _JobResult(Struct, frozen=True):
    """What a job found: how to store it, what to tell, and why it failed, if it did."""

    outcome: JsonObject
    store: Callable[[Tx], Awaitable[None]] | None = None
    failure: str | None = None


class _JobCalls(Struct):
    """The model calls of a job: their tokens, and why a bound model was not asked."""

    tokens: list[tuple[int, int]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    async def collect(self, events: AsyncIterator[RunEvent]) -> None:
        """Read the events of a question to their end."""
        async for event in events:
            if isinstance(event, UsageReported):
                self.tokens.append((event.input_tokens, event.output_tokens))

    def add_skips(self, opened: SlotModel) -> None:
        """Keep a warning for each bound model that cannot be used."""
        skips = list_skips(opened, ModelSlot.MEMORY)
        self.warnings.extend(warning.message for warning in skips)

    def to_outcome(self) -> JsonObject:
        outcome: JsonObject = {}
        if self.tokens:
            sent = sum(counts[0] for counts in self.tokens)
            received = sum(counts[1] for counts in self.tokens)
            outcome["usage"] = {
                "prompt_tokens": sent,
                "completion_tokens": received,
                "total_tokens": sent + received,
            }
        if self.warnings:
            outcome["warnings"] = list(self.warnings)
        return outcome


class MemoryWorker(Struct):
    """Executes memory jobs, one at a time."""

    database: Database
    choose_model: ChooseModel
    timeout_s: float

    async def run_waiting(self) -> None:
        """Execute jobs until none waits."""
        while await self.run_job():
            pass

    async def run_job(self, job_id: UUID | None = None) -> bool:
        """Execute the oldest waiting job, or this one; False if there is none."""
        async with self.database.transaction() as tx:
            job = await job_store.claim_job(tx, job_id)
        if job is None:
            return False
        # If the database is away, the job is claimed again when its lease has expired.
        if not await await_or_log(
            self._execute_and_finish(job),
            on_error=False,
            event="memory.job_broken",
            job_id=job.id,
        ):
            await self._finish_job(job, _JobResult({}, failure=JOB_BROKEN))
        return True

    async def _execute_and_finish(self, job: MemoryJob) -> bool:
        await self._finish_job(job, await self._execute_job(job))
        return True

    async def _finish_job(self, job: MemoryJob, result: _JobResult) -> None:
        """Store the result, unless the job was cancelled or claimed by another worker."""
        async with self.database.transaction() as tx:
            if not await job_store.lock_claim(tx, job):
                return
            if result.store is not None:
                await result.store(tx)
            status = MemoryJobStatus.FAILED if result.failure else MemoryJobStatus.SUCCEEDED
            await job_store.finish_job(
                tx, job, status, failure=result.failure, outcome=result.outcome
            )
        log.info("memory.job_ended", extra={"job_id": str(job.id), "status": status.value})

    async def _execute_job(self, job: MemoryJob) -> _JobResult:
        if job.attempt > job_store.MAX_ATTEMPTS:
            return _JobResult({}, failure=f"given up after {job_store.MAX_ATTEMPTS} attempts")
        calls = _JobCalls()
        try:
            result = await self._execute_kind(job, calls)
        except NotFound:
            result = _JobResult({}, failure=STORY_GONE)
        return replace(result, outcome=result.outcome | calls.to_outcome())

    async def _execute_kind(self, job: MemoryJob, calls: _JobCalls) -> _JobResult:
        match job.kind:
            case MemoryJobKind.TURN:
                return await self._remember_turn(job, calls)
            case MemoryJobKind.COMPACT:
                return await self._compact_summaries(job, calls)
            case MemoryJobKind.REBUILD:
                return await self._rebuild_summaries(job)
            case _:
                assert_never(job.kind)

    async def _remember_turn(self, job: MemoryJob, calls: _JobCalls) -> _JobResult:
        work = msgspec.convert(job.payload, TurnMemory)
        turn_id, reply_id = TurnId(UUID(work.turn_id)), MessageId(UUID(work.reply_id))
        owner = MemoryOwner(job.account_id, job.session_id, job.branch_id, turn_id, reply_id)
        notes, deprecates = note_summaries(work.summaries), tuple[str, ...]()
        failure = None
        if work.consolidates:
            memory = await self._consolidate_turn(job, owner, work.summaries, calls)
            if memory is not None:
                notes, deprecates = (*notes, *memory.notes), memory.deprecates
                failure = MODEL_SILENT if memory.has_failed else None

        async def store(tx: Tx) -> None:
            await store_notes(tx, owner, notes, deprecates)

        outcome: JsonObject = {"stored": len(notes), "deprecated": len(deprecates)}
        return _JobResult(outcome, store, failure)

    async def _consolidate_turn(
        self, job: MemoryJob, owner: MemoryOwner, summaries: tuple[str, ...], calls: _JobCalls
    ) -> TurnConsolidation | None:
        """Ask the model of the memory slot; None if the slot has been disabled."""
        opened = await self.choose_model(job.account_id, job.session_id)
        if opened is None:
            return None
        turn = await read_turn(self.database, job.account_id, owner.turn_id)
        async with self.database.connection() as tx:
            state = await read_state(tx, job.account_id, job.session_id, job.branch)
            state = await rewind_state(tx, state, owner.turn_id)
        memories = state.list_memories()
        memory = TurnConsolidation(
            lambda: self._make_question(opened),
            memories,
            state.count_turns_since_compaction(memories),
        )
        message, reply = _read_texts(turn, owner.reply_id)
        calls.add_skips(opened)
        await calls.collect(memory.consolidate(message, reply, summaries))
        return memory

    async def _compact_summaries(self, job: MemoryJob, calls: _JobCalls) -> _JobResult:
        work = msgspec.convert(job.payload, ScopeWork)
        memories, turns_since = await self._read_scope_memories(job, work)
        plan = plan_compaction(
            memories, estimate_tokens, turns_since=turns_since, is_forced=work.is_forced
        )
        if plan is None:
            return _JobResult({"compacted": 0, "reason": "there are too few summaries"})
        opened = await self.choose_model(job.account_id, job.session_id)
        if opened is None:
            return _JobResult({"compacted": 0, "reason": "the memory slot is disabled"})
        question = self._make_question(opened)
        calls.add_skips(opened)
        await calls.collect(ask_compaction(question, plan))
        macro: MemoryNote | None = make_macro_summary(plan, question.reply)
        if macro is None:
            return _JobResult({"compacted": 0}, failure=MODEL_SILENT)

        async def store(tx: Tx) -> None:
            await store_macro(tx, job, work, macro)

        return _JobResult({"compacted": len(plan.memories)}, store)

    async def _read_scope_memories(
        self, job: MemoryJob, work: ScopeWork
    ) -> tuple[list[StoredMemory], int | None]:
        """The memories of the scope, and how many turns came after their last compaction."""
        async with self.database.connection() as tx:
            state = await read_state(tx, job.account_id, job.session_id, job.branch)
        of_scope = [each for each in state.list_memories() if each.scope is work.scope]
        memories = [each for each in of_scope if each.turn_id == work.turn_id]
        return memories, state.count_turns_since_compaction(memories)

    async def _rebuild_summaries(self, job: MemoryJob) -> _JobResult:
        work = msgspec.convert(job.payload, ScopeWork)
        async with self.database.connection() as tx:
            plan = await rebuild_summaries(tx, job, work)
        return _JobResult({"restored": plan.count, "removed": len(plan.removed)}, plan.store)

    def _make_question(self, opened: SlotModel) -> InternalQuestion:
        conversation = Conversation(opened.model, new_uuid, deadline_s=self.timeout_s)
        return InternalQuestion(conversation, build_sampler(opened.params))


def _read_texts(turn: TurnView, reply_id: MessageId) -> tuple[str, str]:
    """The input and the reply of a turn."""
    inputs = [each.content for each in turn.versions if each.is_input and each.active]
    replies = [each.content for each in turn.versions if each.id == reply_id]
    return "\n\n".join(inputs), replies[0] if replies else ""
