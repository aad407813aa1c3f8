"""The text plan: which facts of a judgement are said, and in what order."""

from typing import Final

from msgspec import Struct

from yarrow.liuyao.five_elements import BEARING, Bearing
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.advice import choose_advice
from yarrow.liuyao.reading.alternatives import find_first_alternative
from yarrow.liuyao.reading.context import (
    ReadingContext,
    Statement,
    name_day,
    name_months,
    word_rule,
)
from yarrow.liuyao.reading.focus_points import WORLD_RULES, list_focus_points
from yarrow.liuyao.reading.judge import SignLevel
from yarrow.liuyao.reading.partings import is_parting
from yarrow.liuyao.reading.sensitive_questions import Sensitivity
from yarrow.liuyao.reading.sensitive_words import WITHHELD_ZH
from yarrow.liuyao.reading.strength import FocusLocation, ScoredRule, is_weak, sum_points
from yarrow.liuyao.reading.topics import Topic

_LEVELS: Final = tuple(SignLevel)
# Said elsewhere, or too little to carry a verdict.
_UNSPOKEN: Final = (
    *WORLD_RULES, rules.MOVES, rules.HIDDEN, rules.HIDDEN_USABLE, rules.BY_DAY, rules.BY_MONTH,
    rules.BY_CHANGE,
)  # fmt: skip
_TOLD_BY_ROOTLESS: Final = (rules.MONTH_CONTROLS, rules.MONTH_BROKEN, rules.DAY_CONTROLS)
# An opposing rule is worth a word when it weighs this much.
_NOTABLE: Final = 0.7
# A period of up to so many days is answered with days, a longer one with months.
_NEAR_DAYS: Final = 45
_FOCUS_POINTS: Final = 5
_KEYWORDS: Final = 6


class ReadingPlan(Struct, frozen=True):
    conclusion: tuple[Statement, ...]
    focus_points: tuple[Statement, ...]
    advice: tuple[Statement, ...]
    keywords: tuple[str, ...]
    answer: str


def compose_plan(context: ReadingContext) -> ReadingPlan:
    """Everything a reading says of `context`."""
    when = write_timing(context)
    sentences = [_write_conclusion(context)]
    if context.judgement.matter.topic is not Topic.WEATHER:
        # The sky has no other side.
        sentences.append(_write_world(context))
    if context.judgement.matter.asks_when:
        sentences.insert(0, when)
    else:
        sentences.append(when)
    advice = choose_advice(context)
    return ReadingPlan(
        conclusion=tuple(sentences),
        focus_points=tuple(list_focus_points(context))[:_FOCUS_POINTS],
        advice=advice,
        keywords=_list_keywords(context),
        answer=_write_answer(context, when, advice[0]),
    )


def write_verdict(context: ReadingContext) -> str:
    judgement = context.judgement
    return context.words.verdicts[judgement.matter.wording][_LEVELS.index(judgement.level)]


def _write_conclusion(context: ReadingContext) -> Statement:
    words, judgement = context.words, context.judgement
    reasons, used = _word_reasons(context)
    text = words.conclusion.format(
        opening=_write_opening(context),
        focus=write_focus(context),
        reasons=reasons,
        verdict=write_verdict(context),
    )
    text += write_scope(context, context.derivation.cast.question) + _write_assumption(context)
    lines = {judgement.focus.position, *(line for point in used for line in point.lines)}
    return Statement(text, tuple(point.rule.name for point in used), tuple(sorted(lines)))


def write_scope(context: ReadingContext, question: str) -> str:
    """What the verdict is about, where `question` names two things or the end of a bond."""
    words = context.words
    first = find_first_alternative(question)
    if first is not None:
        return words.scope_first.format(first=first)
    return words.scope_bond if is_parting(question, context.judgement.matter) else ""


def _write_assumption(context: ReadingContext) -> str:
    """Which topic was assumed, where neither label nor question names one."""
    matter, words = context.judgement.matter, context.words
    if not matter.topic_assumed:
        return ""
    return words.assumed.format(topic=words.assumed_topics[matter.topic])


def _write_opening(context: ReadingContext) -> str:
    words, situation = context.words, context.derivation.situation
    stirred = [line.base.label for line in situation.lines if line.acts and not line.moving]
    template = words.opening_still
    if situation.has_moving:
        template = words.opening_moving
    elif stirred:
        template = words.opening_stirred
    return template.format(
        name=situation.hexagram.name,
        target=situation.target.name,
        stirred=words.pause.join(stirred),
    )


