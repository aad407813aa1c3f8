"""Which memories a prompt contains: limits, budget, order and decay. Issue 14 §9."""

from yarrow.prompting.choose_memories import (
    DAY_S,
    MemoryEntry,
    MemoryKind,
    MemorySelection,
    OmissionReason,
    select_memories,
)
from yarrow.prompting.policy.model import MemoryPolicy


def make_facts(count: int, **fields: float) -> list[MemoryEntry]:
    return [
        MemoryEntry(f"f{number:02}", MemoryKind.FACT, f"fact {number}", **fields)  # type: ignore[arg-type]
        for number in range(count)
    ]


def select(
    entries: list[MemoryEntry], policy: MemoryPolicy | None = None, *, budget: int = 500
) -> MemorySelection:
    return select_memories(
        entries,
        policy or MemoryPolicy(),
        shown=(),
        budget=budget,
        now_s=100 * DAY_S,
        count=lambda text: len(text.split()),
    )


def test_kinds_take_turns_up_to_their_limits() -> None:
    loops = [MemoryEntry(f"l{n}", MemoryKind.OPEN_LOOP, f"loop {n}") for n in range(8)]

    chosen = select([*make_facts(12), *loops]).chosen

    assert chosen[:4] == ("l0", "f00", "l1", "f01")
    assert len(chosen) == 16


def test_the_first_memory_over_the_budget_ends_the_list() -> None:
    entries = [*make_facts(2), MemoryEntry("long", MemoryKind.OPEN_LOOP, "x " * 50)]

    selection = select(entries, budget=20)

    assert selection.chosen == ()
    assert {each.reason for each in selection.omitted} == {OmissionReason.BUDGET}


def test_unimportant_memories_are_left_out() -> None:
    selection = select(make_facts(1, importance=0.3))

    assert selection.text == ""
    assert selection.omitted[0].reason is OmissionReason.UNIMPORTANT


def test_a_half_life_puts_new_memories_first() -> None:
    old = MemoryEntry("old", MemoryKind.FACT, "old", importance=0.9, created_s=0)
    new = MemoryEntry("new", MemoryKind.FACT, "new", importance=0.5, created_s=100 * DAY_S)

    assert select([old, new]).chosen == ("old", "new")
    assert select([old, new], MemoryPolicy(half_life_days=10)).chosen == ("new", "old")
