"""Store the memories of a turn, or queue the job that will."""

from uuid import UUID, uuid5

import msgspec
from msgspec import Struct

from yarrow.db import Tx
from yarrow.ids import AccountId, BranchId, MemoryId, MessageId, SessionId, TurnId
from yarrow.memory import edge_store, job_store, store
from yarrow.memory.model import (
    CONTENT_CHARS,
    KEY_CHARS,
    MemoryEdge,
    MemoryJob,
    MemoryJobKind,
    MemoryRelation,
    MemoryScope,
    MemoryScopeRef,
    NewMemory,
)
from yarrow.product_events.story import MemoryNote, MemoryNoted
from yarrow.prompting.choose_memories import MemoryKind, SummaryTier
from yarrow.runs.model import ClaimedRun
from yarrow.settings import MemoryMode


class TurnReply(Struct, frozen=True):
    """A stored reply, and the summaries that were found in it."""

    id: MessageId
    summaries: tuple[str, ...] = ()


class TurnMemory(Struct, frozen=True, omit_defaults=True):
    """The payload of a turn's job: what is to be remembered, and of which reply."""

    turn_id: str
    reply_id: str
    summaries: tuple[str, ...] = ()
    consolidates: bool = False


class MemoryOwner(Struct, frozen=True):
    """The turn that memories belong to."""

    account_id: AccountId
    session_id: SessionId
    branch_id: BranchId
    turn_id: TurnId
    reply_id: MessageId


async def commit_memory(tx: Tx, run: ClaimedRun, noted: MemoryNoted, reply: TurnReply) -> None:
    """Store what a turn noted, or queue its job, in the transaction that settles the run."""
    if noted.mode != MemoryMode.ASYNC:
        owner = MemoryOwner(run.account_id, run.session_id, run.branch_id, run.turn_id, reply.id)
        notes = (*note_summaries(reply.summaries), *noted.notes)
        await store_notes(tx, owner, notes, noted.deprecates)
        return
    payload = TurnMemory(str(run.turn_id), str(reply.id), reply.summaries, noted.consolidates)
    job = MemoryJob(
        id=run.id,
        account_id=run.account_id,
        session_id=run.session_id,
        branch_id=run.branch_id,
        branch="",
        kind=MemoryJobKind.TURN,
        payload=msgspec.to_builtins(payload),
    )
    await job_store.insert_job(tx, job)


def note_summaries(summaries: tuple[str, ...]) -> tuple[MemoryNote, ...]:
    """Summaries found in a reply are micro summaries of its turn."""
    return tuple(
        MemoryNote(MemoryKind.SUMMARY.value, text, SummaryTier.MICRO.value) for text in summaries
    )


async def store_notes(
    tx: Tx, owner: MemoryOwner, notes: tuple[MemoryNote, ...], deprecates: tuple[str, ...] = ()
) -> None:
    """Store the notes of a turn. Doing it twice stores them once: ids follow from the reply."""
    items = [_make_item(owner, index, note) for index, note in enumerate(notes)]
    await store.insert_items(tx, owner.account_id, items)
    edges = [
        _make_edge(owner, item.id, target, relation, item.replies)
        for item, note in zip(items, notes, strict=True)
        for relation, targets in (
            (MemoryRelation.UPDATES, note.updates),
            (MemoryRelation.RESOLVES, note.resolves),
            (MemoryRelation.COMPACTS, note.compacts),
        )
        for target in targets
    ]
    edges += [
        _make_edge(owner, None, target, MemoryRelation.DEPRECATES, (owner.reply_id,))
        for target in deprecates
    ]
    await edge_store.insert_edges(tx, owner.account_id, edges)


def _make_item(owner: MemoryOwner, index: int, note: MemoryNote) -> NewMemory:
    covered = (*(UUID(reply) for reply in note.replies), owner.reply_id)
    return NewMemory(
        id=MemoryId(uuid5(owner.reply_id, f"memory:{index}")),
        place=MemoryScopeRef(MemoryScope.BRANCH, owner.session_id, owner.branch_id),
        kind=MemoryKind(note.kind),
        content=note.content[:CONTENT_CHARS],
        tier=None if note.tier is None else SummaryTier(note.tier),
        fact_key=None if note.fact_key is None else note.fact_key[:KEY_CHARS],
        importance=note.importance,
        replies=tuple(dict.fromkeys(covered)),
        source_turn=owner.turn_id,
        source_reply=owner.reply_id,
    )


def _make_edge(
    owner: MemoryOwner,
    source: MemoryId | None,
    target: str,
    relation: MemoryRelation,
    replies: tuple[UUID, ...],
) -> MemoryEdge:
    edge_id = uuid5(owner.reply_id, f"edge:{source}:{target}:{relation}")
    return MemoryEdge(edge_id, source, MemoryId(UUID(target)), relation, replies)
