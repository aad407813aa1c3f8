"""How strong a line is: every rule that speaks for or against it, as points.

Month and day come first, then void, the line's own change, then what other acting lines do.
"""

from collections.abc import Iterator
from enum import Enum, auto
from typing import Final, Literal

from msgspec import Struct

from yarrow.liuyao.five_elements import BEARING, Bearing, Element, Relation
from yarrow.liuyao.interactions import find_triads
from yarrow.liuyao.line_state import LineState, VoidKind
from yarrow.liuyao.reading import factors
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.change_rules import ReadingRule
from yarrow.liuyao.situation import CastLine, Situation
from yarrow.liuyao.stems_branches import CLASH_OF, Branch


class ScoredRule(Struct, frozen=True):
    """One rule that applied: what it added to the score and the lines it rests on."""

    rule: ReadingRule
    value: float
    lines: tuple[int, ...]
    actor: str = ""


class FocusLocation(Enum):
    """Where 用神 was found; the order is the one in which a missing one is looked for."""

    LINE = auto()
    DAY = auto()
    MONTH = auto()
    CHANGED = auto()
    HIDDEN = auto()


class JudgedBranch(Struct, frozen=True):
    """A branch that is judged; `line` is absent when none of the six lines is it.

    `position` is then the line it belongs to: the one that changed into it, or the one it lies
    under in the palace's first hexagram.
    """

    position: int
    branch: Branch
    element: Element
    relation: Relation
    state: LineState
    line: CastLine | None
    place: FocusLocation = FocusLocation.LINE

    @property
    def moving(self) -> bool:
        return self.line is not None and self.line.moving


def judge_line(line: CastLine) -> JudgedBranch:
    base = line.base
    return JudgedBranch(base.position, base.branch, base.element, base.relation, line.state, line)


def sum_points(points: list[ScoredRule]) -> float:
    return sum(point.value for point in points)


def score_strength(situation: Situation, subject: JudgedBranch) -> list[ScoredRule]:
    """Everything that makes `subject` strong or weak."""
    if subject.place in {FocusLocation.DAY, FocusLocation.MONTH}:
        # Month and day act on all lines and are acted on by none; nor are they void.
        return [*_score_month(subject), *_score_day(subject)]
    own = [
        *_score_month(subject),
        *_score_day(subject),
        *_score_void(subject),
        *_score_change(subject),
    ]
    return [
        *own,
        *_score_lines(situation, subject),
        *_score_triads(situation, subject),
    ]


def _score_rule(subject: JudgedBranch, rule: ReadingRule, factor: float = 1.0) -> ScoredRule:
    return ScoredRule(rule, rule.weight * factor, (subject.position,))


_MONTH: Final[dict[Bearing, ReadingRule]] = {
    "扶": rules.MONTH_SAME,
    "生": rules.MONTH_FEEDS,
    "休": rules.MONTH_DRAINS,
    "囚": rules.MONTH_CONFINES,
    "克": rules.MONTH_CONTROLS,
}
_DAY: Final[dict[Bearing, ReadingRule]] = {
    "扶": rules.DAY_SAME,
    "生": rules.DAY_FEEDS,
    "休": rules.DAY_DRAINS,
    "囚": rules.DAY_CONFINES,
    "克": rules.DAY_CONTROLS,
}


def _score_month(subject: JudgedBranch) -> Iterator[ScoredRule]:
    state = subject.state
    yield _score_rule(subject, _find_month_rule(state))
    if state.month_combines:
        yield _score_rule(subject, rules.MONTH_COMBINES)


def _find_month_rule(state: LineState) -> ReadingRule:
    if state.is_month:
        return rules.IS_MONTH
    match state.break_kind:
        case "真破":
            return rules.MONTH_BROKEN
        case "动破" | "有扶":
            return rules.MONTH_BROKEN_SOFT
        case "临日不破":
            return rules.MONTH_BROKEN_ON_DAY
        case "":
            return rules.MONTH_LINGERS if state.lingers else _MONTH[state.month]


def _score_day(subject: JudgedBranch) -> Iterator[ScoredRule]:
    state = subject.state
    rule = _find_day_rule(subject)
    if rule is not None:
        yield _score_rule(subject, rule)
    if state.day_combines:
        yield _score_rule(subject, rules.DAY_BINDS if subject.moving else rules.DAY_RAISES)
    if state.stage == "墓" and subject.element != "土":
        yield _score_rule(subject, rules.DAY_TOMB, factors.TOMB_WITH_QI if state.has_qi else 1.0)
    if state.stage == "绝" and state.day != "生" and not state.has_qi:
        yield _score_rule(subject, rules.DAY_END)


