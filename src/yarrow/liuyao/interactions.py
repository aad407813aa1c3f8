"""How lines, month and day act on each other, in words (interactions).

Month and day act on all lines; moving lines and lines that move in secret (暗动) act on the
others; still lines act on nothing; a changed line acts only on its own moving line.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

from yarrow.liuyao.hexagrams import HEXAGRAMS, Seat
from yarrow.liuyao.situation import Line, Situation
from yarrow.liuyao.symbols import (
    BEARING,
    BRANCHES,
    CLASH_OF,
    COMBINE_OF,
    HARM_OF,
    PUNISHMENTS,
    TRIADS,
    Branch,
    Element,
    branch_bit,
)

_BIT: Final[dict[Branch, int]] = {branch: branch_bit(branch) for branch in BRANCHES}
_CLASH_WORD: Final = {"暗动": "暗动", "日冲动": "动而逢冲", "冲空": "冲空", "日破": "日破"}


def interactions(situation: Situation) -> list[str]:
    """All that happens on the board, in a fixed order: changes, 日月, lines, 三合, 三刑, 六害."""
    lines = situation.lines
    found = [_change(line) for line in lines if line.moving]
    for line in lines:
        state = line.state
        if state.day_clash or state.day_combines or state.month_combines:
            found.extend(_by_month_and_day(line, situation.month, situation.day.branch))
    acting = [line for line in lines if line.acts]
    if not acting:
        return found
    bits = situation.hexagram.bits
    for line in acting:
        found.extend(_effects(bits, line.seat.position, "动" if line.moving else "暗动"))
    found.extend(triad.text for triad in triads(situation))
    found.extend(_punishments(situation, acting))
    found.extend(
        f"{a.seat.label}与{b.seat.label}相害"
        for a, b in combinations(acting, 2)
        if HARM_OF[a.seat.branch] == b.seat.branch
    )
    return found


def _change(line: Line) -> str:
    after = line.becomes
    assert after is not None
    became = f"{after.relation}{after.branch}{after.element}"
    return f"{line.seat.label}动化{became}：{'、'.join(line.tags)}"


def _by_month_and_day(line: Line, month: Branch, day: Branch) -> list[str]:
    state, label = line.state, line.seat.label
    combined = "合绊" if line.moving else "合起"
    found = []
    if state.day_clash:
        found.append(f"{label}被日辰{day}冲：{_CLASH_WORD[state.day_clash]}")
    if state.day_combines:
        found.append(f"{label}与日辰{day}合：{combined}")
    if state.month_combines:
        found.append(f"{label}与月建{month}合：{combined}")
    return found


@cache
def _effects(bits: str, position: int, verb: str) -> tuple[str, ...]:
    seats = HEXAGRAMS[bits].seats
    actor = seats[position - 1]
    deeds = ((deed(actor, seat), seat) for seat in seats if seat is not actor)
    return tuple(f"{actor.label}{verb}{what}{seat.label}" for what, seat in deeds if what)


def deed(actor: Seat, seat: Seat) -> str:
    """What an acting line does to another: 生 or 克, 冲 or 合, both, or nothing."""
    bearing = BEARING[actor.element][seat.element]
    what = bearing if bearing in {"生", "克"} else ""
    if CLASH_OF[actor.branch] == seat.branch:
        return what + "冲"
    return what + "合" if COMBINE_OF[actor.branch] == seat.branch else what


@dataclass(frozen=True, slots=True)
class Triad:
    """A 三合 triad that is complete (成局) or lacks one branch (待用)."""

    members: tuple[Branch, Branch, Branch]
    element: Element
    missing: Branch | None

    @property
    def text(self) -> str:
        state = "成局" if self.missing is None else f"待用（待{self.missing}）"
        return f"{''.join(self.members)}三合{self.element}局：{state}"


_TRIAD_BITS: Final = tuple(
    (members, element, sum(_BIT[b] for b in members)) for members, element in TRIADS
)


def triads(situation: Situation) -> list[Triad]:
    """The triads that lines make, with or without month and day ("不动不成局", 卜筮正宗)."""
    found = []
    by_time = _BIT[situation.month] | _BIT[situation.day.branch]
    moved = 0
    changes = []
    for line in situation.lines:
        if line.acts:
            bit = _BIT[line.seat.branch]
            moved |= bit
            if line.becomes is not None:
                changes.append((bit, _BIT[line.becomes.branch]))
    for members, element, triad in _TRIAD_BITS:
        by_lines = moved & triad
        if not by_lines:
            continue
        for bit, after in changes:
            if bit & triad:
                by_lines |= after & triad
        if by_lines.bit_count() < 2:
            continue
        missing = triad & ~(by_lines | by_time)
        if not missing:
            found.append(Triad(members, element, None))
        elif by_lines & _BIT[members[1]]:
            found.append(Triad(members, element, BRANCHES[missing.bit_length() - 1]))
    return found


_PUNISHMENT_BITS: Final = tuple(
    (sum(_BIT[branch] for branch in branches), name) for branches, name in PUNISHMENTS
)


def _punishments(situation: Situation, acting: list[Line]) -> list[str]:
    moved = changed = 0
    for line in acting:
        moved |= _BIT[line.seat.branch]
        if line.becomes is not None:
            changed |= _BIT[line.becomes.branch]
    present = moved | changed | _BIT[situation.month] | _BIT[situation.day.branch]
    return [name for bits, name in _PUNISHMENT_BITS if moved & bits and present & bits == bits]
