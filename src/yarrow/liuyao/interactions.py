"""How lines, month and day act on each other, in words (interactions).

Month and day act on all lines; moving lines and lines that move in secret (暗动) act on the
others; still lines act on nothing; a changed line acts only on its own moving line.
"""

from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations
from operator import or_
from typing import Final, NamedTuple

from yarrow.liuyao.changes import ChangeTag
from yarrow.liuyao.hexagrams import HEXAGRAMS, Seat, flip
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
    found: list[str] = []
    by_time: list[str] = []
    acting: list[Line] = []
    for line in situation.lines:
        after = line.becomes
        if after is not None:
            acting.append(line)
            found.append(_change(line.seat.label, after.name, line.tags))
        if line.state.touched:
            by_time += _by_month_and_day(line, situation.month, situation.day.branch)
            if line.state.day_clash == "暗动":
                acting.append(line)
    found += by_time
    if not acting:
        return found
    bits = situation.hexagram.bits
    for line in acting:
        verb = "暗动" if line.becomes is None else "动"
        found += _effects(bits, line.seat.position, verb)
    supply = _supply(situation)
    found += [triad.text for triad in _triads(supply)]
    found += _punishments(supply)
    if len(acting) > 1:
        found += [
            f"{a.seat.label}与{b.seat.label}相害"
            for a, b in combinations(acting, 2)
            if HARM_OF[a.seat.branch] == b.seat.branch
        ]
    return found


@cache
def _change(label: str, became: str, tags: tuple[ChangeTag, ...]) -> str:
    return f"{label}动化{became}：{'、'.join(tags)}"


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


@dataclass(frozen=True, slots=True)
class _Moved:
    """What moving lines supply: their branches, their changes, and the members of each triad.

    In a triad a change counts only when the line that changed is itself a member. `pairs` says
    whether any triad has two.
    """

    before: int
    after: int
    triads: tuple[int, ...]
    pairs: bool


@cache
def _apply_moves(bits: str, mask: str) -> _Moved:
    hexagram, target = HEXAGRAMS[bits], HEXAGRAMS[flip(bits, mask)]
    moves = [
        (_BIT[before.branch], _BIT[after.branch])
        for before, after, moved in zip(hexagram.seats, target.seats, mask, strict=True)
        if moved == "1"
    ]
    before = reduce(or_, (move[0] for move in moves), 0)
    after = reduce(or_, (move[1] for move in moves), 0)
    supplied = tuple(
        reduce(or_, ((a | b) & triad for a, b in moves if a & triad), 0)
        for _, _, triad in _TRIAD_BITS
    )
    return _Moved(before, after, supplied, any(bits.bit_count() > 1 for bits in supplied))


class _Supply(NamedTuple):
    """Branches as bits: what moves, what is stirred in secret, what month and day are."""

    moved: _Moved
    stirred: int
    time: int


def _supply(situation: Situation) -> _Supply:
    today = situation.day.branch
    # The day can stir no other branch than the one it clashes.
    struck = CLASH_OF[today]
    stirred = 0
    for line in situation.lines:
        if line.seat.branch == struck and line.state.day_clash == "暗动":
            stirred = _BIT[struck]
    moved = _apply_moves(situation.hexagram.bits, situation.mask)
    return _Supply(moved, stirred, _BIT[situation.month] | _BIT[today])


def triads(situation: Situation) -> list[Triad]:
    """The triads that lines make, with or without month and day ("不动不成局", 卜筮正宗)."""
    return _triads(_supply(situation))


def _triads(supply: _Supply) -> list[Triad]:
    found: list[Triad] = []
    moved, stirred = supply.moved, supply.stirred
    if not (moved.pairs or stirred):
        return found
    for (members, element, triad), by_moving in zip(_TRIAD_BITS, moved.triads, strict=True):
        by_lines = by_moving | (stirred & triad)
        if by_lines.bit_count() < 2:
            continue
        missing = triad & ~(by_lines | supply.time)
        if not missing:
            found.append(Triad(members, element, None))
        elif by_lines & _BIT[members[1]]:
            found.append(Triad(members, element, BRANCHES[missing.bit_length() - 1]))
    return found


_PUNISHMENT_BITS: Final = tuple(
    (sum(_BIT[branch] for branch in branches), name) for branches, name in PUNISHMENTS
)


def _punishments(supply: _Supply) -> list[str]:
    """三刑 that month, day, acting lines and their changes complete, a member acting."""
    acting = supply.moved.before | supply.stirred
    present = acting | supply.moved.after | supply.time
    return [name for bits, name in _PUNISHMENT_BITS if acting & bits and present & bits == bits]
