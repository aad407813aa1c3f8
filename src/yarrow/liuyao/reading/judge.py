"""The judgement: which line answers, how it stands, and what that says of the matter."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from yarrow.liuyao.five_elements import BEARING
from yarrow.liuyao.reading import affliction_rules, factors
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.change_rules import ReadingRule
from yarrow.liuyao.reading.find_focus import find_focus_and_cover
from yarrow.liuyao.reading.strength import (
    FocusLocation,
    JudgedBranch,
    ScoredRule,
    find_inability,
    is_weak,
    judge_line,
    score_strength,
    sum_points,
)
from yarrow.liuyao.reading.yong_shen import Matter, Topic
from yarrow.liuyao.situation import CastLine, Situation
from yarrow.liuyao.stems_branches import COMBINE_OF


class SignLevel(StrEnum):
    HIGHEST = "上上签"
    HIGH = "中上签"
    LOW = "中下签"
    LOWEST = "下下签"


_GREAT: Final = 4.0
# Matters in which 用神 controlling 世 means that it comes to the asker.
_COMING: Final = frozenset({Topic.WEALTH, Topic.ABSENT, Topic.LOST})


class Judgement(Struct, frozen=True):
    """The score with everything it is made of. `hidden` says that 用神 is not on the board."""

    matter: Matter
    focus: JudgedBranch
    hidden: bool
    points: tuple[ScoredRule, ...]
    world_points: tuple[ScoredRule, ...]
    score: float

    @property
    def level(self) -> SignLevel:
        if self.score >= _GREAT:
            return SignLevel.HIGHEST
        if self.score >= 0:
            return SignLevel.HIGH
        return SignLevel.LOW if self.score > -_GREAT else SignLevel.LOWEST


def judge_matter(situation: Situation, matter: Matter) -> Judgement:
    """Weigh the rules that apply to `matter`."""
    focus, over = find_focus_and_cover(situation, matter)
    points = score_strength(situation, focus)
    points += _score_place(situation, focus, over)
    world_points: list[ScoredRule] = []
    if matter.focus != "世":
        if matter.own:
            world_points = points if focus.line is situation.world else score_world(situation)
            value = rules.WORLD_STRENGTH.weight * sum_points(world_points)
            points = [*points, ScoredRule(rules.WORLD_STRENGTH, value, (situation.hexagram.world,))]
        points += _score_world_ties(situation, matter, focus)
    points += [*_score_hexagram(situation, matter), *_score_relief(situation, matter)]
    points += _score_combination(matter, focus)
    score, limit = _limit_illness(situation, matter, focus, sum_points(points))
    return Judgement(
        matter=matter,
        focus=focus,
        hidden=focus.place is FocusLocation.HIDDEN,
        points=tuple(points + limit),
        world_points=tuple(world_points),
        score=round(score, 2),
    )


def score_world(situation: Situation) -> list[ScoredRule]:
    """Everything that makes 世爻 strong or weak, whichever line is 用神."""
    return score_strength(situation, judge_line(situation.world))


def _score_place(
    situation: Situation, focus: JudgedBranch, over: CastLine | None
) -> list[ScoredRule]:
    """What it means that 用神 is not one of the six lines."""
    at = (focus.position,)
    match focus.place:
        case FocusLocation.LINE:
            return []
        case FocusLocation.DAY:
            return [ScoredRule(rules.BY_DAY, rules.BY_DAY.weight, at)]
        case FocusLocation.MONTH:
            return [ScoredRule(rules.BY_MONTH, rules.BY_MONTH.weight, at)]
        case FocusLocation.CHANGED:
            label = situation.lines[focus.position - 1].base.label
            return [ScoredRule(rules.BY_CHANGE, rules.BY_CHANGE.weight, at, label)]
        case FocusLocation.HIDDEN:
            return [] if over is None else _score_cover(focus, over)


def _is_usable(focus: JudgedBranch, over: CastLine) -> bool:
    """Whether a hidden line can be used: it has strength of its own, or what covers it gives way.

    "伏神得日月生者,旺相者,飞神生者,动爻生者; 日月动爻冲克飞神,飞神空破休囚墓绝"
    (增删卜易·飞伏神章).
    """
    state, cover = focus.state, over.state
    if state.break_kind == "真破" or state.void_kind == "真空":
        return False
    own = not is_weak(state) or BEARING[over.base.element][focus.element] == "生"
    struck = cover.day_clash != "" or cover.day == "克" or cover.month == "克"
    gives_way = bool(cover.void_kind or cover.break_kind) or struck or is_weak(cover)
    return own or gives_way


def _score_cover(focus: JudgedBranch, over: CastLine) -> list[ScoredRule]:
    """What the visible line does to the one under it (增删卜易·飞伏神章)."""
    applied = [rules.HIDDEN_USABLE if _is_usable(focus, over) else rules.HIDDEN]
    match BEARING[over.base.element][focus.element]:
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
    label = over.base.label
    return [ScoredRule(rule, rule.weight, (over.base.position,), label) for rule in applied]


def _score_world_ties(
    situation: Situation, matter: Matter, focus: JudgedBranch
) -> list[ScoredRule]:
    world = situation.world
    if focus.line is world:
        return [_score_pair(rules.HOLDS_WORLD, focus, world)]
    found = [_find_world_rule(matter, focus, world)]
    if COMBINE_OF[focus.branch] == world.base.branch:
        found.append(rules.COMBINES_WORLD)
    if matter.own and world.state.void_kind in {"真空", "休囚空"}:
        found.append(rules.WORLD_VOID)
    found.append(_check_service(situation, matter, focus))
    return [_score_pair(rule, focus, world) for rule in found if rule is not None]


def _score_pair(rule: ReadingRule, focus: JudgedBranch, world: CastLine) -> ScoredRule:
    lines = tuple(sorted({focus.position, world.base.position}))
    return ScoredRule(rule, rule.weight, lines)


def _find_world_rule(matter: Matter, focus: JudgedBranch, world: CastLine) -> ReadingRule | None:
    match BEARING[focus.element][world.base.element]:
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


def _check_service(situation: Situation, matter: Matter, focus: JudgedBranch) -> ReadingRule | None:
    """In gain and office, a 用神 that is 应's, or moves to feed 应, serves others."""
    if matter.topic not in {Topic.CAREER, Topic.WEALTH} or focus.line is None:
        return None
    response = situation.response
    on_world = BEARING[focus.element][situation.world.base.element]
    feeds = BEARING[focus.element][response.base.element] == "生" and on_world != "生"
    if focus.line is not response and not (focus.moving and feeds):
        return None
    if matter.topic is Topic.WEALTH and on_world == "克":
        return rules.SERVES_RESPONSE_YET_COMES
    return rules.SERVES_RESPONSE


