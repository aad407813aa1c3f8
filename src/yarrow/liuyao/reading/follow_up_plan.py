"""Answers to follow-up questions, each from the part of the board that it asks about."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from yarrow.liuyao.hexagrams import PLACES
from yarrow.liuyao.reading import rules
from yarrow.liuyao.reading.advice import list_advice
from yarrow.liuyao.reading.follow_up import FollowUpKind
from yarrow.liuyao.reading.follow_up_words import EN, ZH, FollowUpWords
from yarrow.liuyao.reading.period import Period
from yarrow.liuyao.reading.plan import write_focus, write_reasons, write_verdict, write_when
from yarrow.liuyao.reading.points import find_side
from yarrow.liuyao.reading.scene import Scene, name_months, phrase
from yarrow.liuyao.reading.strength import Point, find_inability, total
from yarrow.liuyao.reading.timing import civil_day, list_months
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.situation import Line
from yarrow.liuyao.symbols import (
    BEARING,
    BRANCHES,
    CLASH_OF,
    COMBINE_OF,
    ELEMENT_OF,
    INDEX_OF,
    Bearing,
    Branch,
    Relation,
)

# Points below this are summed up in a number, not listed.
_SLIGHT: Final = 0.25
_MOST_REASONS: Final = 8
_MOST_ADVICE: Final = 5
# A period of up to so many days is weighed day by day.
_FEW_DAYS: Final = 10
_TAKEN_BY: Final = frozenset(
    {"lost_dropped", "lost_thief_weak", "lost_hand_inner", "lost_hand_outer", "pet_taken",
     "pet_strayed"}
)  # fmt: skip


def answer_follow_up(scene: Scene, kind: FollowUpKind, question: str) -> str:
    """The answer to `question` on the board of `scene`, with the care notes that it calls for."""
    if kind is FollowUpKind.THANKS:
        return _words(scene).thanks
    body = _ANSWERS[kind](scene, question)
    return body + scene.words.care_notes[scene.care] + scene.words.closing


def _words(scene: Scene) -> FollowUpWords:
    return EN if scene.english else ZH


def _when(scene: Scene, _question: str) -> str:
    return _sentence(scene, write_when(scene).text) + _keeps_level(scene)


def _sentence(scene: Scene, text: str) -> str:
    return f"{text} " if scene.english else text


def _why(scene: Scene, _question: str) -> str:
    words, judgement = _words(scene), scene.judgement
    felt = [point for point in judgement.points if abs(point.value) >= _SLIGHT]
    listed = felt[:_MOST_REASONS]
    items = [
        words.why_item.format(
            number=words.numerals[number],
            phrase=phrase(scene, point),
            change=(words.adds if point.value > 0 else words.takes).format(
                value=f"{abs(point.value):.1f}"
            ),
            basis=point.rule.basis,
        )
        for number, point in enumerate(listed)
    ]
    rest = sum(point.value != 0 for point in judgement.points) - len(listed)
    text = words.why.format(level=judgement.level.value)
    text += scene.words.semicolon.join(items)
    if rest:
        text += words.why_rest.format(count=rest)
    return text + words.why_total.format(score=f"{judgement.score:g}")


def _describe_side(scene: Scene, bearing: Bearing, templates: tuple[str, str, str, str]) -> str:
    """Whether the lines of 元神 or 忌神 act, and with what effect."""
    acts, spent, still, absent = templates
    kin = find_side(scene, bearing)
    lines = [line for line in scene.derivation.situation.lines if line.seat.relation == kin]
    if not lines:
        return absent
    greedy = any(point.rule is rules.GREED for point in scene.judgement.points)
    parts = []
    for line in lines:
        if not line.acts:
            continue
        reason = find_inability(line, bearing)
        template = spent if reason else acts
        if bearing == "克" and greedy and not reason:
            template = _words(scene).obstacle_greedy
        parts.append(
            template.format(
                label=line.seat.label,
                motion=scene.words.motion[1 if line.moving else 0],
                reason=scene.words.inability[reason],
            )
        )
    labels = scene.words.pause.join(line.seat.label for line in lines)
    return _join(scene, parts) if parts else still.format(labels=labels)


def _join(scene: Scene, parts: list[str]) -> str:
    return scene.words.semicolon.join(parts)


def _by_time(scene: Scene, chosen: Callable[[Point], bool]) -> str:
    ruling = [point for point in scene.judgement.points if point.rule in _TIME_RULES]
    return scene.words.and_.join(phrase(scene, point) for point in ruling if chosen(point))


_TIME_RULES: Final = (
    rules.IS_MONTH, rules.MONTH_SAME, rules.MONTH_FEEDS, rules.MONTH_CONTROLS,
    rules.MONTH_BROKEN, rules.MONTH_BROKEN_SOFT, rules.IS_DAY, rules.DAY_SAME, rules.DAY_FEEDS,
    rules.DAY_CONTROLS, rules.DAY_BROKEN, rules.DAY_TOMB, rules.DAY_END, rules.SCATTERED,
)  # fmt: skip


def _obstacle(scene: Scene, _question: str) -> str:
    words = _words(scene)
    kin = find_side(scene, "克")
    templates = (
        words.obstacle_acts,
        words.obstacle_spent,
        words.obstacle_still,
        words.obstacle_absent,
    )
    parts = [_describe_side(scene, "克", templates)]
    if hurt := _by_time(scene, lambda point: point.value < 0):
        parts.append(words.obstacle_time.format(causes=hurt))
    text = words.obstacle.format(focus=scene.label, kin=kin) + _join(scene, parts)
    text = _sentence(scene, text + scene.words.stop)
    if not _is_shown(scene, kin):
        return text
    return text + words.obstacle_trouble.format(trouble=scene.words.kin_trouble[kin])


def _is_shown(scene: Scene, kin: Relation) -> bool:
    return any(line.seat.relation == kin for line in scene.derivation.situation.lines)


def _helper(scene: Scene, _question: str) -> str:
    words = _words(scene)
    kin = find_side(scene, "生")
    templates = (words.helper_acts, words.helper_spent, words.helper_still, words.helper_absent)
    helped = _by_time(scene, lambda point: point.value > 0) or words.no_time_help
    parts = [_describe_side(scene, "生", templates), words.helper_time.format(causes=helped)]
    text = words.helper.format(focus=scene.label, kin=kin) + _join(scene, parts)
    text = _sentence(scene, text + scene.words.stop)
    if not _is_shown(scene, kin):
        return text
    return text + words.helper_kin.format(help=scene.words.kin_help[kin])


def _if_not(scene: Scene, _question: str) -> str:
    words, situation = _words(scene), scene.derivation.situation
    world, response = situation.world, situation.response
    bearing = BEARING[response.seat.element][world.seat.element]
    firm = total(list(scene.judgement.world_points or scene.judgement.points)) >= 0
    text = words.if_not.format(
        world=world.seat.label,
        world_state=scene.describe(world.state),
        response=response.seat.label,
        relation=scene.words.response_bears[bearing],
    )
    return text + words.if_not_choices[(0 if scene.judgement.score >= 0 else 2) + (not firm)]


def _period(scene: Scene, _question: str) -> str:
    words, timing = _words(scene), scene.timing
    period = timing.period
    if period is None:
        return _when(scene, _question)
    if period.days <= _FEW_DAYS:
        return _days_of(scene, period)
    focus, stop = scene.judgement.focus.branch, scene.words.stop
    months = list_months(scene.derivation, period)
    text = words.period.format(period=period.text, focus=scene.label)
    if not months:
        beyond = words.period_beyond.format(period=period.text)
        return text + _sentence(scene, beyond + stop)
    good = [month for month in months if weigh_branch(month.branch, focus) > 0]
    bad = [month for month in months if weigh_branch(month.branch, focus) < 0]
    parts = []
    if good:
        parts.append(words.period_good.format(months=name_months(scene, good)))
    if bad:
        parts.append(words.period_bad.format(months=name_months(scene, bad)))
    text += _sentence(scene, _join(scene, parts or [words.period_plain]) + stop)
    now = scene.derivation.pillars.month.branch
    present = weigh_branch(now, focus)
    coming = max(weigh_branch(month.branch, focus) for month in months)
    verdict = words.compare[0 if coming > present else 1 if coming == present else 2]
    return text + verdict.format(now=now) + _keeps_level(scene)


def _days_of(scene: Scene, period: Period) -> str:
    """How 用神 fares on each day of a short period."""
    words, focus = _words(scene), scene.judgement.focus.branch
    now = scene.derivation.pillars.day.branch
    first = INDEX_OF[now] + (period.start - civil_day(scene.derivation)).days
    days = [
        (BRANCHES[(first + later) % 12], period.start + timedelta(days=later))
        for later in range(period.days)
    ]
    parts = []
    for sign, template in ((1, words.period_good), (-1, words.period_bad)):
        named = [
            words.day_name.format(branch=branch, year=day.year, month=day.month, day=day.day)
            for branch, day in days
            if weigh_branch(branch, focus) == sign
        ]
        if named:
            parts.append(template.format(months=scene.words.pause.join(named)))
    text = words.period_days.format(period=period.text, focus=scene.label)
    text += _sentence(scene, _join(scene, parts or [words.period_days_plain]) + scene.words.stop)
    if scene.judgement.matter.topic is Topic.WEATHER:
        return text
    present = weigh_branch(now, focus)
    coming = max(weigh_branch(branch, focus) for branch, _ in days)
    verdict = words.compare_days[0 if coming > present else 1 if coming == present else 2]
    return text + verdict.format(now=now) + _keeps_level(scene)


def weigh_branch(time: Branch, focus: Branch) -> int:
    """1 if the branch of a month or day feeds, supports or combines with 用神, -1 if it strikes."""
    if CLASH_OF[time] == focus:
        return -1
    bearing = BEARING[ELEMENT_OF[time]][ELEMENT_OF[focus]]
    if bearing in {"生", "扶"} or COMBINE_OF[time] == focus:
        return 1
    return -1 if bearing == "克" else 0


def _keeps_level(scene: Scene) -> str:
    index = 0 if scene.judgement.score >= 0 else 1
    return _words(scene).keeps_level[index].format(level=scene.judgement.level.value)


def _other_side(scene: Scene, _question: str) -> str:
    words, situation = _words(scene), scene.derivation.situation
    response: Line = situation.response
    bearing = BEARING[response.seat.element][situation.world.seat.element]
    text = words.other_side.format(
        label=response.seat.label,
        state=scene.describe(response.state),
        relation=scene.words.response_bears[bearing],
    )
    if response.becomes is not None:
        text += words.other_moves.format(after=response.becomes.name)
    return text


def _tell_taker(scene: Scene, question: str) -> str:
    """Who took what is lost, if anybody did."""
    found = [one.text for one in list_advice(scene) if _TAKEN_BY.intersection(one.rules)]
    return _sentence(scene, found[0]) if found else _open(scene, question)


def _where(scene: Scene, _question: str) -> str:
    words, focus = _words(scene), scene.judgement.focus
    if scene.judgement.matter.topic in {Topic.HEALTH, Topic.LOST}:
        # The first reading told it: where the healer is, or the thing.
        return _sentence(scene, list_advice(scene)[0].text)
    return words.where.format(
        focus=scene.label,
        way=scene.words.directions[focus.branch],
        place=words.inner if focus.position <= len(PLACES) // 2 else words.outer,
    )


def _advice(scene: Scene, _question: str) -> str:
    items = [statement.text for statement in list_advice(scene)[:_MOST_ADVICE]]
    joined = (" " if scene.english else "").join(dict.fromkeys(items))
    return _words(scene).advice.format(items=joined)


def _sure(scene: Scene, _question: str) -> str:
    values = [point.value for point in scene.judgement.points if point.value]
    plus, minus = [v for v in values if v > 0], [v for v in values if v < 0]
    return _words(scene).sure.format(
        good=len(plus),
        plus=f"{sum(plus):.1f}",
        bad=len(minus),
        minus=f"{sum(minus):.1f}",
        score=f"{scene.judgement.score:g}",
        level=scene.judgement.level.value,
    )


def _topic(scene: Scene, _question: str) -> str:
    judgement = scene.judgement
    text = _words(scene).topic.format(
        topic=judgement.matter.topic.value,
        focus=write_focus(scene),
        reasons=write_reasons(scene),
        verdict=write_verdict(scene),
        level=judgement.level.value,
    )
    return text + _sentence(scene, write_when(scene).text)


def _open(scene: Scene, question: str) -> str:
    text = _words(scene).open_.format(
        question=question[:40],
        focus=write_focus(scene),
        reasons=write_reasons(scene),
        verdict=write_verdict(scene),
    )
    return text + _words(scene).hint


_ANSWERS: Final[dict[FollowUpKind, Callable[[Scene, str], str]]] = {
    FollowUpKind.WHY: _why,
    FollowUpKind.OBSTACLE: _obstacle,
    FollowUpKind.HELP: _helper,
    FollowUpKind.IF_NOT: _if_not,
    FollowUpKind.WHEN: _when,
    FollowUpKind.PERIOD: _period,
    FollowUpKind.OTHER_SIDE: _other_side,
    FollowUpKind.WHERE: _where,
    FollowUpKind.TAKEN_BY: _tell_taker,
    FollowUpKind.ADVICE: _advice,
    FollowUpKind.SURE: _sure,
    FollowUpKind.TOPIC: _topic,
    FollowUpKind.OPEN: _open,
}
