"""应期: when a matter is likely to show (增删卜易·各门类应期总注章).

The first cause that holds 用神 back decides; when nothing does, a still line answers to its own
branch or its clash and a moving one to its branch or its combine. Days and months are in the order
of time; a period that the question names bounds them.
"""

from bisect import bisect_right
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Final

from msgspec import Struct

from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, STAGE_OF, Element
from yarrow.liuyao.pillars import DayBoundary, load_jie_table
from yarrow.liuyao.reading.judge import Judgement
from yarrow.liuyao.reading.period import Period
from yarrow.liuyao.reading.strength import JudgedBranch
from yarrow.liuyao.stems_branches import BRANCHES, CLASH_OF, COMBINE_OF, INDEX_OF, Branch

# The 节 that opens the month of each branch.
JIE_OF: Final[dict[Branch, str]] = {
    "寅": "立春", "卯": "惊蛰", "辰": "清明", "巳": "立夏", "午": "芒种", "未": "小暑",
    "申": "立秋", "酉": "白露", "戌": "寒露", "亥": "立冬", "子": "大雪", "丑": "小寒",
}  # fmt: skip


class TimingRule(Struct, frozen=True):
    name: str
    zh: str
    en: str


class TimingMonth(Struct, frozen=True):
    """The month of a branch: from its 节 to the day before the next one."""

    branch: Branch
    start: date
    end: date


class Timing(Struct, frozen=True):
    """The branches to watch, the first day that each of them rules, and its month.

    All three are in the order of time. Days follow the cast; for a line that the month breaks they
    follow the month. When `period` is set, days and months outside it are left out, so both may be
    empty; `branches` then are all that the rule names, and `beyond` is the first day after it.
    """

    rule: TimingRule
    branches: tuple[Branch, ...]
    days: tuple[date, ...]
    months: tuple[TimingMonth, ...]
    period: Period | None
    beyond: tuple[date, Branch] | None
    delayed: bool
    line: int


HIDDEN: Final = TimingRule(
    "伏神待冲飞",
    "伏神须待飞神逢冲，或伏神值日方出",
    "a hidden 用神 comes out when 飞神 is clashed or on its own day",
)
VOID: Final = TimingRule(
    "旬空待填实", "旬空须待出旬填实，或逢冲则实", "a void line waits to be filled or clashed"
)
BROKEN: Final = TimingRule(
    "月破待出月", "月破须待出月，逢值逢合为应", "a broken line waits for the month to pass"
)
BOUND: Final = TimingRule(
    "合绊待冲开", "合绊须待冲开", "a bound line waits for the clash that frees it"
)
ENTOMBED: Final = TimingRule(
    "入墓待冲墓", "入墓须待冲开墓库", "a line in its tomb waits for the tomb to be clashed"
)
WEAK: Final = TimingRule(
    "休囚待生旺", "用神休囚，须待生旺之时", "a weak line waits for a time that feeds it, or its own"
)
TOO_STRONG: Final = TimingRule(
    "太旺待墓冲", "用神太旺，应于入墓、逢冲之时", "an over-strong line answers at its tomb or clash"
)
MOVING: Final = TimingRule(
    "动爻逢合逢值",
    "动爻应于逢值、逢合之时",
    "a moving line answers on its own branch or its combine",
)
STILL: Final = TimingRule(
    "静爻逢值逢冲", "静爻应于逢值、逢冲之时", "a still line answers on its own branch or its clash"
)

_MOST_TIMES: Final = 3
"""Of the five branches that a weak line of metal waits for, the next ones are told."""
_DELAYS: Final = frozenset({HIDDEN, VOID, BROKEN, BOUND, ENTOMBED, WEAK})


def estimate_timing(
    derivation: Derivation, judgement: Judgement, period: Period | None = None
) -> Timing:
    """When the matter is likely to show, within `period` if there is one."""
    rule, watched = _choose_timing_rule(derivation, judgement)
    today = find_civil_day(derivation)
    earliest = _find_next_month_start(derivation) if rule is BROKEN else today + timedelta(days=1)
    if period is not None:
        earliest = max(earliest, period.start)
    index = INDEX_OF[derivation.pillars.day.branch] + (earliest - today).days
    found = sorted((earliest + timedelta(days=(INDEX_OF[b] - index) % 12), b) for b in watched)
    months = [month for month in list_later_months(derivation, earliest) if month.branch in watched]
    months = [month for month in months if month.end - max(month.start, earliest) >= _MOST_OF]
    beyond = None
    if period is not None:
        beyond = next(((day, branch) for day, branch in found if day > period.end), None)
        found = [(day, branch) for day, branch in found if day <= period.end]
        months = [month for month in months if month.start <= period.end]
    found = found[:_MOST_TIMES]
    branches = tuple(branch for _, branch in found)
    return Timing(
        rule=rule,
        branches=branches or watched,
        days=tuple(day for day, _ in found),
        months=tuple(months[: min(len(watched), _MOST_TIMES)]),
        period=period,
        beyond=beyond if not found else None,
        delayed=rule in _DELAYS,
        line=judgement.focus.position,
    )


