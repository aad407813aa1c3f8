"""Choose the memories that a prompt contains, and format them as one block of text."""

import math
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from itertools import zip_longest

from msgspec import Struct

from yarrow.prompting.policy.model import MemoryLayout, MemoryPolicy
from yarrow.prompting.tokens import CountTokens

HEADING = "[Memory]"
DAY_S = 86_400
LEAST_DECAY = 0.05


class MemoryKind(StrEnum):
    """What a memory is."""

    FACT = "fact"
    SUMMARY = "summary"
    OPEN_LOOP = "open_loop"


class SummaryTier(StrEnum):
    """What a summary covers: one turn, or many."""

    MICRO = "micro"
    MACRO = "macro"


class OmissionReason(StrEnum):
    """Why a memory is not in the prompt."""

    VERBATIM = "verbatim_in_prompt"
    UNIMPORTANT = "below_min_importance"
    ITEM_LIMIT = "item_limit"
    BUDGET = "budget_exceeded"


class MemoryEntry(Struct, frozen=True):
    """A memory that a prompt may contain.

    `sources` are the ids of the messages or turns that a summary stands for.
    """

    memory_id: str
    kind: MemoryKind
    content: str
    tier: SummaryTier | None = None
    fact_key: str | None = None
    importance: float = 0.5
    created_s: float = 0.0
    sources: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The content; a fact begins with its key."""
        if self.fact_key and not self.content.startswith(f"{self.fact_key}:"):
            return f"{self.fact_key}: {self.content}"
        return self.content

    def is_verbatim(self, shown: Collection[str]) -> bool:
        """Whether all that it summarises is in the prompt word for word."""
        if self.tier is not SummaryTier.MICRO or not self.sources:
            return False
        return all(source in shown for source in self.sources)


class OmittedMemory(Struct, frozen=True):
    """A memory that is not in the prompt."""

    memory_id: str
    reason: OmissionReason


class MemorySelection(Struct, frozen=True):
    """The text for the prompt, empty if there is none, and what it was chosen from."""

    text: str = ""
    chosen: tuple[str, ...] = ()
    omitted: tuple[OmittedMemory, ...] = ()


class _MemorySection(Struct, frozen=True):
    title: str
    share: float
    limit: int


_BALANCED_LIMITS = {MemoryKind.OPEN_LOOP: 6, MemoryKind.FACT: 10, MemoryKind.SUMMARY: 8}
_SECTIONS = {
    (MemoryKind.FACT, None): _MemorySection("Facts:", 0.35, 10),
    (MemoryKind.OPEN_LOOP, None): _MemorySection("Open loops:", 0.20, 6),
    (MemoryKind.SUMMARY, SummaryTier.MICRO): _MemorySection("Recent events:", 0.20, 5),
    (MemoryKind.SUMMARY, SummaryTier.MACRO): _MemorySection("Story so far:", 0.25, 3),
}


def select_memories(
    entries: Sequence[MemoryEntry],
    policy: MemoryPolicy,
    *,
    shown: Collection[str],
    budget: int,
    now_s: float,
    count: CountTokens,
) -> MemorySelection:
    """Choose memories up to the budget; `shown` are the messages and turns in the prompt."""
    omitted: dict[str, OmissionReason] = {}
    candidates: list[MemoryEntry] = []
    for entry in entries:
        if entry.is_verbatim(shown):
            omitted[entry.memory_id] = OmissionReason.VERBATIM
        elif entry.importance < policy.min_importance:
            omitted[entry.memory_id] = OmissionReason.UNIMPORTANT
        else:
            candidates.append(entry)
    candidates.sort(key=lambda entry: _rank_memory(entry, policy, now_s))
    choose = _choose_sections if policy.layout is MemoryLayout.DUAL_SUMMARY else _choose_balanced
    chosen, text = choose(candidates, policy.max_items, budget, count) if candidates else ([], "")
    ids = {entry.memory_id for entry in chosen}
    reason = OmissionReason.ITEM_LIMIT if len(chosen) >= policy.max_items else OmissionReason.BUDGET
    omitted |= {each.memory_id: reason for each in candidates if each.memory_id not in ids}
    return MemorySelection(
        text,
        tuple(entry.memory_id for entry in chosen),
        tuple(OmittedMemory(memory_id, reason) for memory_id, reason in omitted.items()),
    )


def _rank_memory(
    entry: MemoryEntry, policy: MemoryPolicy, now_s: float
) -> tuple[float, float, str]:
    """Most important first, then newest; importance decays with age if the policy says so."""
    score = entry.importance
    if policy.half_life_days is not None:
        age_days = max(0.0, now_s - entry.created_s) / DAY_S
        score *= max(LEAST_DECAY, math.pow(0.5, age_days / policy.half_life_days))
    return -score, -entry.created_s, entry.memory_id


def _choose_balanced(
    candidates: Sequence[MemoryEntry], max_items: int, budget: int, count: CountTokens
) -> tuple[list[MemoryEntry], str]:
    """Take from each kind in turn, and stop at the first memory that exceeds the budget."""
    by_kind = [
        [entry for entry in candidates if entry.kind is kind][:limit]
        for kind, limit in _BALANCED_LIMITS.items()
    ]
    rounds = [entry for group in zip_longest(*by_kind) for entry in group if entry is not None]
    chosen: list[MemoryEntry] = []
    left = budget - count(f"{HEADING}\n")
    for entry in rounds[:max_items]:
        left -= count(_format_line(entry))
        if left < 0:
            break
        chosen.append(entry)
    return chosen, _join_section(HEADING, map(_format_line, chosen))


def _choose_sections(
    candidates: Sequence[MemoryEntry], max_items: int, budget: int, count: CountTokens
) -> tuple[list[MemoryEntry], str]:
    """Fill each section up to its share, then all of them with what is left."""
    groups = {key: [each for each in candidates if _find_section(each) == key] for key in _SECTIONS}
    filled: dict[object, list[MemoryEntry]] = {key: [] for key in _SECTIONS}
    total = left = budget - count(f"{HEADING}\n")

    def fill_section(key: tuple[MemoryKind, SummaryTier | None], room: int) -> int:
        used = 0
        for entry in groups[key]:
            items = sum(map(len, filled.values()))
            if len(filled[key]) >= _SECTIONS[key].limit or items >= max_items:
                break
            if entry in filled[key]:
                continue
            title = 0 if filled[key] else count(f"{_SECTIONS[key].title}\n")
            cost = title + count(_format_item(entry))
            if used + cost > room:
                break
            used += cost
            filled[key].append(entry)
        return used

    for key, section in _SECTIONS.items():
        left -= fill_section(key, math.floor(total * section.share))
    for key in _SECTIONS:
        left -= fill_section(key, left)
    return [entry for group in filled.values() for entry in group], _format_sections(filled)


def _find_section(entry: MemoryEntry) -> tuple[MemoryKind, SummaryTier | None]:
    if entry.kind is not MemoryKind.SUMMARY:
        return entry.kind, None
    return entry.kind, entry.tier or SummaryTier.MICRO


def _format_sections(filled: dict[object, list[MemoryEntry]]) -> str:
    lines: list[str] = []
    for key, section in _SECTIONS.items():
        entries = filled[key]
        if key[0] is MemoryKind.SUMMARY:
            entries = sorted(entries, key=lambda entry: (entry.created_s, entry.memory_id))
        if entries:
            lines += [f"{section.title}\n", *map(_format_item, entries)]
    return _join_section(HEADING, lines)


def _format_line(entry: MemoryEntry) -> str:
    return f"- ({entry.kind}) {entry.text}\n"


def _format_item(entry: MemoryEntry) -> str:
    return f"- {entry.text}\n"


def _join_section(heading: str, lines: Iterable[str]) -> str:
    text = "".join(lines)
    return f"{heading}\n{text}".rstrip("\n") if text else ""


def has_summaries(entries: Iterable[MemoryEntry], ids: Collection[str]) -> bool:
    """Whether one of these messages or turns has a summary of its own."""
    return any(
        entry.tier is SummaryTier.MICRO and any(source in ids for source in entry.sources)
        for entry in entries
    )
