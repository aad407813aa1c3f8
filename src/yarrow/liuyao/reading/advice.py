"""What to do about it: what the board says about this kind of matter, then the counsel."""

from collections.abc import Iterator
from typing import Final

from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading import timing
from yarrow.liuyao.reading.change_rules import ReadingRule
from yarrow.liuyao.reading.context import ReadingContext, Statement
from yarrow.liuyao.reading.focus_points import find_kin_by_bearing
from yarrow.liuyao.reading.judge import SignLevel
from yarrow.liuyao.reading.line_advice import name_first_day
from yarrow.liuyao.reading.strength import ScoredRule, find_inability
from yarrow.liuyao.reading.topic_advice import BY_TOPIC
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.words import ReadingWords
from yarrow.liuyao.reading.yong_shen import SpecialMatter

_MOST: Final = 3
# Lines that act with less than this are not worth a warning or a hint.
_FELT: Final = 0.8
_LEVELS: Final = tuple(SignLevel)
# Matters whose own questions (where, by whose hand, which doctor) come before waiting and blaming.
_TOPIC_FIRST: Final = frozenset(
    {Topic.LOST, Topic.LAWSUIT, Topic.TRAVEL, *set(SpecialMatter) - {SpecialMatter.EXAM}}
)
_EXAMS: Final = frozenset({SpecialMatter.EXAM, SpecialMatter.FAILURE})
# Counsels that say the feared thing may well come.
_WARNINGS: Final = frozenset(
    {"travel_trouble", "travel_expense", "travel_avoid", "suit_weak", "suit_court_hard",
     "suit_court_theirs", "job_rebel", "job_rival", "money_rival", "money_partner_void",
     "love_between", "love_clash", "love_pressed", "love_other_void", "study_nerves", "study_slack",
     "papers_hollow", "papers_weak", "other_worry", "other_pressed"}
)  # fmt: skip
_OF_BODY: Final = frozenset({Topic.HEALTH, SpecialMatter.PREGNANCY, SpecialMatter.RELAPSE})