def write_focus(context: ReadingContext) -> str:
    """Which line is 用神, and what was assumed about the asker."""
    words, judgement = context.words, context.judgement
    matter = judgement.matter
    templates = {
        FocusLocation.LINE: words.focus_shown,
        FocusLocation.DAY: words.focus_by_day,
        FocusLocation.MONTH: words.focus_by_month,
        FocusLocation.CHANGED: words.focus_changed,
        FocusLocation.HIDDEN: words.focus_hidden,
    }
    text = templates[judgement.focus.place].format(
        what=words.focus_names[matter.focus],
        label=context.label,
        name=context.focus_name,
        over=context.cover_label,
        month=context.month_branch,
        day=context.day_branch,
    )
    if matter.partner_guessed:
        return words.partner_guessed.format(focus=text)
    source = words.asker_source[matter.asker_source]
    return words.asker_known[matter.asker].format(focus=text, source=source)


def _word_reasons(context: ReadingContext) -> tuple[str, list[ScoredRule]]:
    """The two strongest rules that carry the verdict, and the strongest against it."""
    words, judgement = context.words, context.judgement
    spoken = [point for point in judgement.points if point.rule not in _UNSPOKEN]
    ranked = sorted(spoken, key=lambda point: -abs(point.value))
    good = judgement.score >= 0
    carrying = [point for point in ranked if point.value != 0 and (point.value > 0) == good]
    rootless = [point for point in spoken if point.rule is rules.ROOTLESS and not good]
    if rootless:  # which tells that month and day control it
        carrying = [point for point in carrying if point.rule not in _TOLD_BY_ROOTLESS]
    against = [
        point for point in ranked if (point.value < 0) == good and abs(point.value) >= _NOTABLE
    ]
    main = [*(carrying or ([] if rootless else ranked))[: 2 - len(rootless)], *rootless]
    text = words.and_.join(word_rule(context, point) for point in main)
    if not against or not (carrying or rootless):
        return (words.reasons_good if good else words.reasons_bad).format(main=text), main
    template = words.reasons_good_although if good else words.reasons_bad_despite
    return template.format(main=text, other=word_rule(context, against[0])), [*main, against[0]]


def write_reasons(context: ReadingContext) -> str:
    """The rules that carry the verdict, and the strongest against it."""
    return _word_reasons(context)[0]


def _write_world(context: ReadingContext) -> Statement:
    words, judgement, situation = context.words, context.judgement, context.derivation.situation
    world, response = situation.world, situation.response
    if judgement.focus.line is world:
        bearing = BEARING[response.base.element][world.base.element]
        own = judgement.matter.focus == "世"
        text = (words.world_is_focus if own else words.world_holds).format(
            label=response.base.label, relation=_word_response(context, bearing)
        )
        both = (world.base.position, response.base.position)
        return Statement(text + words.stop, (rules.HOLDS_WORLD.name,), both)
    ties = [
        point
        for point in judgement.points
        if point.rule in WORLD_RULES and point.rule is not rules.WORLD_STRENGTH
    ]
    relation = words.and_.join(_word_tie(context, tie) for tie in ties) or words.world_even
    template = words.world_own if judgement.matter.own else words.world_other
    text = template.format(
        label=world.base.label, strength=_word_strength(context), relation=relation
    )
    lines = tuple(dict.fromkeys((world.base.position, judgement.focus.position)))
    names = tuple(tie.rule.name for tie in ties) or ("用神与世比和",)
    return Statement(text + words.stop, names, lines)


def _word_response(context: ReadingContext, bearing: Bearing) -> str:
    """What 应 is to 世. A weak 世 has no upper hand over it."""
    if bearing == "囚" and is_weak(context.derivation.situation.world.state):
        return context.words.response_resists
    return context.words.response_bears[bearing]


def _word_tie(context: ReadingContext, tie: ScoredRule) -> str:
    """A tie of 用神 and 世.

    Who controls the line of another person steers nothing by it, nor does a weak 世; one that
    moves against 用神 does harm to it, and 子孙 that holds 世 controls the post that is hoped for.
    """
    if tie.rule is not rules.WORLD_CONTROLS:
        return word_rule(context, tie)
    if not context.judgement.matter.own:
        return context.words.world_controls_other
    if _score_world(context) <= -1:
        return context.words.world_controls_weakly
    focus, world = context.judgement.focus, context.derivation.situation.world
    if world.moving and focus.place in {FocusLocation.LINE, FocusLocation.HIDDEN}:
        return context.words.world_harms
    if context.judgement.matter.topic is Topic.CAREER and focus.relation == "官鬼":
        return context.words.world_spurns_post
    return word_rule(context, tie)


def _score_world(context: ReadingContext) -> float:
    return sum_points(list(context.judgement.world_points))


