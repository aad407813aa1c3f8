"""Ask the memory model what to remember of a turn. Its errors never fail the turn."""

from collections.abc import AsyncIterator, Mapping, Sequence
from math import isfinite

from msgspec import Struct

from yarrow.agents.conversation.json_text import find_objects, read_text
from yarrow.agents.storyteller.director_verifier import InternalQuestion
from yarrow.agents.storyteller.prompt import COMPACTION_TASK, MEMORY_TASK
from yarrow.journal.events import RunEvent, Warned
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.memory.compaction import CompactionPlan
from yarrow.memory.model import DEFAULT_IMPORTANCE, StoredMemory
from yarrow.product_events.story import MemoryNote
from yarrow.prompting.choose_memories import MemoryKind, SummaryTier

MEMORY_FAILED = Warned(
    "MEMORY_FAILED", "The memory model gave no usable answer; only the reply's summaries are kept."
)
MAX_NOTES = 20
MAX_CHARS = 2_000
LISTED_MEMORIES = 40
_MEMORY_SAMPLER: JsonObject = {"temperature": 0.3, "max_tokens": 1_000}


class Consolidation(Struct, frozen=True):
    """What the memory model wants to keep, and the ids of what no longer holds."""

    notes: tuple[MemoryNote, ...]
    deprecates: tuple[str, ...] = ()


async def ask_memory(
    question: InternalQuestion, memories: Sequence[StoredMemory], message: str, reply: str
) -> AsyncIterator[RunEvent]:
    """Ask what to remember of an exchange."""
    material = f"{_format_memories(memories)}\n\n[user]\n{message}\n\n[reply]\n{reply}"
    async for event in question.ask(MEMORY_TASK, material, _MEMORY_SAMPLER):
        yield event


async def ask_compaction(
    question: InternalQuestion, plan: CompactionPlan
) -> AsyncIterator[RunEvent]:
    """Ask for one summary of many."""
    material = "\n".join(f"- {memory.content}" for memory in plan.memories)
    async for event in question.ask(COMPACTION_TASK, material, _MEMORY_SAMPLER):
        yield event


def make_macro_summary(plan: CompactionPlan, text: str | None) -> MemoryNote | None:
    """The summary that replaces those of a plan; None if the model wrote nothing."""
    content = _read_line(text)
    if not content:
        return None
    replies = dict.fromkeys(reply for memory in plan.memories for reply in memory.replies)
    return MemoryNote(
        MemoryKind.SUMMARY.value,
        content,
        SummaryTier.MACRO.value,
        importance=max(memory.importance for memory in plan.memories),
        compacts=tuple(memory.memory_id for memory in plan.memories),
        replies=tuple(replies),
    )


def _select_listed(memories: Sequence[StoredMemory]) -> Sequence[StoredMemory]:
    """Facts and open loops, the most important ones: summaries cannot be changed."""
    listed = [memory for memory in memories if memory.kind is not MemoryKind.SUMMARY]
    listed.sort(key=lambda memory: (-memory.importance, -memory.created_s, memory.memory_id))
    return listed[:LISTED_MEMORIES]


def _format_memories(memories: Sequence[StoredMemory]) -> str:
    lines = [
        f"[m{number}] ({memory.kind}) {memory.to_entry().text}"
        for number, memory in enumerate(_select_listed(memories), 1)
    ]
    return "\n".join(["[memories]", *(lines or ["none"])])


def parse_consolidation(
    reply: str | None, memories: Sequence[StoredMemory], *, is_summarised: bool
) -> Consolidation | None:
    """Read the answer; None if there is no JSON object with any of the fields.

    A turn whose reply had summaries of its own needs none of the model.
    """
    for span in find_objects(reply or ""):
        fields = {name.replace("_", "").lower(): value for name, value in span.value.items()}
        if _FIELDS.isdisjoint(fields):
            continue
        return _build_consolidation(fields, _index_memories(memories), is_summarised=is_summarised)
    return None


_FIELDS = {
    "turnsummary",
    "factsadd",
    "factsupdate",
    "factsdeprecate",
    "openloopsadd",
    "openloopsresolve",
}


def _build_consolidation(
    fields: JsonObject, known: Mapping[str, StoredMemory], *, is_summarised: bool
) -> Consolidation:
    notes: list[MemoryNote] = []
    summary = _read_line(fields.get("turnsummary"))
    if summary and not is_summarised:
        notes.append(MemoryNote(MemoryKind.SUMMARY.value, summary, SummaryTier.MICRO.value))
    facts = (*_read_items(fields, "factsadd"), *_read_items(fields, "factsupdate"))
    notes += [note for item in facts if (note := _make_fact(item, known))]
    loops = [
        _read_line(_read_field(item, "content")) for item in _read_items(fields, "openloopsadd")
    ]
    notes += [MemoryNote(MemoryKind.OPEN_LOOP.value, loop) for loop in loops if loop]
    ended = (*_read_items(fields, "factsdeprecate"), *_read_items(fields, "openloopsresolve"))
    ids = [_find_memory(item, known) for item in ended]
    deprecates = dict.fromkeys(memory.memory_id for memory in ids if memory is not None)
    return Consolidation(tuple(notes[:MAX_NOTES]), tuple(deprecates))


def _make_fact(item: JsonValue, known: Mapping[str, StoredMemory]) -> MemoryNote | None:
    """A fact; one whose key or label is known replaces what was known."""
    content = _read_line(_read_field(item, "content", "value"))
    if not content:
        return None
    old = _find_memory(item, known)
    is_fact = old is not None and old.kind is MemoryKind.FACT
    key = _read_line(_read_field(item, "key", "factkey")) or None
    if old is not None and is_fact and key not in {None, old.fact_key} and old.fact_key is None:
        key = None  # The key was a label.
    importance = _read_importance(item)
    if importance is None:
        importance = DEFAULT_IMPORTANCE if old is None else old.importance
    return MemoryNote(
        MemoryKind.FACT.value,
        content,
        fact_key=old.fact_key if old is not None and is_fact else key,
        importance=importance,
        updates=(old.memory_id,) if old is not None and is_fact else (),
    )


def _read_importance(item: JsonValue) -> float | None:
    """The importance of an item from 0 to 1; None if it has no finite number."""
    value = _read_field(item, "importance")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # An integer of hundreds of digits has no float: it is compared as it is.
    clamped = float(min(1, max(0, value)))
    return clamped if isinstance(value, int) or isfinite(value) else None


def _index_memories(memories: Sequence[StoredMemory]) -> dict[str, StoredMemory]:
    """Memories by key and by label; a label wins."""
    listed = _select_listed(memories)
    by_key = {memory.fact_key.lower(): memory for memory in memories if memory.fact_key}
    return by_key | {f"m{number}": memory for number, memory in enumerate(listed, 1)}


def _find_memory(item: JsonValue, known: Mapping[str, StoredMemory]) -> StoredMemory | None:
    name = (
        _read_line(_read_field(item, "key", "factkey", "label", "id"))
        if isinstance(item, dict)
        else item
    )
    return known.get(name.strip().strip("[]").lower()) if isinstance(name, str) else None


def _read_items(fields: JsonObject, name: str) -> list[JsonValue]:
    values = fields.get(name)
    return values[:MAX_NOTES] if isinstance(values, list) else []


def _read_field(item: JsonValue, *names: str) -> JsonValue:
    """A field of an item; of a plain text, the text."""
    if not isinstance(item, dict):
        return item if "content" in names else None
    fields = {name.replace("_", "").lower(): value for name, value in item.items()}
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _read_line(value: object) -> str:
    return read_text(value, max_chars=MAX_CHARS)
