"""What month and day do to a line: 旺相休囚死, 月破, 日冲, 旬空, 合.

A state depends on nothing but the branches of line, month and day, how the line stands and
whether it is void, so states are made once and shared.
"""

from enum import IntEnum
from functools import cache
from typing import Final, Literal

from msgspec import Struct

from yarrow.liuyao.five_elements import (
    BEARING,
    ELEMENT_OF,
    LINGERING,
    SEASON_OF,
    STAGE_OF,
    Bearing,
    Season,
    Stage,
)
from yarrow.liuyao.stems_branches import CLASH_OF, COMBINE_OF, Branch

DayClash = Literal["", "暗动", "日冲动", "冲空", "日破"]
BreakKind = Literal["", "临日不破", "动破", "有扶", "真破"]
VoidKind = Literal["", "动空", "冲空", "真空", "旺空", "有扶", "休囚空"]


_STRONG: Final[frozenset[Season]] = frozenset({"旺", "相"})


class LineState(Struct, frozen=True):
    """A line under its month and day.

    `month` and `day` are bearings of their elements; `is_month`, `is_day`, `breaks` and the two
    `combines` say what the branches do beyond that; `touched` says that they clash or combine at
    all. `lingers` is 余气. `marks` are the words that a board prints beside the line.
    """

    season: Season
    lingers: bool
    month: Bearing
    is_month: bool
    month_combines: bool
    day: Bearing
    is_day: bool
    day_combines: bool
    day_clash: DayClash
    break_kind: BreakKind
    void_kind: VoidKind
    stage: Stage
    touched: bool
    text: str
    marks: tuple[str, ...]

    @property
    def has_qi(self) -> bool:
        return self.season in _STRONG or self.lingers


class Standing(IntEnum):
    """How a line stands by itself. Help matters only to a line that is broken or void."""

    STILL = 0
    HELPED = 1
    MOVING = 2


@cache
def assess_line(
    branch: Branch,
    month: Branch,
    day: Branch,
    standing: Standing,
    void: bool,  # noqa: FBT001 - positional arguments make the cheapest cache key
) -> LineState:
    """The state of a line of `branch` under the branches of month and day."""
    element = ELEMENT_OF[branch]
    by_month, by_day = BEARING[ELEMENT_OF[month]][element], BEARING[ELEMENT_OF[day]][element]
    season, lingers = SEASON_OF[by_month], (element, month) in LINGERING
    clashes_month, clashes_day = CLASH_OF[branch] == month, CLASH_OF[branch] == day
    month_combines, day_combines = COMBINE_OF[branch] == month, COMBINE_OF[branch] == day
    break_kind = _assess_break(standing, is_day=branch == day) if clashes_month else ""
    void_kind = _assess_void(standing, season, break_kind, clashes=clashes_day) if void else ""
    day_clash: DayClash = ""
    if clashes_day:
        stands = season in _STRONG or lingers or by_day == "扶"
        day_clash = _assess_day_clash(standing, void=void, stirs=stands and not clashes_month)
    text = f"月{season}，" + (
        "临月建" if branch == month else "月破" if break_kind else f"月{by_month}"
    )
    text += "、月合" if month_combines else ""
    text += "、临日辰" if branch == day else f"、日{by_day}"
    text += "、日合" if day_combines else ""
    text += f"、{day_clash}" if day_clash else ""
    return LineState(
        season=season,
        lingers=lingers,
        month=by_month,
        is_month=branch == month,
        month_combines=month_combines,
        day=by_day,
        is_day=branch == day,
        day_combines=day_combines,
        day_clash=day_clash,
        break_kind=break_kind,
        void_kind=void_kind,
        stage=STAGE_OF[element][day],
        touched=clashes_day or month_combines or day_combines,
        text=text + _write_notes(break_kind, void_kind),
        marks=_list_marks(standing, day_clash, break_kind, void_kind),
    )


def _write_notes(break_kind: BreakKind, void_kind: VoidKind) -> str:
    if break_kind:
        void = f"、旬空-{void_kind}" if void_kind else ""
        return f"；月破-{break_kind}{void}"
    return f"；旬空-{void_kind}" if void_kind else ""


@cache
def _list_marks(
    standing: Standing, day_clash: DayClash, break_kind: BreakKind, void_kind: VoidKind
) -> tuple[str, ...]:
    marks = (
        "动" if standing is Standing.MOVING else "",
        day_clash if day_clash in {"暗动", "日破"} else "",
        "月破" if break_kind not in {"", "临日不破"} else "",
        "旬空" if void_kind else "",
    )
    return tuple(mark for mark in marks if mark)


def _assess_break(standing: Standing, *, is_day: bool) -> BreakKind:
    """How broken a line is whose branch the month clashes."""
    if is_day:
        return "临日不破"
    if standing is Standing.MOVING:
        return "动破"
    return "有扶" if standing is Standing.HELPED else "真破"


def _assess_day_clash(standing: Standing, *, void: bool, stirs: bool) -> DayClash:
    """A strong still line that the day clashes moves in secret, a weak one breaks (暗动章)."""
    if standing is Standing.MOVING:
        return "日冲动"
    if void:
        return "冲空"
    return "暗动" if stirs else "日破"


def _assess_void(
    standing: Standing, season: Season, break_kind: BreakKind, *, clashes: bool
) -> VoidKind:
    """The first reason that applies decides how empty a void line is (增删卜易·旬空章)."""
    if standing is Standing.MOVING:
        return "动空"
    if clashes:
        return "冲空"
    if break_kind:
        return "真空"
    if season in _STRONG:
        return "旺空"
    if standing is Standing.HELPED:
        return "有扶"
    return "真空" if season == "死" else "休囚空"
