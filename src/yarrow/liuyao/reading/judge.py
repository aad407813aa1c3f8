"""The judgement: which line answers, how it stands, and what that says of the matter."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from yarrow.liuyao.reading import rules
from yarrow.liuyao.reading.matters import Matter, Topic
from yarrow.liuyao.reading.rules import Rule
from yarrow.liuyao.reading.strength import Point, Subject, make_subject, strength, total
from yarrow.liuyao.situation import Line, Situation, assess_hidden
from yarrow.liuyao.symbols import BEARING, COMBINE_OF, Relation


class SignLevel(StrEnum):
    HIGHEST = "上上签"
    HIGH = "中上签"
    LOW = "中下签"
    LOWEST = "下下签"


_GREAT: Final = 4.0
# Matters in which 用神 controlling 世 means that it comes to the asker.
_COMING: Final = frozenset({Topic.WEALTH, Topic.ABSENT, Topic.LOST})


@dataclass(frozen=True, slots=True)
class Judgement:
    """The score with everything it is made of. `hidden` says that 用神 is not on the board."""

    matter: Matter
    focus: Subject
    hidden: bool
    points: tuple[Point, ...]
    world_points: tuple[Point, ...]
    score: float

    @property
    def level(self) -> SignLevel:
        if self.score >= _GREAT:
            return SignLevel.HIGHEST
        if self.score >= 0:
            return SignLevel.HIGH
        return SignLevel.LOW if self.score > -_GREAT else SignLevel.LOWEST


def judge(situation: Situation, matter: Matter) -> Judgement:
    """Weigh the rules that apply to `matter`."""
    focus, over = _focus(situation, matter)
    points = strength(situation, focus)
    if over is not None:
        points += _under(focus, over)
    world_points: list[Point] = []
    if matter.focus != "世":
        if matter.own:
            world_points = (
                points if focus.line is situation.world else _strength_of_world(situation)
            )
            value = rules.WORLD_STRENGTH.weight * total(world_points)
            points = [*points, Point(rules.WORLD_STRENGTH, value, (situation.hexagram.world,))]
        points += _with_world(situation, matter, focus)
    points += [*_by_hexagram(situation, matter), *_by_remedy(situation, matter)]
    score, limit = _limit_illness(situation, matter, focus, total(points))
    return Judgement(
        matter=matter,
        focus=focus,
        hidden=over is not None,
        points=tuple(points + limit),
        world_points=tuple(world_points),
        score=round(score, 2),
    )


def _strength_of_world(situation: Situation) -> list[Point]:
    return strength(situation, make_subject(situation.world))


def _focus(situation: Situation, matter: Matter) -> tuple[Subject, Line | None]:
    """用神, and the 飞神 above it when it is hidden."""
    if matter.focus == "世":
        return make_subject(situation.world), None
    if matter.focus == "应":
        return make_subject(situation.response), None
    candidates = [line for line in situation.lines if line.seat.relation == matter.focus]
    if candidates:
        return make_subject(max(candidates, key=_claim)), None
    return _hidden_subject(situation, matter.focus)


def _claim(line: Line) -> tuple[bool, ...]:
    """Who stands for a kin that shows twice (增删卜易·两现章, 卜筮正宗·十八问答)."""
    state = line.state
    return (
        line.seat.mark == "世",
        line.moving,
        state.is_month or state.is_day,
        state.day_clash == "暗动",
        bool(state.void_kind or state.break_kind),
        state.has_qi,
        line.seat.mark == "应",
    )


def _hidden_subject(situation: Situation, relation: Relation) -> tuple[Subject, Line]:
    found = next(h for h in situation.hexagram.hidden if h.relation == relation)
    state = assess_hidden(situation, found.branch)
    over = situation.lines[found.position - 1]
    subject = Subject(found.position, found.branch, found.element, relation, state, None)
    return subject, over


def _under(focus: Subject, over: Line) -> list[Point]:
    """What the visible line does to the one under it (增删卜易·飞伏神章)."""
    applied = [rules.HIDDEN]
    match BEARING[over.seat.element][focus.element]:
        case "克":
            applied.append(rules.OVER_CONTROLS)
        case "生":
            applied.append(rules.OVER_FEEDS)
        case "囚":
            applied.append(rules.OVER_YIELDS)
        case "扶" | "休":
            pass
    state = over.state
    if over.moving or state.void_kind or state.break_kind or state.day_clash:
        applied.append(rules.OVER_OPENS)
    label = over.seat.label
    return [Point(rule, rule.weight, (over.seat.position,), label) for rule in applied]


def _with_world(situation: Situation, matter: Matter, focus: Subject) -> list[Point]:
    world = situation.world
    if focus.line is world:
        return [_pair_point(rules.HOLDS_WORLD, focus, world)]
    found = [_bearing_on_world(matter, focus, world)]
    if COMBINE_OF[focus.branch] == world.seat.branch:
        found.append(rules.COMBINES_WORLD)
    if matter.own and world.state.void_kind in {"真空", "休囚空"}:
        found.append(rules.WORLD_VOID)
    found.append(_check_service(situation, matter, focus))
    return [_pair_point(rule, focus, world) for rule in found if rule is not None]


def _pair_point(rule: Rule, focus: Subject, world: Line) -> Point:
    lines = tuple(sorted({focus.position, world.seat.position}))
    return Point(rule, rule.weight, lines)


def _bearing_on_world(matter: Matter, focus: Subject, world: Line) -> Rule | None:
    match BEARING[focus.element][world.seat.element]:
        case "生":
            able = focus.moving or focus.state.has_qi
            return rules.FEEDS_WORLD if able else rules.FEEDS_WORLD_WEAKLY
        case "克":
            coming = matter.topic in _COMING
            return rules.COMES_TO_WORLD if coming else rules.CONTROLS_WORLD
        case "休":
            return rules.WORLD_FEEDS
        case "囚":
            return rules.WORLD_CONTROLS
        case "扶":
            return None


def _check_service(situation: Situation, matter: Matter, focus: Subject) -> Rule | None:
    """In gain and office, a 用神 that is 应's, or moves to feed 应, serves others."""
    if matter.topic not in {Topic.CAREER, Topic.WEALTH} or focus.line is None:
        return None
    response = situation.response
    on_world = BEARING[focus.element][situation.world.seat.element]
    feeds = BEARING[focus.element][response.seat.element] == "生" and on_world != "生"
    if focus.line is not response and not (focus.moving and feeds):
        return None
    if matter.topic is Topic.WEALTH and on_world == "克":
        return rules.SERVES_RESPONSE_YET_COMES
    return rules.SERVES_RESPONSE


