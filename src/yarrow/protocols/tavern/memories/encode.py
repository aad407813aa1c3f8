"""Memories, edges and jobs as JSON."""

from collections.abc import Iterable

from yarrow.db.list_total import ListTotal
from yarrow.kit.json import JsonObject, encode_json
from yarrow.memory.model import MemoryEdge, MemoryItem, MemoryJob, MemoryScope
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.protocols.tavern.memories.intake import GLOBAL_ID
from yarrow.protocols.tavern.memories.wire import MemoryScopeName

SCOPE_NAMES = {
    MemoryScope.GLOBAL: MemoryScopeName.GLOBAL,
    MemoryScope.CHAT: MemoryScopeName.CHAT,
    MemoryScope.BRANCH: MemoryScopeName.BRANCH,
    MemoryScope.TURN: MemoryScopeName.FLOOR,
}


def encode_memory_item(item: MemoryItem) -> JsonObject:
    memory = item.memory
    return {
        "id": str(memory.id),
        "scope": SCOPE_NAMES[memory.place.scope],
        "scope_id": encode_scope_id(item),
        "session_id": _format_id(memory.place.session_id),
        "branch_id": item.branch,
        "type": memory.kind,
        "summary_tier": memory.tier,
        "content": memory.content,
        "fact_key": memory.fact_key,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "status": item.status,
        "lifecycle": item.lifecycle,
        "source_floor_id": _format_id(memory.source_turn),
        "source_message_id": _format_id(memory.source_reply),
        "coverage_floor_ids": list(map(str, item.covered_turns)),
        "created_at": to_milliseconds(item.created_at),
        "updated_at": to_milliseconds(item.updated_at),
    }


def encode_scope_id(item: MemoryItem) -> str:
    place = item.memory.place
    match place.scope:
        case MemoryScope.GLOBAL:
            return GLOBAL_ID
        case MemoryScope.CHAT:
            return str(place.session_id)
        case MemoryScope.BRANCH:
            return encode_json([str(place.session_id), item.branch]).decode()
        case MemoryScope.TURN:
            return str(place.turn_id)


def encode_edge(edge: MemoryEdge) -> JsonObject:
    return {
        "id": str(edge.id),
        "source_id": _format_id(edge.source_id),
        "target_id": str(edge.target_id),
        "relation": edge.relation,
        "created_at": None if edge.created_at is None else to_milliseconds(edge.created_at),
    }


def encode_job(job: MemoryJob) -> JsonObject:
    return {
        "id": str(job.id),
        "job_id": str(job.id),
        "kind": job.kind,
        "status": job.status,
        "session_id": str(job.session_id),
        "branch_id": job.branch,
        "floor_id": job.payload.get("turn_id"),
        "attempt": job.attempt,
        "error": job.failure,
        "outcome": job.outcome,
        "created_at": None if job.created_at is None else to_milliseconds(job.created_at),
        "updated_at": None if job.updated_at is None else to_milliseconds(job.updated_at),
    }


def encode_counts(
    counts: Iterable[tuple[str, str, str | None, str, int]], total: ListTotal
) -> JsonObject:
    """How many memories there are in all, and by each of their properties; `total_capped` only
    when there are more than were counted."""
    groups: dict[str, dict[str, int]] = {
        "by_scope": {},
        "by_type": {},
        "by_summary_tier": {},
        "by_lifecycle": {},
        "by_status": {},
    }
    for scope, kind, tier, lifecycle, count in counts:
        status = "deprecated" if lifecycle == "deprecated" else "active"
        keys = (SCOPE_NAMES[MemoryScope(scope)].value, kind, tier, lifecycle, status)
        for group, key in zip(groups.values(), keys, strict=True):
            if key is not None:
                group[key] = group.get(key, 0) + count
    capped: JsonObject = {"total_capped": True} if total.is_capped else {}
    return {"total": total.count, **groups, **capped}


def _format_id(value: object | None) -> str | None:
    return None if value is None else str(value)
