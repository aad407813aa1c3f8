"""A hexagram with its moving lines under a month and a day: all that a judgement rests on."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from yarrow.liuyao.changes import ChangeTag, change_tags
from yarrow.liuyao.hexagrams import HEXAGRAMS, Hexagram, Seat, flip, seats_of
from yarrow.liuyao.line_state import LineState, Standing, line_state
from yarrow.liuyao.pillars import Pillar
from yarrow.liuyao.special import special_status
from yarrow.liuyao.symbols import (
    BEARING,
    CLASH_OF,
    ELEMENT_OF,
    SPIRITS_BY_DAY,
    Bearing,
    Branch,
    Spirit,
)

_GIVES: Final[frozenset[Bearing]] = frozenset({"扶", "生"})


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the cast hexagram. `becomes` is the changed line of a moving one."""

    seat: Seat
    spirit: Spirit
    moving: bool
    state: LineState
    becomes: Seat | None
    tags: tuple[ChangeTag, ...]

    @property
    def acts(self) -> bool:
        """Moving lines act on others, and so do those that move in secret (暗动)."""
        return self.moving or self.state.day_clash == "暗动"


@dataclass(frozen=True, slots=True)
class Situation:
    hexagram: Hexagram
    target: Hexagram
    target_seats: tuple[Seat, ...]
    month: Branch
    day: Pillar
    lines: tuple[Line, ...]
    special: tuple[str, ...]

    @property
    def has_moving(self) -> bool:
        return self.hexagram is not self.target

    @property
    def world(self) -> Line:
        """世爻, the one who asks."""
        return self.lines[self.hexagram.world - 1]

    @property
    def response(self) -> Line:
        """应爻, the other side."""
        return self.lines[self.hexagram.response - 1]


@dataclass(frozen=True, slots=True)
class _Pair:
    """A hexagram and what it changes into, before any time is known."""

    hexagram: Hexagram
    target: Hexagram
    target_seats: tuple[Seat, ...]
    rows: tuple[tuple[Seat, bool, Seat], ...]
    special: tuple[str, ...]


@cache
def _pair(bits: str, mask: str) -> _Pair:
    hexagram, target = HEXAGRAMS[bits], HEXAGRAMS[flip(bits, mask)]
    # "变出之爻按六亲者仍照正卦而推": changed lines keep the original palace (增删卜易·动变章).
    target_seats = seats_of(target.bits, hexagram.element, target.world)
    moving = tuple(bit == "1" for bit in mask)
    return _Pair(
        hexagram=hexagram,
        target=target,
        target_seats=target_seats,
        rows=tuple(zip(hexagram.seats, moving, target_seats, strict=True)),
        special=special_status(hexagram, target, sum(moving)),
    )


def situation_of(bits: str, mask: str, *, month: Branch, day: Pillar) -> Situation:
    """The situation of hexagram `bits` with the lines of `mask` moving."""
    pair = _pair(bits, mask)
    void, day_branch, broken = day.void, day.branch, CLASH_OF[month]
    lines = []
    for (seat, moving, after), spirit in zip(pair.rows, SPIRITS_BY_DAY[day.stem], strict=True):
        branch = seat.branch
        is_void = branch in void
        if moving:
            state = line_state(branch, month, day_branch, Standing.MOVING, is_void)
            became = after.branch
            tags = change_tags(branch, became, became in void, became == broken)
            lines.append(Line(seat, spirit, moving, state, after, tags))
            continue
        standing = Standing.STILL
        if is_void or branch == broken:
            standing = _standing(branch, day_branch, _acting(pair, month, day))
        state = line_state(branch, month, day_branch, standing, is_void)
        lines.append(Line(seat, spirit, moving, state, None, ()))
    return Situation(
        pair.hexagram, pair.target, pair.target_seats, month, day, tuple(lines), pair.special
    )


def _acting(pair: _Pair, month: Branch, day: Pillar) -> list[Branch]:
    return [
        seat.branch for seat, moving, _ in pair.rows if moving or _stirs(seat.branch, month, day)
    ]


def _stirs(branch: Branch, month: Branch, day: Pillar) -> bool:
    """Whether a still line of `branch` moves in secret (暗动)."""
    if CLASH_OF[branch] != day.branch:
        return False
    state = line_state(branch, month, day.branch, Standing.STILL, branch in day.void)
    return state.day_clash == "暗动"


def _standing(branch: Branch, day: Branch, acting: Iterable[Branch]) -> Standing:
    """Whether the day or an acting line feeds a still line or shares its element.

    A line of the same branch does not help: it is void or broken with the one it would help.
    """
    givers = [day, *(other for other in acting if other != branch)]
    element = ELEMENT_OF[branch]
    if any(BEARING[ELEMENT_OF[giver]][element] in _GIVES for giver in givers):
        return Standing.HELPED
    return Standing.STILL


def state_of_hidden(situation: Situation, branch: Branch) -> LineState:
    """The state of a line that lies under another, as if it lay still."""
    day = situation.day
    acting = [line.seat.branch for line in situation.lines if line.acts]
    standing = _standing(branch, day.branch, acting)
    return line_state(branch, situation.month, day.branch, standing, branch in day.void)