def find_civil_day(derivation: Derivation) -> date:
    """The civil date on which most of the cast's day pillar falls."""
    cast = derivation.cast
    late = cast.moment.hour == 23 and cast.day_boundary is DayBoundary.LATE_ZI
    return cast.moment.date() + timedelta(days=1 if late else 0)


def _find_next_month_start(derivation: Derivation) -> date:
    """The first whole day of the next month; the day after the cast where the table ends."""
    moment, instants = derivation.cast.moment, load_jie_table().instants
    place = bisect_right(instants, moment.timestamp())
    today = find_civil_day(derivation)
    if place == len(instants):
        return today + timedelta(days=1)
    opens = datetime.fromtimestamp(instants[place], moment.tzinfo).date()
    return max(opens, today) + timedelta(days=1)


def list_months(derivation: Derivation, period: Period) -> list[TimingMonth]:
    """The months of a period; one of which only a few days belong to it is left out."""
    months = [m for m in list_later_months(derivation, period.start) if m.start <= period.end]
    whole = [m for m in months if min(m.end, period.end) - max(m.start, period.start) >= _MOST_OF]
    return whole or months


_MOST_OF: Final = timedelta(days=10)


def list_later_months(derivation: Derivation, earliest: date) -> list[TimingMonth]:
    """Twelve months from the one that `earliest` lies in, as far as the table goes."""
    zone, table = derivation.cast.moment.tzinfo, load_jie_table()
    first = datetime(earliest.year, earliest.month, earliest.day, 12, tzinfo=zone).timestamp()
    place = bisect_right(table.instants, first) - 1
    opens = [
        datetime.fromtimestamp(instant, zone).date()
        for instant in table.instants[place : place + 13]
    ]
    # The table begins with 小寒, which opens the month of 丑.
    return [
        TimingMonth(BRANCHES[(place + offset + 1) % 12], start, end - timedelta(days=1))
        for offset, (start, end) in enumerate(pairwise(opens))
    ]


def _choose_timing_rule(
    derivation: Derivation, judgement: Judgement
) -> tuple[TimingRule, tuple[Branch, ...]]:
    focus = judgement.focus
    branch, state, still = focus.branch, focus.state, not focus.moving
    clash, combine, tomb = CLASH_OF[branch], COMBINE_OF[branch], _find_tomb(focus.element)
    over = derivation.situation.lines[focus.position - 1].base.branch
    unhelped = not state.has_qi and state.day in {"克", "囚", "休"}
    crowded = state.season == "旺" and (state.is_day or state.day == "扶")
    causes: tuple[tuple[bool, TimingRule, tuple[Branch, ...]], ...] = (
        (judgement.hidden, HIDDEN, (CLASH_OF[over], branch)),
        (bool(state.void_kind), VOID, (branch, clash)),
        (state.break_kind in {"真破", "动破", "有扶"}, BROKEN, (branch, combine)),
        (_is_bound(focus), BOUND, (clash,)),
        (_is_entombed(focus), ENTOMBED, (CLASH_OF[tomb],)),
        (unhelped and still, WEAK, (*_list_feeders(focus.element), branch)),
        (crowded and still, TOO_STRONG, (tomb, clash)),
        (focus.moving, MOVING, (branch, combine)),
    )
    for applies, rule, branches in causes:
        if applies:
            return rule, tuple(dict.fromkeys(branches))
    return STILL, (branch, clash)


def _is_bound(focus: JudgedBranch) -> bool:
    line = focus.line
    if line is None or not line.moving:
        return False
    return line.state.day_combines or line.state.month_combines or "化合" in line.tags


def _is_entombed(focus: JudgedBranch) -> bool:
    if focus.line is not None and "化墓" in focus.line.tags:
        return True
    return focus.state.stage == "墓" and focus.element != "土"


def _find_tomb(element: Element) -> Branch:
    return next(branch for branch in BRANCHES if STAGE_OF[element][branch] == "墓")


def _list_feeders(element: Element) -> tuple[Branch, ...]:
    """The branches that feed `element`."""
    return tuple(b for b in BRANCHES if BEARING[ELEMENT_OF[b]][element] == "生")