def _score_hexagram(situation: Situation, matter: Matter) -> Iterator[ScoredRule]:
    lines = (situation.hexagram.world, situation.hexagram.response)
    turn = 1.0
    if matter.topic is Topic.LAWSUIT:
        turn = factors.LAWSUIT_CONCORD
    elif matter.illness == "近":
        turn = factors.RECENT_ILLNESS_CONCORD
    for mark in situation.special:
        if mark in rules.SPECIAL:
            rule = rules.SPECIAL[mark]
            yield ScoredRule(rule, rule.weight * turn, lines)
        elif mark.endswith("吟"):
            rule = rules.FU_YIN if mark.endswith("伏吟") else rules.FAN_YIN
            moved = tuple(line.base.position for line in situation.lines if line.moving)
            yield ScoredRule(rule, rule.weight, moved)


def _score_relief(situation: Situation, matter: Matter) -> Iterator[ScoredRule]:
    """官鬼 is the illness or the danger, 子孙 what relieves it (增删卜易·疾病章, 趋避章)."""
    if matter.topic is Topic.HEALTH:
        acts, held = affliction_rules.REMEDY_ACTS, affliction_rules.ILLNESS_AT_WORLD
    elif matter.is_feared and matter.focus == "世":
        acts, held = affliction_rules.RELIEF_ACTS, affliction_rules.DANGER_AT_WORLD
    else:
        return
    acting = [
        line
        for line in situation.lines
        if line.acts and line.base.relation == "子孙" and not find_inability(line, "克")
    ]
    if acting and matter.focus != "子孙":
        lines = tuple(line.base.position for line in acting)
        yield ScoredRule(acts, acts.weight, lines)
    if matter.focus == "世":
        world = situation.world
        rule = held.get(world.base.relation)
        # A 子孙 that is itself undone by its change restrains nothing.
        if world.base.relation == "子孙" and find_inability(world, "克"):
            return
        if rule is not None:
            yield ScoredRule(rule, rule.weight, (situation.hexagram.world,))


def _score_combination(matter: Matter, focus: JudgedBranch) -> list[ScoredRule]:
    """近病逢冲则愈, 逢合则缠绵: what binds 用神 keeps a recent illness in the body."""
    if matter.illness != "近" or not (focus.state.day_combines or focus.state.month_combines):
        return []
    return [
        ScoredRule(
            affliction_rules.RECENT_COMBINE,
            affliction_rules.RECENT_COMBINE.weight,
            (focus.position,),
        )
    ]


def _limit_illness(
    situation: Situation, matter: Matter, focus: JudgedBranch, score: float
) -> tuple[float, list[ScoredRule]]:
    """近病逢空即愈, 久病逢冲逢空凶: the void and the clash bound the score of an illness."""
    emptied = focus.state.void_kind != "" or (focus.line is not None and "化空" in focus.line.tags)
    clashing = bool({"六冲卦", "变六冲", "六冲变六冲", "六合变六冲"} & set(situation.special))
    limit = factors.ILLNESS_LIMIT
    if matter.illness == "近" and emptied and score < limit:
        return limit, [ScoredRule(affliction_rules.RECENT_VOID, limit - score, (focus.position,))]
    if matter.illness == "久" and (emptied or clashing) and score > -limit:
        return -limit, [
            ScoredRule(affliction_rules.LASTING_CLASH, -limit - score, (focus.position,))
        ]
    return score, []
