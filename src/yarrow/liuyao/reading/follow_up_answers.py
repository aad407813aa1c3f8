"""Answers to follow-up questions, each from the part of the board that it asks about."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, Bearing, Relation
from yarrow.liuyao.najia import POSITION_NAMES
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.advice import list_advice
from yarrow.liuyao.reading.context import ReadingContext, name_months, word_rule
from yarrow.liuyao.reading.focus_points import find_kin_by_bearing
from yarrow.liuyao.reading.follow_up_kind import FollowUpKind
from yarrow.liuyao.reading.follow_up_words import EN, ZH, FollowUpWords
from yarrow.liuyao.reading.judge import score_world
from yarrow.liuyao.reading.period import Period
from yarrow.liuyao.reading.plan import write_focus, write_reasons, write_timing, write_verdict
from yarrow.liuyao.reading.strength import ScoredRule, find_inability, sum_points
from yarrow.liuyao.reading.timing import find_civil_day, list_months
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.situation import CastLine
from yarrow.liuyao.stems_branches import BRANCHES, CLASH_OF, COMBINE_OF, INDEX_OF, Branch

# Points below this are summed up in a number, not listed.
_SLIGHT: Final = 0.25
_MOST_REASONS: Final = 8
_MOST_ADVICE: Final = 5
# A period of up to so many days is weighed day by day.
_FEW_DAYS: Final = 10
_A_YEAR: Final = 365
_TAKEN_BY: Final = frozenset(
    {"lost_dropped", "lost_thief_weak", "lost_hand_inner", "lost_hand_outer", "pet_taken",
     "pet_strayed"}
)  # fmt: skip


def answer_follow_up(context: ReadingContext, kind: FollowUpKind, question: str) -> str:
    """The answer to `question` on the board of `context`, with the notes on sensitive questions."""
    if kind is FollowUpKind.THANKS:
        return _words(context).thanks
    body = _ANSWERS[kind](context, question)
    return body + context.words.sensitivity_notes[context.sensitivity] + context.words.closing


def _words(context: ReadingContext) -> FollowUpWords:
    return EN if context.is_english else ZH


def _when(context: ReadingContext, _question: str) -> str:
    return _sentence(context, write_timing(context).text) + _keeps_level(context)


def _sentence(context: ReadingContext, text: str) -> str:
    return f"{text} " if context.is_english else text


def _why(context: ReadingContext, _question: str) -> str:
    words, judgement = _words(context), context.judgement
    felt = [point for point in judgement.points if abs(point.value) >= _SLIGHT]
    listed = felt[:_MOST_REASONS]
    items = [
        words.why_item.format(
            number=words.numerals[number],
            phrase=word_rule(context, point),
            change=(words.adds if point.value > 0 else words.takes).format(
                value=f"{abs(point.value):.1f}"
            ),
            basis=point.rule.basis,
        )
        for number, point in enumerate(listed)
    ]
    rest = sum(point.value != 0 for point in judgement.points) - len(listed)
    text = words.why.format(focus=write_focus(context), level=judgement.level.value)
    text += context.words.semicolon.join(items)
    if rest:
        text += words.why_rest.format(count=rest)
    return text + words.why_total.format(score=f"{judgement.score:g}")


def _describe_side(
    context: ReadingContext, bearing: Bearing, templates: tuple[str, str, str, str]
) -> str:
    """Whether the lines of 元神 or 忌神 act, and with what effect."""
    acts, spent, still, absent = templates
    kin = find_kin_by_bearing(context, bearing)
    lines = [line for line in context.derivation.situation.lines if line.base.relation == kin]
    if not lines:
        return absent
    greedy = any(point.rule is rules.GREED for point in context.judgement.points)
    parts = []
    for line in lines:
        if not line.acts:
            continue
        reason = find_inability(line, bearing)
        template = spent if reason else acts
        if bearing == "克" and greedy and not reason:
            template = _words(context).obstacle_greedy
        parts.append(
            template.format(
                label=line.base.label,
                motion=context.words.motion[1 if line.moving else 0],
                reason=context.words.inability[reason],
            )
        )
    labels = context.words.pause.join(line.base.label for line in lines)
    return _join(context, parts) if parts else still.format(labels=labels)


def _join(context: ReadingContext, parts: list[str]) -> str:
    return context.words.semicolon.join(parts)


def _by_time(context: ReadingContext, chosen: Callable[[ScoredRule], bool]) -> str:
    ruling = [point for point in context.judgement.points if point.rule in _TIME_RULES]
    return context.words.and_.join(word_rule(context, point) for point in ruling if chosen(point))


_TIME_RULES: Final = (
    rules.IS_MONTH, rules.MONTH_SAME, rules.MONTH_FEEDS, rules.MONTH_CONTROLS,
    rules.MONTH_BROKEN, rules.MONTH_BROKEN_SOFT, rules.IS_DAY, rules.DAY_SAME, rules.DAY_FEEDS,
    rules.DAY_CONTROLS, rules.DAY_BROKEN, rules.DAY_TOMB, rules.DAY_END, rules.SCATTERED,
)  # fmt: skip


def _obstacle(context: ReadingContext, _question: str) -> str:
    words = _words(context)
    kin = find_kin_by_bearing(context, "克")
    templates = (
        words.obstacle_acts,
        words.obstacle_spent,
        words.obstacle_still,
        words.obstacle_absent,
    )
    parts = [_describe_side(context, "克", templates)]
    if hurt := _by_time(context, lambda point: point.value < 0):
        parts.append(words.obstacle_time.format(causes=hurt))
    text = words.obstacle.format(focus=context.label, kin=kin) + _join(context, parts)
    text = _sentence(context, text + context.words.stop)
    if not _is_shown(context, kin):
        return text
    return text + words.obstacle_trouble.format(trouble=context.words.kin_trouble[kin])


def _is_shown(context: ReadingContext, kin: Relation) -> bool:
    return any(line.base.relation == kin for line in context.derivation.situation.lines)


def _helper(context: ReadingContext, _question: str) -> str:
    words = _words(context)
    kin = find_kin_by_bearing(context, "生")
    templates = (words.helper_acts, words.helper_spent, words.helper_still, words.helper_absent)
    helped = _by_time(context, lambda point: point.value > 0) or words.no_time_help
    parts = [_describe_side(context, "生", templates), words.helper_time.format(causes=helped)]
    text = words.helper.format(focus=context.label, kin=kin) + _join(context, parts)
    text = _sentence(context, text + context.words.stop)
    lines = [line for line in context.derivation.situation.lines if line.base.relation == kin]
    if all(line.acts and find_inability(line, "生") for line in lines):
        return text  # none is shown, or those that act have no strength to give
    return text + words.helper_kin.format(help=context.words.kin_help[kin])


def _if_not(context: ReadingContext, _question: str) -> str:
    words, situation = _words(context), context.derivation.situation
    world, response = situation.world, situation.response
    bearing = BEARING[response.base.element][world.base.element]
    firm = _is_asker_firm(context)
    text = words.if_not.format(
        world=world.base.label,
        world_state=context.describe(world.state),
        response=response.base.label,
        relation=context.words.response_bears[bearing],
    )
    if context.judgement.matter.is_feared:
        return text + words.if_feared[not firm]
    return text + words.if_not_choices[(0 if context.judgement.score >= 0 else 2) + (not firm)]


def _is_asker_firm(context: ReadingContext) -> bool:
    """Whether 世爻 stands firm by its own strength, whichever line is 用神."""
    return sum_points(score_world(context.derivation.situation)) >= 0


def _period(context: ReadingContext, _question: str) -> str:
    words, timing = _words(context), context.timing
    period = timing.period
    if period is None:
        return _when(context, _question)
    if period.days <= _FEW_DAYS:
        return _days_of(context, period)
    focus, stop = context.judgement.focus.branch, context.words.stop
    months = list_months(context.derivation, period)
    text = words.period.format(period=period.text, focus=context.label)
    if not months:
        beyond = words.period_beyond.format(period=period.text)
        return text + _sentence(context, beyond + stop)
    good = [month for month in months if weigh_branch(month.branch, focus) > 0]
    bad = [month for month in months if weigh_branch(month.branch, focus) < 0]
    parts = []
    if good:
        parts.append(words.period_good.format(months=name_months(context, good)))
    if bad:
        parts.append(words.period_bad.format(months=name_months(context, bad)))
    text += _sentence(context, _join(context, parts or [words.period_plain]) + stop)
    now = context.derivation.pillars.month.branch
    present = weigh_branch(now, focus)
    coming = max(weigh_branch(month.branch, focus) for month in months)
    return text + _compare(context, words.compare, coming - present) + _keeps_level(context)


def _bad_time(context: ReadingContext, question: str) -> str:
    """The months, of the period or of a year, in which 用神 is struck."""
    words, period = _words(context), context.timing.period
    if period is not None and period.days <= _FEW_DAYS:
        return _period(context, question)
    if period is None:
        today = find_civil_day(context.derivation)
        period = Period(today, today + timedelta(days=_A_YEAR), words.coming_year)
    focus, stop = context.judgement.focus.branch, context.words.stop
    months = [
        month
        for month in list_months(context.derivation, period)
        if weigh_branch(month.branch, focus) < 0
    ]
    text = words.period.format(period=period.text, focus=context.label)
    if not months:
        return text + _sentence(context, words.no_bad_time + stop)
    bad = words.period_bad.format(months=name_months(context, months))
    return text + _sentence(context, bad + stop)


def _days_of(context: ReadingContext, period: Period) -> str:
    """How 用神 fares on each day of a short period."""
    words, focus = _words(context), context.judgement.focus.branch
    now = context.derivation.pillars.day.branch
    first = INDEX_OF[now] + (period.start - find_civil_day(context.derivation)).days
    days = [
        (BRANCHES[(first + later) % 12], period.start + timedelta(days=later))
        for later in range(period.days)
    ]
    is_weather = context.judgement.matter.topic is Topic.WEATHER
    templates = words.period_weather if is_weather else (words.period_good, words.period_bad)
    parts = []
    for sign, template in zip((1, -1), templates, strict=True):
        named = [
            words.day_name.format(branch=branch, year=day.year, month=day.month, day=day.day)
            for branch, day in days
            if weigh_branch(branch, focus) == sign
        ]
        if named:
            parts.append(template.format(months=context.words.pause.join(named)))
    text = words.period_days.format(period=period.text, focus=context.label)
    text += _sentence(
        context, _join(context, parts or [words.period_days_plain]) + context.words.stop
    )
    if is_weather:
        return text
    present = weigh_branch(now, focus)
    coming = max(weigh_branch(branch, focus) for branch, _ in days)
    return text + _compare(context, words.compare_days, coming - present) + _keeps_level(context)


def _compare(context: ReadingContext, choices: tuple[str, str, str], gain: int) -> str:
    """Whether a coming time is better than that of the cast; choices go from better to worse."""
    choice = 0 if gain > 0 else 1 if gain == 0 else 2
    if context.judgement.matter.is_feared:
        return _words(context).compare_feared[choice]
    pillars = context.derivation.pillars
    now = pillars.month if choices is _words(context).compare else pillars.day
    return choices[choice].format(now=now.branch)


def weigh_branch(time: Branch, focus: Branch) -> int:
    """1 if the branch of a month or day feeds, supports or combines with 用神, -1 if it strikes."""
    if CLASH_OF[time] == focus:
        return -1
    bearing = BEARING[ELEMENT_OF[time]][ELEMENT_OF[focus]]
    if bearing in {"生", "扶"} or COMBINE_OF[time] == focus:
        return 1
    return -1 if bearing == "克" else 0


def _keeps_level(context: ReadingContext) -> str:
    index = 0 if context.judgement.score >= 0 else 1
    return _words(context).keeps_level[index].format(level=context.judgement.level.value)


def _other_side(context: ReadingContext, _question: str) -> str:
    words, situation = _words(context), context.derivation.situation
    response: CastLine = situation.response
    bearing = BEARING[response.base.element][situation.world.base.element]
    text = words.other_side.format(
        label=response.base.label,
        state=context.describe(response.state),
        relation=context.words.response_bears[bearing],
    )
    if response.becomes is not None:
        text += words.other_moves.format(after=response.becomes.name)
    return text


def _name_taker(context: ReadingContext, question: str) -> str:
    """Who took what is lost, if anybody did."""
    found = [one.text for one in list_advice(context) if _TAKEN_BY.intersection(one.rules)]
    return _sentence(context, found[0]) if found else _open(context, question)


def _where(context: ReadingContext, _question: str) -> str:
    words, focus = _words(context), context.judgement.focus
    if context.judgement.matter.topic in {Topic.HEALTH, Topic.LOST}:
        # The first reading told it: where the healer is, or the thing.
        return _sentence(context, list_advice(context)[0].text)
    return words.where.format(
        focus=context.label,
        way=context.words.directions[focus.branch],
        place=words.inner if focus.position <= len(POSITION_NAMES) // 2 else words.outer,
    )


def _advice(context: ReadingContext, _question: str) -> str:
    items = [statement.text for statement in list_advice(context)[:_MOST_ADVICE]]
    joined = (" " if context.is_english else "").join(dict.fromkeys(items))
    text = _words(context).advice.format(items=joined)
    if not context.judgement.matter.is_feared:
        return text
    return _words(context).if_feared[not _is_asker_firm(context)] + text


def _sure(context: ReadingContext, _question: str) -> str:
    values = [point.value for point in context.judgement.points if point.value]
    plus, minus = [v for v in values if v > 0], [v for v in values if v < 0]
    return _words(context).sure.format(
        good=len(plus),
        plus=f"{sum(plus):.1f}",
        bad=len(minus),
        minus=f"{sum(minus):.1f}",
        score=f"{context.judgement.score:g}",
        level=context.judgement.level.value,
    )


def _topic(context: ReadingContext, _question: str) -> str:
    judgement = context.judgement
    text = _words(context).topic.format(
        topic=judgement.matter.topic.value,
        focus=write_focus(context),
        reasons=write_reasons(context),
        verdict=write_verdict(context),
        level=judgement.level.value,
    )
    return text + _sentence(context, write_timing(context).text)


def _beyond(context: ReadingContext, question: str) -> str:
    return _words(context).beyond.format(question=question[:40]) + _words(context).hint


def _open(context: ReadingContext, question: str) -> str:
    text = _words(context).open_.format(
        question=question[:40],
        focus=write_focus(context),
        reasons=write_reasons(context),
        verdict=write_verdict(context),
    )
    return text + _words(context).hint


_ANSWERS: Final[dict[FollowUpKind, Callable[[ReadingContext, str], str]]] = {
    FollowUpKind.WHY: _why,
    FollowUpKind.OBSTACLE: _obstacle,
    FollowUpKind.HELP: _helper,
    FollowUpKind.IF_NOT: _if_not,
    FollowUpKind.WHEN: _when,
    FollowUpKind.BAD_TIME: _bad_time,
    FollowUpKind.PERIOD: _period,
    FollowUpKind.OTHER_SIDE: _other_side,
    FollowUpKind.WHERE: _where,
    FollowUpKind.TAKEN_BY: _name_taker,
    FollowUpKind.ADVICE: _advice,
    FollowUpKind.SURE: _sure,
    FollowUpKind.BEYOND: _beyond,
    FollowUpKind.TOPIC: _topic,
    FollowUpKind.OPEN: _open,
}
