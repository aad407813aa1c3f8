"""How strong a line is: every rule that speaks for or against it, as points.

Month and day come first, then void, the line's own change, then what other acting lines do.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from yarrow.liuyao.interactions import triads
from yarrow.liuyao.line_state import LineState, VoidKind
from yarrow.liuyao.reading import rules
from yarrow.liuyao.reading.rules import Rule
from yarrow.liuyao.situation import Line, Situation
from yarrow.liuyao.symbols import BEARING, CLASH_OF, Bearing, Branch, Element, Relation


@dataclass(frozen=True, slots=True)
class Point:
    """One rule that applied: what it added to the score and the lines it rests on."""

    rule: Rule
    value: float
    lines: tuple[int, ...]
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """A line that is judged; `line` is absent when it lies hidden under another."""

    position: int
    branch: Branch
    element: Element
    relation: Relation
    state: LineState
    line: Line | None

    @property
    def moving(self) -> bool:
        return self.line is not None and self.line.moving


def make_subject(line: Line) -> Subject:
    seat = line.seat
    return Subject(seat.position, seat.branch, seat.element, seat.relation, line.state, line)


def total(points: list[Point]) -> float:
    return sum(point.value for point in points)


def strength(situation: Situation, subject: Subject) -> list[Point]:
    """Everything that makes `subject` strong or weak."""
    own = [*_by_month(subject), *_by_day(subject), *_by_void(subject), *_by_change(subject)]
    return [*own, *_by_lines(situation, subject), *_by_triads(situation, subject)]


def _point(subject: Subject, rule: Rule, factor: float = 1.0) -> Point:
    return Point(rule, rule.weight * factor, (subject.position,))


_MONTH: Final[dict[Bearing, Rule]] = {
    "扶": rules.MONTH_SAME,
    "生": rules.MONTH_FEEDS,
    "休": rules.MONTH_DRAINS,
    "囚": rules.MONTH_CONFINES,
    "克": rules.MONTH_CONTROLS,
}
_DAY: Final[dict[Bearing, Rule]] = {
    "扶": rules.DAY_SAME,
    "生": rules.DAY_FEEDS,
    "休": rules.DAY_DRAINS,
    "囚": rules.DAY_CONFINES,
    "克": rules.DAY_CONTROLS,
}


def _by_month(subject: Subject) -> Iterator[Point]:
    state = subject.state
    yield _point(subject, _month_rule(state))
    if state.month_combines:
        yield _point(subject, rules.MONTH_COMBINES)


def _month_rule(state: LineState) -> Rule:
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


def _by_day(subject: Subject) -> Iterator[Point]:
    state = subject.state
    rule = _day_rule(subject)
    if rule is not None:
        yield _point(subject, rule)
    if state.day_combines:
        yield _point(subject, rules.DAY_BINDS if subject.moving else rules.DAY_RAISES)
    if state.stage == "墓" and subject.element != "土":
        yield _point(subject, rules.DAY_TOMB, rules.TOMB_WITH_QI if state.has_qi else 1.0)
    if state.stage == "绝" and state.day != "生" and not state.has_qi:
        yield _point(subject, rules.DAY_END)


def _day_rule(subject: Subject) -> Rule | None:
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


_VOID: Final[dict[VoidKind, Rule]] = {
    "真空": rules.VOID_TRUE,
    "休囚空": rules.VOID_WEAK,
    "有扶": rules.VOID_HELPED,
    "旺空": rules.VOID_STRONG,
    "动空": rules.VOID_MOVING,
    "冲空": rules.VOID_CLASHED,
}


def _by_void(subject: Subject) -> Iterator[Point]:
    if subject.state.void_kind:
        yield _point(subject, _VOID[subject.state.void_kind])


_WITH_QI: Final = {
    "化退神": rules.RETREAT_WITH_QI,
    "化墓": rules.CHANGED_TOMB_WITH_QI,
    "化绝": rules.CHANGED_END_WITH_QI,
}


def _by_change(subject: Subject) -> Iterator[Point]:
    line = subject.line
    if line is None or not line.moving:
        return
    yield _point(subject, rules.MOVES)
    for tag in line.tags:
        softened = _WITH_QI.get(tag, 1.0) if line.state.has_qi else 1.0
        yield _point(subject, rules.CHANGES[tag], softened)


def force(line: Line) -> float:
    """How much of an acting line's force reaches the others (增删卜易·元神忌神衰旺章)."""
    state, tags = line.state, set(line.tags)
    factors = (
        (True, rules.MOVING_FORCE if line.moving else rules.STIRRED_FORCE),
        (_is_spent(state), rules.TRULY_VOID_FORCE),
        ("回头克" in tags, rules.CONTROLLED_FORCE),
        (state.void_kind == "动空" or state.break_kind in {"动破", "有扶"}, rules.SOFT_VOID_FORCE),
        (not state.has_qi and bool(tags & _DECLINES), rules.DECLINING_FORCE),
        (line.moving and (state.day_combines or "化合" in tags), rules.BOUND_FORCE),
        (bool(tags & {"化进神", "回头生"}), rules.RISING_FORCE),
        (_is_rooted(state), rules.ROOTED_FORCE),
        (not _is_rooted(state) and state.day == "克", rules.PRESSED_FORCE),
    )
    product = 1.0
    for applies, factor in factors:
        product *= factor if applies else 1.0
    return product