def _find_day_rule(subject: JudgedBranch) -> ReadingRule | None:
    state = subject.state
    if state.is_day:
        return rules.IS_DAY
    match state.day_clash:
        case "暗动":
            return rules.STIRRED
        case "日破":
            return rules.DAY_BROKEN
        case "日冲动":
            return None if state.has_qi else rules.SCATTERED
        case "冲空":
            return None
        case "":
            born = subject.element == "金" and state.stage == "长生" and state.has_qi
            return rules.DAY_BIRTH if born else _DAY[state.day]


_VOID: Final[dict[VoidKind, ReadingRule]] = {
    "真空": rules.VOID_TRUE,
    "休囚空": rules.VOID_WEAK,
    "有扶": rules.VOID_HELPED,
    "旺空": rules.VOID_STRONG,
    "动空": rules.VOID_MOVING,
    "冲空": rules.VOID_CLASHED,
}


def _score_void(subject: JudgedBranch) -> Iterator[ScoredRule]:
    state = subject.state
    if state.void_kind == "真空" and state.break_kind == "有扶":
        yield _score_rule(subject, rules.VOID_BROKEN)
    elif state.void_kind:
        yield _score_rule(subject, _VOID[state.void_kind])


_BY_CHANGED_LINE: Final = frozenset({"回头生", "回头克", "化长生"})
_WITH_QI: Final = {
    "化退神": factors.RETREAT_WITH_QI,
    "化墓": factors.CHANGED_TOMB_WITH_QI,
    "化绝": factors.CHANGED_END_WITH_QI,
}


def _score_change(subject: JudgedBranch) -> Iterator[ScoredRule]:
    line = subject.line
    if line is None or not line.moving:
        return
    yield _score_rule(subject, rules.MOVES)
    # A changed line that is void or broken has little to give or to strike with.
    hollow = bool({"化空", "化破"} & set(line.tags))
    for tag in line.tags:
        softened = _WITH_QI.get(tag, 1.0) if line.state.has_qi else 1.0
        if hollow and tag in _BY_CHANGED_LINE:
            softened *= factors.HOLLOW_CHANGE
        yield _score_rule(subject, rules.CHANGES[tag], softened)


Inability = Literal["", "真空真破", "休囚受制", "入墓", "衰绝", "化退", "化绝", "化克", "化破"]
"""Why an acting line does nothing to others (增删卜易·元神忌神衰旺章)."""


def find_inability(line: CastLine, bearing: Bearing) -> Inability:
    """What keeps an acting line from feeding or controlling another.

    "元神虽现不能生用神者六", "忌神虽动不克用神者七". A weak line is disabled by any of them; a
    strong one that would do harm is disabled by its own change as well (动化绝、化克、化破).
    """
    state, tags = line.state, set(line.tags)
    # "动化回头生、化进神" and "长生帝旺于日辰" make a line able, whatever the season.
    rises = bool(tags & {"回头生", "化进神"}) or state.stage in {"长生", "帝旺"}
    weak = is_weak(state) and not rises
    harms = bearing == "克"
    reasons: tuple[tuple[bool, Inability], ...] = (
        (_is_spent(state), "真空真破"),
        ("回头克" in tags and (weak or harms), "化克"),
        ("化绝" in tags and (weak or harms), "化绝"),
        ("化破" in tags and (weak or harms), "化破"),
        (weak and "化退神" in tags, "化退"),
        (weak and (_is_entombed(line.base.element, state) or "化墓" in tags), "入墓"),
        (weak and state.stage == "绝" and state.day != "生", "衰绝"),
        (weak and (state.day == "克" or state.month == "克"), "休囚受制"),
    )
    return next((reason for applies, reason in reasons if applies), "")


def is_weak(state: LineState) -> bool:
    """Neither the month nor the day gives the line anything."""
    return not (state.has_qi or state.is_day or is_day_helping(state))


def is_day_helping(state: LineState) -> bool:
    """The day feeds the line or shares its element; a branch that clashes it does not help it."""
    return state.is_day or (state.day in {"扶", "生"} and state.day_clash == "")


def _is_entombed(element: Element, state: LineState) -> bool:
    return state.stage == "墓" and element != "土"


