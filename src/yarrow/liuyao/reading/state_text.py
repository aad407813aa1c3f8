"""What month, day and void do to a line, in prose.

The payload's `timeEffect` prints the same facts as terms; a reading says them in sentences, and a
clash of the day takes the place of its element's bearing, since a branch that clashes a line does
not support it.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from yarrow.liuyao.five_elements import Bearing
from yarrow.liuyao.line_state import BreakKind, DayClash, LineState, VoidKind


class _StateWords(Struct, frozen=True):
    """The clauses of one language."""

    comma: str
    month: Mapping[Bearing, str]
    is_month: str
    month_break: Mapping[BreakKind, str]
    lingers: str
    month_combines: str
    day: Mapping[Bearing, str]
    is_day: str
    day_clash: Mapping[DayClash, str]
    day_combines: str
    void: Mapping[VoidKind, str]
    void_besides: str


_CHINESE: Final = _StateWords(
    comma="，",
    month={
        "扶": "得月建{month}扶",
        "生": "得月建{month}生",
        "休": "泄气于月建{month}",
        "囚": "囚于月建{month}",
        "克": "受月建{month}克",
    },
    is_month="临月建{month}",
    month_break={
        "": "",
        "临日不破": "月建{month}冲而临日不破",
        "动破": "逢月破而动",
        "有扶": "逢月破而有扶",
        "真破": "逢月破而无救",
    },
    lingers="于月建{month}尚存余气",
    month_combines="与月建{month}相合",
    day={
        "扶": "得日辰{day}扶",
        "生": "得日辰{day}生",
        "休": "泄气于日辰{day}",
        "囚": "于日辰{day}无助",
        "克": "受日辰{day}克",
    },
    is_day="临日辰{day}",
    day_clash={
        "": "",
        "暗动": "被日辰{day}冲而暗动",
        "日冲动": "动而逢日辰{day}冲",
        "冲空": "旬空逢日辰{day}冲则实",
        "日破": "被日辰{day}冲破",
    },
    day_combines="与日辰{day}相合",
    void={
        "": "",
        "动空": "旬空而动",
        "冲空": "",
        "真空": "旬空而无救",
        "旺空": "旬空而旺",
        "有扶": "旬空而有扶",
        "休囚空": "旬空又休囚",
    },
    void_besides="又值旬空",
)
_ENGLISH: Final = _StateWords(
    comma=", ",
    month={
        "扶": "supported by 月建 {month}",
        "生": "fed by 月建 {month}",
        "休": "spent on 月建 {month} (休)",
        "囚": "confined under 月建 {month} (囚)",
        "克": "controlled by 月建 {month} (克)",
    },
    is_month="月建 {month} itself",
    month_break={
        "": "",
        "临日不破": "clashed by 月建 {month}, but holding as the day itself",
        "动破": "broken by the month (月破) while moving",
        "有扶": "broken by the month (月破) but helped",
        "真破": "broken by the month (月破) without help",
    },
    lingers="keeping qi of its season under 月建 {month}",
    month_combines="combined with 月建 {month} (合)",
    day={
        "扶": "supported by 日辰 {day}",
        "生": "fed by 日辰 {day}",
        "休": "spent on 日辰 {day} (休)",
        "囚": "without help from 日辰 {day} (囚)",
        "克": "controlled by 日辰 {day} (克)",
    },
    is_day="日辰 {day} itself",
    day_clash={
        "": "",
        "暗动": "stirred by the clash of 日辰 {day} (暗动)",
        "日冲动": "moving and clashed by 日辰 {day}",
        "冲空": "void, and filled by the clash of 日辰 {day}",
        "日破": "broken by the clash of 日辰 {day} (日破)",
    },
    day_combines="combined with 日辰 {day} (合)",
    void={
        "": "",
        "动空": "void but moving (旬空)",
        "冲空": "",
        "真空": "truly void (旬空)",
        "旺空": "void but strong (旬空)",
        "有扶": "void but helped (旬空)",
        "休囚空": "void and weak (旬空)",
    },
    void_besides="void besides (旬空)",
)


def describe_line_state(state: LineState, *, month: str, day: str, english: bool) -> str:
    """The clauses of a line's state; `month` and `day` are branches with their elements."""
    words = _ENGLISH if english else _CHINESE
    text = words.comma.join(clause for clause in _list_clauses(state, words) if clause)
    return text.format(month=month, day=day)


def _is_broken_and_void(state: LineState) -> bool:
    """The month breaks it and it is void: neither help nor season counts then (增删卜易·旬空章)."""
    return state.void_kind == "真空" and state.break_kind != ""


def _list_clauses(state: LineState, words: _StateWords) -> tuple[str, ...]:
    by_month = words.month[state.month]
    if state.is_month:
        by_month = words.is_month
    elif state.break_kind:
        by_month = words.month_break[state.break_kind]
    elif state.lingers:
        by_month = words.lingers
    by_day = words.day_clash[state.day_clash] or words.day[state.day]
    if state.is_day:
        by_day = words.is_day
    return (
        by_month,
        words.month_combines if state.month_combines else "",
        by_day,
        words.day_combines if state.day_combines else "",
        words.void_besides if _is_broken_and_void(state) else words.void[state.void_kind],
    )