_DECLINES: Final = frozenset({"化退神", "化绝", "化墓"})


def _is_spent(state: LineState) -> bool:
    return state.void_kind == "真空" or state.break_kind == "真破"


def _is_rooted(state: LineState) -> bool:
    return state.has_qi or state.day in {"扶", "生"}


def _is_sound(line: Line) -> bool:
    """Whether a 元神 is fit to help; a weak one that ends or is controlled is not."""
    if _is_spent(line.state):
        return False
    return line.state.has_qi or not set(line.tags) & {"回头克", *_DECLINES}


def _is_rootless(state: LineState) -> bool:
    """ "用神无根,元神有力亦难生": hurt by the month and by the day."""
    by_month = state.break_kind in {"动破", "有扶", "真破"} or (
        state.month == "克" and not state.lingers
    )
    return by_month and (state.day == "克" or state.day_clash != "")


def _by_lines(situation: Situation, subject: Subject) -> Iterator[Point]:
    acting = [
        line for line in situation.lines if line.acts and line.seat.position != subject.position
    ]
    bearings = [(line, BEARING[line.seat.element][subject.element]) for line in acting]
    feeders = [line for line, bearing in bearings if bearing == "生"]
    harmed = any(bearing == "克" for _, bearing in bearings)
    greedy = harmed and any(_is_sound(line) for line in feeders)
    rootless = _is_rootless(subject.state)
    for line, bearing in bearings:
        rule, factor = _deed(subject, line, bearing)
        if rule is rules.LINE_FEEDS:
            factor *= rules.GREED_ON_HELP if greedy else 1.0
            factor *= rules.ROOTLESS_ON_HELP if rootless else 1.0
        elif rule is rules.LINE_CONTROLS:
            factor *= rules.GREED_ON_HARM if greedy else 1.0
        if rule is not None:
            lines = (line.seat.position, subject.position)
            yield Point(rule, rule.weight * factor, lines, line.seat.label)
    if greedy:
        yield Point(rules.GREED, 0.0, tuple(line.seat.position for line in acting))
    if rootless:
        yield _point(subject, rules.ROOTLESS)


def _deed(subject: Subject, line: Line, bearing: Bearing) -> tuple[Rule | None, float]:
    match bearing:
        case "生":
            return rules.LINE_FEEDS, force(line)
        case "克":
            return rules.LINE_CONTROLS, force(line)
        case "扶":
            clashes = CLASH_OF[line.seat.branch] == subject.branch
            return rules.LINE_CLASHES if clashes else rules.LINE_SUPPORTS, force(line)
        case "休":
            # What lies hidden is out of reach of lines that would only drain it.
            return (None if subject.line is None else rules.LINE_DRAINS), force(line)
        case "囚":
            return None, 0.0


def _by_triads(situation: Situation, subject: Subject) -> Iterator[Point]:
    if subject.line is None:
        return
    for triad in triads(situation):
        if triad.missing is not None:
            continue
        members = tuple(
            line.seat.position
            for line in situation.lines
            if line.acts and line.seat.branch in triad.members
        )
        match BEARING[triad.element][subject.element]:
            case "生" | "扶":
                yield Point(rules.TRIAD_FEEDS, rules.TRIAD_FEEDS.weight, members)
            case "克":
                yield Point(rules.TRIAD_CONTROLS, rules.TRIAD_CONTROLS.weight, members)
            case "休" | "囚":
                pass
