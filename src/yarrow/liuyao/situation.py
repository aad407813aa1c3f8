"""A hexagram with its moving lines under a month and a day: all that a judgement rests on."""

from functools import cache
from typing import Final, NamedTuple

from msgspec import Struct

from yarrow.liuyao.changes import ChangeTag, list_change_tags
from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, Bearing
from yarrow.liuyao.hexagrams import HEXAGRAMS, Hexagram, flip_lines
from yarrow.liuyao.line_state import LineState, Standing, assess_line
from yarrow.liuyao.najia import HexagramLine, compute_lines
from yarrow.liuyao.pillars import Pillar
from yarrow.liuyao.six_spirits import SPIRITS_BY_DAY, Spirit
from yarrow.liuyao.special_status import list_special_status
from yarrow.liuyao.stems_branches import CLASH_OF, Branch

# Members of an enum are slow to reach, and these are reached six times for each cast.
_STILL, _HELPED, _MOVING = Standing.STILL, Standing.HELPED, Standing.MOVING
_GIVES: Final[frozenset[Bearing]] = frozenset({"扶", "生"})


class CastLine(NamedTuple):
    """A line of the cast hexagram. `becomes` is the changed line of a moving one.

    A named tuple, since six are made for each cast and it is the value cheapest to make.
    """

    base: HexagramLine
    spirit: Spirit
    state: LineState
    becomes: HexagramLine | None
    tags: tuple[ChangeTag, ...]

    @property
    def moving(self) -> bool:
        return self.becomes is not None

    @property
    def acts(self) -> bool:
        """Moving lines act on others, and so do those that move in secret (暗动)."""
        return self.becomes is not None or self.state.day_clash == "暗动"


class Situation(Struct, frozen=True):
    """`mask` marks the moving lines with '1', from the bottom up."""

    hexagram: Hexagram
    target: Hexagram
    target_lines: tuple[HexagramLine, ...]
    mask: str
    month: Branch
    day: Pillar
    lines: tuple[CastLine, ...]
    special: tuple[str, ...]

    @property
    def has_moving(self) -> bool:
        return "1" in self.mask

    @property
    def world(self) -> CastLine:
        """世爻, the one who asks."""
        return self.lines[self.hexagram.world - 1]

    @property
    def response(self) -> CastLine:
        """应爻, the other side."""
        return self.lines[self.hexagram.response - 1]


class _Pair(Struct, frozen=True):
    """A hexagram and what it changes into, before any time is known."""

    hexagram: Hexagram
    target: Hexagram
    target_lines: tuple[HexagramLine, ...]
    rows: tuple[tuple[HexagramLine, HexagramLine | None], ...]
    moving: tuple[Branch, ...]
    still: frozenset[Branch]
    special: tuple[str, ...]


@cache
def _build_pair(bits: str, mask: str) -> _Pair:
    hexagram, target = HEXAGRAMS[bits], HEXAGRAMS[flip_lines(bits, mask)]
    # "变出之爻按六亲者仍照正卦而推": changed lines keep the original palace (增删卜易·动变章).
    target_lines = compute_lines(target.bits, hexagram.element, target.world)
    moves = [bit == "1" for bit in mask]
    befores = list(zip(hexagram.base_lines, moves, strict=True))
    return _Pair(
        hexagram=hexagram,
        target=target,
        target_lines=target_lines,
        rows=tuple(
            (base, after if moved else None)
            for (base, moved), after in zip(befores, target_lines, strict=True)
        ),
        moving=tuple(base.branch for base, moved in befores if moved),
        still=frozenset(base.branch for base, moved in befores if not moved),
        special=list_special_status(hexagram, target, sum(moves)),
    )


def build_situation(bits: str, mask: str, *, month: Branch, day: Pillar) -> Situation:
    """The situation of hexagram `bits` with the lines of `mask` moving."""
    pair = _build_pair(bits, mask)
    void, today, broken = day.void, day.branch, CLASH_OF[month]
    spirits = iter(SPIRITS_BY_DAY[day.stem])
    lines = []
    for base, after in pair.rows:
        branch = base.branch
        is_void = branch in void
        if after is not None:
            state = assess_line(branch, month, today, _MOVING, is_void)
            became = after.branch
            tags = list_change_tags(branch, became, became in void, became == broken)
            lines.append(CastLine(base, next(spirits), state, after, tags))
            continue
        standing = _STILL
        if is_void or branch == broken:
            standing = _assess_standing(branch, today, _list_acting_branches(pair, month, day))
        state = assess_line(branch, month, today, standing, is_void)
        lines.append(CastLine(base, next(spirits), state, None, ()))
    return Situation(
        pair.hexagram, pair.target, pair.target_lines, mask, month, day, tuple(lines), pair.special
    )


def _list_acting_branches(pair: _Pair, month: Branch, day: Pillar) -> tuple[Branch, ...]:
    """The branches of lines that act: those that move and the one that the day may stir."""
    struck = CLASH_OF[day.branch]
    if struck not in pair.still:
        return pair.moving
    state = assess_line(struck, month, day.branch, _STILL, struck in day.void)
    return (*pair.moving, struck) if state.day_clash == "暗动" else pair.moving


@cache
def _assess_standing(branch: Branch, day: Branch, acting: tuple[Branch, ...]) -> Standing:
    """Whether the day or an acting line feeds a still line or shares its element.

    A line of the same branch does not help: it is void or broken with the one it would help. Nor
    does a branch that clashes the line, though it is of the same element (丑未, 辰戌).
    """
    element = ELEMENT_OF[branch]
    for giver in (day, *acting):
        if (
            giver not in {branch, CLASH_OF[branch]}
            and BEARING[ELEMENT_OF[giver]][element] in _GIVES
        ):
            return _HELPED
    return _STILL


def assess_hidden(situation: Situation, branch: Branch) -> LineState:
    """The state of a line that lies under another, as if it lay still."""
    day = situation.day
    acting = tuple(line.base.branch for line in situation.lines if line.acts)
    standing = _assess_standing(branch, day.branch, acting)
    return assess_line(branch, situation.month, day.branch, standing, branch in day.void)