def _word_strength(context: ReadingContext) -> str:
    words, value = context.words, _score_world(context)
    if abs(value) < 1:
        return words.balanced
    state = context.derivation.situation.world.state
    unaided = is_weak(state) or state.break_kind not in {"", "临日不破"}
    if unaided:
        return words.strong_by_lines if value > 0 else words.weak
    return words.strong if value > 0 else words.weak_by_lines


def write_timing(context: ReadingContext) -> Statement:
    """应期 in words: days for what is near, months for what takes longer, within the period."""
    words, timing = context.words, context.timing
    template = words.timing_delayed if timing.delayed else words.timing_plain
    if context.judgement.matter.is_feared:
        template = words.timing_feared
    text = template.format(rule=context.timing_text, times=_write_times(context))
    return Statement(text + words.stop, (timing.rule.name,), (timing.line,))


def _write_times(context: ReadingContext) -> str:
    words, timing = context.words, context.timing
    days = words.pause.join(
        name_day(context, day, branch)
        for branch, day in zip(timing.branches, timing.days, strict=False)
    )
    months = name_months(context, timing.months)
    period = timing.period
    if period is None:
        return words.timing_both.format(days=days, months=months)
    if period.days <= _NEAR_DAYS and days:
        return words.timing_within.format(period=period.text, times=days)
    if period.days > _NEAR_DAYS and months:
        return words.timing_within.format(period=period.text, times=months)
    if timing.beyond is None:
        return words.timing_within.format(period=period.text, times=days or months)
    day, branch = timing.beyond
    return words.timing_not_within.format(period=period.text, later=name_day(context, day, branch))


def _list_keywords(context: ReadingContext) -> tuple[str, ...]:
    words, judgement, situation = context.words, context.judgement, context.derivation.situation
    keywords = [
        situation.hexagram.name,
        words.keyword_focus.format(what=words.focus_names[judgement.matter.focus]),
        judgement.level.value,
        _first_time(context),
        *[mark for mark in situation.special if mark != "六爻安静"][:2],
    ]
    return tuple(keywords[:_KEYWORDS])


def _first_time(context: ReadingContext) -> str:
    """The first time that is told: a day, one after the period if none is within, or a month."""
    words, timing = context.words, context.timing
    if timing.period is not None and timing.period.days > _NEAR_DAYS and timing.months:
        return words.keyword_month.format(branch=timing.months[0].branch)
    branch = timing.branches[0] if timing.beyond is None else timing.beyond[1]
    return words.keyword_day.format(branch=branch)


def _write_answer(context: ReadingContext, when: Statement, advice: Statement) -> str:
    """Hexagram, verdict, reason, time and one counsel: all that a plain chat shows."""
    words = context.words
    verdict = words.answer_verdict.format(
        opening=_write_opening(context),
        level=context.judgement.level.value,
        verdict=write_verdict(context),
    )
    reasons, _ = _word_reasons(context)
    reason = words.answer_reason.format(focus=write_focus(context), reasons=reasons)
    timing = words.answer_when.format(timing=when.text.removesuffix(words.stop))
    parts = [verdict, reason, timing]
    if context.judgement.matter.asks_when:
        parts = [timing, verdict, reason]
    parts.append(words.answer_advice.format(advice=advice.text))
    scope = write_scope(context, context.derivation.cast.question) + _write_assumption(context)
    if scope.strip():
        parts.append(words.answer_advice.format(advice=scope.strip()))
    return "".join([*parts, words.sensitivity_notes[context.sensitivity], words.closing])


def withhold_verdict(context: ReadingContext) -> ReadingPlan:
    """What is said when no verdict may be drawn: help first, and the bare facts of the board."""
    words, sensitivity, situation = context.words, context.sensitivity, context.derivation.situation
    world, response = situation.world.base, situation.response.base
    facts = {
        "name": situation.hexagram.name,
        "target": situation.target.name,
        "month": context.month_branch,
        "day": context.day_branch,
        "world": world.label,
        "response": response.label,
    }
    lines = ((), (), (world.position, response.position))
    sentences = words.withheld[sensitivity]
    advice = words.withheld_advice[sensitivity]
    gap = " " if words.stop == "." else ""
    return ReadingPlan(
        conclusion=tuple(Statement(text, (), ()) for text in sentences),
        focus_points=tuple(
            Statement(text.format(**facts), (), at)
            for text, at in zip(words.withheld_points, lines, strict=True)
        ),
        advice=tuple(Statement(text, (), ()) for text in advice),
        keywords=words.withheld_keywords[sensitivity],
        answer=gap.join([*sentences, *advice, words.sensitivity_notes[sensitivity].strip()]),
    )


def may_judge(sensitivity: Sensitivity) -> bool:
    """Whether a verdict may be drawn: no words stand in its place."""
    return sensitivity not in WITHHELD_ZH