def choose_advice(context: ReadingContext) -> tuple[Statement, ...]:
    """Two or three counsels; the topic's own is always the last of them."""
    words, judgement = context.words, context.judgement
    wording, at = judgement.matter.wording, (judgement.focus.position,)
    choice = _LEVELS.index(judgement.level)
    counsel = Statement(words.counsel[wording][choice], (), at)
    by_topic = _list_by_topic(context)
    if wording in _OF_BODY:
        # Waiting for a branch or blaming a kin is no counsel for the sick.
        return (*by_topic[: _MOST - 1], counsel)
    causes = _list_causes(context)
    if wording in _TOPIC_FIRST:
        ordered = [*by_topic, *causes]
    else:
        ordered = [*by_topic[:1], *causes[:1], *by_topic[1:], *causes[1:]]
    if not ordered:
        return counsel, Statement(words.advice_general[choice // 2], (), at)
    return (*ordered[: _MOST - 1], counsel)


def list_advice(context: ReadingContext) -> tuple[Statement, ...]:
    """Every counsel that the board supports: the topic's own first, the general one last."""
    words, judgement = context.words, context.judgement
    wording, at = judgement.matter.wording, (judgement.focus.position,)
    counsel = Statement(words.counsel[wording][_LEVELS.index(judgement.level)], (), at)
    causes = [] if wording in _OF_BODY else _list_causes(context)
    return (*_list_by_topic(context), *causes, counsel)


def _list_by_topic(context: ReadingContext) -> list[Statement]:
    """The counsels of the topic, without warnings of a feared event that does not show at all."""
    judgement = context.judgement
    found = BY_TOPIC[judgement.matter.wording](context)
    if not _denies_fear(context):
        return list(found)
    return [one for one in found if not _WARNINGS.intersection(one.rules)]


def _denies_fear(context: ReadingContext) -> bool:
    judgement = context.judgement
    return judgement.matter.is_feared and judgement.level is SignLevel.HIGHEST


def _list_causes(context: ReadingContext) -> list[Statement]:
    """Counsels by what holds the matter back; nobody waits for what they fear, or hastens it."""
    if _denies_fear(context):
        return []
    if context.judgement.matter.is_feared:
        return [*_advise_by_lines(context)]
    return [*_advise_by_timing(context), *_advise_by_lines(context), *_advise_by_hexagram(context)]


def _advise_by_timing(context: ReadingContext) -> Iterator[Statement]:
    words, found = context.words, context.timing
    templates = {
        timing.VOID: words.advice_void,
        timing.BROKEN: words.advice_broken,
        timing.BOUND: words.advice_bound,
        timing.ENTOMBED: words.advice_tomb,
        timing.HIDDEN: words.advice_hidden,
    }
    if found.rule in templates and found.days:
        text = templates[found.rule].format(when=name_first_day(context))
        yield Statement(text, (found.rule.name,), (found.line,))


def _advise_by_lines(context: ReadingContext) -> Iterator[Statement]:
    words, points = context.words, context.judgement.points
    matter = context.judgement.matter
    is_examined = matter.topic is Topic.STUDY or matter.special in _EXAMS
    if not is_examined and any(point.rule is rules.CHANGES["回头克"] for point in points):
        yield Statement(words.advice_turned_back, ("回头克",), (context.judgement.focus.position,))
    for rule in (rules.LINE_CONTROLS, rules.LINE_FEEDS):
        point = _find_strongest(points, rule)
        # Neither an examiner nor a partner is somebody to lean on for help.
        is_apt = rule is rules.LINE_CONTROLS or not (is_examined or matter.topic is Topic.LOVE)
        if point is not None and is_apt:
            yield _advise_about_kin(context, point, words)


def _find_strongest(points: tuple[ScoredRule, ...], rule: ReadingRule) -> ScoredRule | None:
    felt = [point for point in points if point.rule is rule and abs(point.value) >= _FELT]
    return max(felt, key=lambda point: abs(point.value), default=None)


def _advise_about_kin(context: ReadingContext, point: ScoredRule, words: ReadingWords) -> Statement:
    kin = context.derivation.situation.lines[point.lines[0] - 1].base.relation
    if point.rule is rules.LINE_CONTROLS:
        text = words.advice_trouble.format(trouble=words.kin_trouble[kin])
    else:
        text = words.advice_help.format(help=words.kin_help[kin])
    return Statement(text, (point.rule.name,), point.lines)


def _advise_by_hexagram(context: ReadingContext) -> Iterator[Statement]:
    words, situation = context.words, context.derivation.situation
    hexagram = situation.hexagram
    pair = (hexagram.world, hexagram.response)
    # A clash dissolves quarrels, so its usual counsel would mislead in a lawsuit; one that turns
    # to union (散而复合), or a union that turns to clash, counsels the other way round.
    turns = situation.target.concord not in {"", hexagram.concord}
    is_lawsuit = context.judgement.matter.topic is Topic.LAWSUIT
    if hexagram.concord and not is_lawsuit and not turns:
        yield Statement(words.advice_concord[hexagram.concord], (hexagram.concord,), pair)
    marks = {mark[-2:] for mark in situation.special}
    if "反吟" in marks:
        yield Statement(words.advice_fan_yin, ("反吟",), pair)
    if "伏吟" in marks:
        yield Statement(words.advice_fu_yin, ("伏吟",), pair)
    harm = find_kin_by_bearing(context, "克")
    spent = [
        line
        for line in situation.lines
        if line.acts and line.base.relation == harm and find_inability(line, "克")
    ]
    if spent:
        text = words.advice_harm_spent.format(label=spent[0].base.label)
        yield Statement(text, (rules.HARM_SPENT.name,), (spent[0].base.position,))