def _by_hexagram(situation: Situation, matter: Matter) -> Iterator[Point]:
    lines = (situation.hexagram.world, situation.hexagram.response)
    turn = 1.0
    if matter.topic is Topic.LAWSUIT:
        turn = rules.LAWSUIT_CONCORD
    elif matter.illness == "近":
        turn = rules.RECENT_ILLNESS_CONCORD
    for mark in situation.special:
        if mark in rules.SPECIAL:
            rule = rules.SPECIAL[mark]
            yield Point(rule, rule.weight * turn, lines)
        elif mark.endswith("吟"):
            rule = rules.FU_YIN if mark.endswith("伏吟") else rules.FAN_YIN
            moved = tuple(line.seat.position for line in situation.lines if line.moving)
            yield Point(rule, rule.weight, moved)


def _by_remedy(situation: Situation, matter: Matter) -> Iterator[Point]:
    """官鬼 is the illness, 子孙 the remedy (增删卜易·疾病章)."""
    if matter.topic is not Topic.HEALTH:
        return
    acting = [line for line in situation.lines if line.acts and line.seat.relation == "子孙"]
    if acting and matter.focus != "子孙":
        lines = tuple(line.seat.position for line in acting)
        yield Point(rules.REMEDY_ACTS, rules.REMEDY_ACTS.weight, lines)
    if matter.focus == "世":
        held = {"官鬼": rules.ILLNESS_HOLDS_WORLD, "子孙": rules.REMEDY_HOLDS_WORLD}
        rule = held.get(situation.world.seat.relation)
        if rule is not None:
            yield Point(rule, rule.weight, (situation.hexagram.world,))


def _limit_illness(
    situation: Situation, matter: Matter, focus: Subject, score: float
) -> tuple[float, list[Point]]:
    """近病逢空即愈, 久病逢冲逢空凶: the void and the clash bound the score of an illness."""
    emptied = focus.state.void_kind != "" or (focus.line is not None and "化空" in focus.line.tags)
    clashing = bool({"六冲卦", "变六冲", "六冲变六冲", "六合变六冲"} & set(situation.special))
    limit = rules.ILLNESS_LIMIT
    if matter.illness == "近" and emptied and score < limit:
        return limit, [Point(rules.RECENT_VOID, limit - score, (focus.position,))]
    if matter.illness == "久" and (emptied or clashing) and score > -limit:
        return -limit, [Point(rules.LASTING_CLASH, -limit - score, (focus.position,))]
    return score, []
