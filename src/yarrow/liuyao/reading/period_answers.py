"""Answers to questions about a time: when, in that period, and which times to be careful in."""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Final

from msgspec.structs import replace

from yarrow.liuyao.reading.branch_effects import BranchEffect, find_effect, weigh_branch
from yarrow.liuyao.reading.context import ReadingContext, name_months
from yarrow.liuyao.reading.follow_up_sentences import end_sentence, find_words, join_parts
from yarrow.liuyao.reading.follow_up_words import Comparison
from yarrow.liuyao.reading.period import Period
from yarrow.liuyao.reading.plan import write_timing
from yarrow.liuyao.reading.timing import find_civil_day, list_months
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.stems_branches import BRANCHES, INDEX_OF, Branch

# A period of up to so many days is weighed day by day.
_FEW_DAYS: Final = 10
_A_YEAR: Final = 365
_ASKS_DAY: Final = re.compile(
    r"哪一?[天日]|[几幾](?:号|號)|(?:what|which) (?:day|date)", re.IGNORECASE
)


def write_when(context: ReadingContext, _question: str) -> str:
    return end_sentence(context, write_timing(context).text) + _keep_level(context)


def write_period(context: ReadingContext, question: str) -> str:
    """How 用神 fares in the months or days of a period, beside the time of the cast."""
    words, timing = find_words(context), context.timing
    period = timing.period
    if period is None:
        return write_when(context, question)
    if period.days <= _FEW_DAYS:
        return _write_days(context, period)
    focus, stop = context.judgement.focus.branch, context.words.stop
    months = list_months(context.derivation, period)
    text = words.period.format(period=period.text, focus=context.label)
    if not months:
        beyond = words.period_beyond.format(period=period.text)
        return text + end_sentence(context, beyond + stop)
    parts = []
    for effect, template in words.period_effects.items():
        found = [month for month in months if find_effect(month.branch, focus) is effect]
        if found:
            parts.append(template.format(times=name_months(context, found)))
    text += end_sentence(context, join_parts(context, parts or [words.period_plain]) + stop)
    now = context.derivation.pillars.month.branch
    weights = [weigh_branch(month.branch, focus) for month in months]
    compared = _compare_times(context, words.compare, now, weights)
    return text + compared + _keep_level(context)


def _write_days(context: ReadingContext, period: Period) -> str:
    """How 用神 fares on each day of a short period."""
    words, focus = find_words(context), context.judgement.focus.branch
    days = _list_days(context, period)
    is_weather = context.judgement.matter.topic is Topic.WEATHER
    templates = words.weather_effects if is_weather else words.period_effects
    parts = []
    for effect, template in templates.items():
        found = [(branch, day) for branch, day in days if find_effect(branch, focus) is effect]
        if found:
            parts.append(template.format(times=_name_days(context, found)))
    text = words.period_days.format(period=period.text, focus=context.label)
    plain = join_parts(context, parts or [words.period_days_plain])
    text += end_sentence(context, plain + context.words.stop)
    if is_weather:
        return text
    now = context.derivation.pillars.day.branch
    weights = [weigh_branch(branch, focus) for branch, _ in days]
    return text + _compare_times(context, words.compare_days, now, weights) + _keep_level(context)


def _list_days(context: ReadingContext, period: Period) -> list[tuple[Branch, date]]:
    first = INDEX_OF[context.derivation.pillars.day.branch]
    first += (period.start - find_civil_day(context.derivation)).days
    return [
        (BRANCHES[(first + later) % 12], period.start + timedelta(days=later))
        for later in range(period.days)
    ]


def _name_days(context: ReadingContext, days: Iterable[tuple[Branch, date]]) -> str:
    template = find_words(context).day_name
    return context.words.pause.join(
        template.format(branch=branch, year=day.year, month=day.month, day=day.day)
        for branch, day in days
    )


def write_bad_time(context: ReadingContext, question: str) -> str:
    """The days or months, of the period or of what comes next, in which 用神 is struck."""
    words, period = find_words(context), context.timing.period
    if _ASKS_DAY.search(question):
        return _write_bad_days(context, period)
    if period is not None and period.days <= _FEW_DAYS:
        return write_period(context, question)
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
        return text + end_sentence(context, words.no_bad_time + stop)
    template = words.period_effects[BranchEffect.STRIKES]
    bad = template.format(times=name_months(context, months))
    return text + end_sentence(context, bad + stop)


def _write_bad_days(context: ReadingContext, period: Period | None) -> str:
    """The days that strike 用神, in the period or the first round of the twelve branches of it."""
    words, focus = find_words(context), context.judgement.focus.branch
    today = find_civil_day(context.derivation)
    round_days = timedelta(days=len(BRANCHES) - 1)
    if period is None or (period.start == today and period.days > len(BRANCHES)):
        period = Period(today, today + round_days, words.coming_days)
    elif period.days > len(BRANCHES):
        text = words.first_days.format(period=period.text)
        period = replace(period, end=period.start + round_days, text=text)
    days = [
        (branch, day)
        for branch, day in _list_days(context, period)
        if weigh_branch(branch, focus) < 0
    ]
    text = words.period_days.format(period=period.text, focus=context.label)
    bad = words.no_bad_day
    if days:
        bad = words.period_effects[BranchEffect.STRIKES].format(times=_name_days(context, days))
    return text + end_sentence(context, bad + context.words.stop)


def _compare_times(
    context: ReadingContext, choices: dict[Comparison, str], now: Branch, weights: list[int]
) -> str:
    """Whether the best of the coming times is better than that of the cast."""
    present, coming = weigh_branch(now, context.judgement.focus.branch), max(weights)
    if context.judgement.matter.is_feared:
        place = 0 if coming > present else 1 if coming == present else 2
        return find_words(context).compare_feared[place]
    if coming != present:
        found = Comparison.BETTER if coming > present else Comparison.WORSE
    elif coming < 0:
        found = Comparison.BOTH_BAD
    else:
        found = Comparison.EVEN_BUT if min(weights) < 0 else Comparison.EVEN
    return choices[found].format(now=now)


def _keep_level(context: ReadingContext) -> str:
    index = 0 if context.judgement.score >= 0 else 1
    return find_words(context).keeps_level[index].format(level=context.judgement.level.value)
