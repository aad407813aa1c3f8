"""How lines, month and day act on each other, in words (interactions).

Month and day act on all lines; moving lines and lines that move in secret (暗动) act on the
others; still lines act on nothing; a changed line acts only on its own moving line.
"""

from functools import cache
from itertools import combinations
from typing import Final, NamedTuple

from msgspec import Struct

from yarrow.liuyao.changes import ChangeTag
from yarrow.liuyao.five_elements import BEARING, TRIADS, Element
from yarrow.liuyao.hexagrams import HEXAGRAMS, flip_lines
from yarrow.liuyao.najia import HexagramLine
from yarrow.liuyao.situation import CastLine, Situation
from yarrow.liuyao.stems_branches import (
    BRANCHES,
    CLASH_OF,
    COMBINE_OF,
    HARM_OF,
    PUNISHMENTS,
    Branch,
    make_branch_bit,
)

_BIT: Final[dict[Branch, int]] = {branch: make_branch_bit(branch) for branch in BRANCHES}
_CLASH_WORD: Final = {"暗动": "暗动", "日冲动": "动而逢冲", "冲空": "冲空", "日破": "日破"}


def list_interactions(situation: Situation) -> list[str]:
    """All that happens on the board, in a fixed order: changes, 日月, lines, 三合, 三刑, 六害."""
    texts: list[str] = []
    by_time: list[str] = []
    acting: list[CastLine] = []
    for line in situation.lines:
        after = line.becomes
        if after is not None:
            acting.append(line)
            texts.append(_describe_change(line.base.label, after.name, line.tags))
        if line.state.touched:
            by_time += _describe_month_and_day(line, situation.month, situation.day.branch)
            if line.state.day_clash == "暗动":
                acting.append(line)
    texts += by_time
    if not acting:
        return texts
    bits = situation.hexagram.bits
    for line in acting:
        verb = "暗动" if line.becomes is None else "动"
        texts += _describe_effects(bits, line.base.position, verb)
    supply = _build_supply(situation)
    texts += [triad.text for triad in _list_triads(supply)]
    texts += _list_punishments(supply)
    if len(acting) > 1:
        texts += [
            f"{a.base.label}与{b.base.label}相害"
            for a, b in combinations(acting, 2)
            if HARM_OF[a.base.branch] == b.base.branch
        ]
    return texts


@cache
def _describe_change(label: str, became: str, tags: tuple[ChangeTag, ...]) -> str:
    return f"{label}动化{became}：{'、'.join(tags)}"


def _describe_month_and_day(line: CastLine, month: Branch, day: Branch) -> list[str]:
    state, label = line.state, line.base.label
    combined = "合绊" if line.moving else "合起"
    texts = []
    if state.day_clash:
        texts.append(f"{label}被日辰{day}冲：{_CLASH_WORD[state.day_clash]}")
    if state.day_combines:
        texts.append(f"{label}与日辰{day}合：{combined}")
    if state.month_combines:
        texts.append(f"{label}与月建{month}合：{combined}")
    return texts


@cache
def _describe_effects(bits: str, position: int, verb: str) -> tuple[str, ...]:
    base_lines = HEXAGRAMS[bits].base_lines
    actor = base_lines[position - 1]
    actions = ((describe_action(actor, base), base) for base in base_lines if base is not actor)
    return tuple(f"{actor.label}{verb}{what}{base.label}" for what, base in actions if what)


def describe_action(actor: HexagramLine, base: HexagramLine) -> str:
    """What an acting line does to another: 生 or 克, 冲 or 合, both, or nothing."""
    bearing = BEARING[actor.element][base.element]
    what = bearing if bearing in {"生", "克"} else ""
    if CLASH_OF[actor.branch] == base.branch:
        return what + "冲"
    return what + "合" if COMBINE_OF[actor.branch] == base.branch else what


class Triad(Struct, frozen=True):
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
_TRIADS_OF_BITS: Final = tuple(triad for _, _, triad in _TRIAD_BITS)
_TRIAD_OF: Final = {branch: triad for members, _, triad in _TRIAD_BITS for branch in members}


class _Moved(Struct, frozen=True):
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
    hexagram, target = HEXAGRAMS[bits], HEXAGRAMS[flip_lines(bits, mask)]
    before = after = 0
    supplied = dict.fromkeys(_TRIADS_OF_BITS, 0)
    for old, new, moved in zip(hexagram.base_lines, target.base_lines, mask, strict=True):
        if moved == "1":
            left, became = _BIT[old.branch], _BIT[new.branch]
            triad = _TRIAD_OF[old.branch]
            before |= left
            after |= became
            supplied[triad] |= (left | became) & triad
    triads = tuple(supplied.values())
    return _Moved(before, after, triads, any(bits.bit_count() > 1 for bits in triads))


class _Supply(NamedTuple):
    """Branches as bits: what moves, what is stirred in secret, what month and day are."""

    moved: _Moved
    stirred: int
    time: int


def _build_supply(situation: Situation) -> _Supply:
    today = situation.day.branch
    # The day can stir no other branch than the one it clashes.
    struck = CLASH_OF[today]
    stirred = 0
    for line in situation.lines:
        if line.base.branch == struck and line.state.day_clash == "暗动":
            stirred = _BIT[struck]
    moved = _apply_moves(situation.hexagram.bits, situation.mask)
    return _Supply(moved, stirred, _BIT[situation.month] | _BIT[today])


def find_triads(situation: Situation) -> list[Triad]:
    """The triads that lines make, with or without month and day ("不动不成局", 卜筮正宗)."""
    return _list_triads(_build_supply(situation))


def _list_triads(supply: _Supply) -> list[Triad]:
    triads: list[Triad] = []
    moved, stirred = supply.moved, supply.stirred
    if not (moved.pairs or stirred):
        return triads
    for (members, element, triad), by_moving in zip(_TRIAD_BITS, moved.triads, strict=True):
        by_lines = by_moving | (stirred & triad)
        if by_lines.bit_count() < 2:
            continue
        missing = triad & ~(by_lines | supply.time)
        if not missing:
            triads.append(Triad(members, element, None))
        elif by_lines & _BIT[members[1]]:
            triads.append(Triad(members, element, BRANCHES[missing.bit_length() - 1]))
    return triads


_PUNISHMENT_BITS: Final = tuple(
    (sum(_BIT[branch] for branch in branches), name) for branches, name in PUNISHMENTS
)


def _list_punishments(supply: _Supply) -> tuple[str, ...]:
    """三刑 that month, day, acting lines and their changes complete, a member acting."""
    acting = supply.moved.before | supply.stirred
    return _complete_punishments(acting, acting | supply.moved.after | supply.time)


@cache
def _complete_punishments(acting: int, present: int) -> tuple[str, ...]:
    return tuple(
        [name for bits, name in _PUNISHMENT_BITS if acting & bits and present & bits == bits]
    )