def measure_acting_force(line: CastLine) -> float:
    """How much of the force of an able line reaches the others."""
    state, tags = line.state, set(line.tags)
    applied = (
        (True, factors.MOVING_FORCE if line.moving else factors.STIRRED_FORCE),
        ("回头克" in tags, factors.CONTROLLED_FORCE),
        (
            state.void_kind == "动空" or state.break_kind in {"动破", "有扶"},
            factors.SOFT_VOID_FORCE,
        ),
        (line.moving and (state.day_combines or "化合" in tags), factors.BOUND_FORCE),
        (bool(tags & {"化进神", "回头生"}), factors.RISING_FORCE),
        (not is_weak(state), factors.ROOTED_FORCE),
        (is_weak(state) and state.day == "克", factors.PRESSED_FORCE),
    )
    product = 1.0
    for applies, factor in applied:
        product *= factor if applies else 1.0
    return product


def _is_spent(state: LineState) -> bool:
    return state.void_kind == "真空" or state.break_kind == "真破"


def is_rootless(state: LineState) -> bool:
    """ "用神无根,元神有力亦难生": hurt by the month and by the day."""
    by_month = state.break_kind in {"动破", "有扶", "真破"} or (
        state.month == "克" and not state.lingers
    )
    by_day = state.day_clash == "日破" or (state.day == "克" and state.day_clash != "暗动")
    return by_month and by_day


def _score_lines(situation: Situation, subject: JudgedBranch) -> Iterator[ScoredRule]:
    acting = [
        line for line in situation.lines if line.acts and line.base.position != subject.position
    ]
    bearings = [(line, BEARING[line.base.element][subject.element]) for line in acting]
    able = [(line, bearing) for line, bearing in bearings if not find_inability(line, bearing)]
    greedy = {"生", "克"} <= {bearing for _, bearing in able}
    rootless = is_rootless(subject.state)
    for line, bearing in bearings:
        lines = (line.base.position, subject.position)
        if find_inability(line, bearing):
            if bearing in _SPENT:
                yield ScoredRule(_SPENT[bearing], 0.0, lines, line.base.label)
            continue
        rule, factor = _find_line_rule(subject, line, bearing)
        if rule is rules.LINE_FEEDS:
            factor *= factors.GREED_ON_HELP if greedy else 1.0
            factor *= factors.ROOTLESS_ON_HELP if rootless else 1.0
        elif rule is rules.LINE_CONTROLS:
            factor *= factors.GREED_ON_HARM if greedy else 1.0
        if rule is not None:
            yield ScoredRule(rule, rule.weight * factor, lines, line.base.label)
    if greedy:
        yield ScoredRule(rules.GREED, 0.0, tuple(line.base.position for line in acting))
    if rootless:
        yield _score_rule(subject, rules.ROOTLESS)
    if _is_rescued(subject, fed=any(bearing == "生" for _, bearing in able)):
        yield _score_rule(subject, rules.RESCUED)


def _is_rescued(subject: JudgedBranch, *, fed: bool) -> bool:
    """Month or day controls the line, and its own change or an able line feeds it (克处逢生章)."""
    state = subject.state
    hurt = is_weak(state) and "克" in {state.month, state.day}
    tags = subject.line.tags if subject.line is not None else ()
    return hurt and ("回头生" in tags or (fed and not is_rootless(subject.state)))


_SPENT: Final[dict[Bearing, ReadingRule]] = {"生": rules.HELP_SPENT, "克": rules.HARM_SPENT}


def _find_line_rule(
    subject: JudgedBranch, line: CastLine, bearing: Bearing
) -> tuple[ReadingRule | None, float]:
    match bearing:
        case "生":
            return rules.LINE_FEEDS, measure_acting_force(line)
        case "克":
            return rules.LINE_CONTROLS, measure_acting_force(line)
        case "扶":
            clashes = CLASH_OF[line.base.branch] == subject.branch
            return rules.LINE_CLASHES if clashes else rules.LINE_SUPPORTS, measure_acting_force(
                line
            )
        case "休":
            # What lies hidden is out of reach of lines that would only drain it.
            return (None if subject.line is None else rules.LINE_DRAINS), measure_acting_force(line)
        case "囚":
            return None, 0.0


def _score_triads(situation: Situation, subject: JudgedBranch) -> Iterator[ScoredRule]:
    if subject.place is FocusLocation.CHANGED:
        return
    for triad in find_triads(situation):
        if triad.missing is not None:
            continue
        members = tuple(
            line.base.position
            for line in situation.lines
            if line.acts and line.base.branch in triad.members
        )
        match BEARING[triad.element][subject.element]:
            case "生" | "扶":
                yield ScoredRule(rules.TRIAD_FEEDS, rules.TRIAD_FEEDS.weight, members)
            case "克":
                yield ScoredRule(rules.TRIAD_CONTROLS, rules.TRIAD_CONTROLS.weight, members)
            case "休" | "囚":
                pass
