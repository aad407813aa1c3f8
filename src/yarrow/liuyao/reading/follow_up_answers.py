"""Answers to follow-up questions, each from the part of the board that it asks about."""

import re
from collections.abc import Callable
from typing import Final

from yarrow.liuyao.five_elements import BEARING, Bearing, Relation
from yarrow.liuyao.najia import POSITION_NAMES
from yarrow.liuyao.reading import judgement_rules as rules
from yarrow.liuyao.reading.advice import list_advice
from yarrow.liuyao.reading.context import ReadingContext, word_rule
from yarrow.liuyao.reading.focus_points import find_kin_by_bearing
from yarrow.liuyao.reading.follow_up_kind import FollowUpKind
from yarrow.liuyao.reading.follow_up_sentences import end_sentence, find_words, join_parts
from yarrow.liuyao.reading.judge import score_world
from yarrow.liuyao.reading.partings import is_parting
from yarrow.liuyao.reading.period_answers import write_bad_time, write_period, write_when
from yarrow.liuyao.reading.plan import (
    write_focus,
    write_reasons,
    write_scope,
    write_timing,
    write_verdict,
)
from yarrow.liuyao.reading.strength import ScoredRule, find_inability, sum_points
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.situation import CastLine

# Points below this are summed up in a number, not listed.
_SLIGHT: Final = 0.25
_MOST_REASONS: Final = 8
_MOST_ADVICE: Final = 5
# Something that another person may grant or refuse.
_ASKS_WILL: Final = re.compile(
    r"[会會能肯愿願].{0,4}(?:原谅|原諒|谅解|諒解|[还還给給理赔賠退付]|答应|答應|同意|接受|联系|聯繫|来找|來找|让步|讓步"
    r"|认错|認錯|回心|帮|幫)"
    r"|\bwill (?:he|she|they|the other \w+) (?:\w+ )?(?:forgive|pay|agree|accept|help|return|call"
    r"|answer|say yes|apologi[sz]e|give|marry|refund|talk|come)\b",
    re.IGNORECASE,
)
_TAKEN_BY: Final = frozenset(
    {"lost_dropped", "lost_thief_weak", "lost_hand_inner", "lost_hand_outer", "pet_taken",
     "pet_strayed"}
)  # fmt: skip


def answer_follow_up(context: ReadingContext, kind: FollowUpKind, question: str) -> str:
    """The answer to `question` on the board of `context`, with the notes on sensitive questions."""
    if kind is FollowUpKind.THANKS:
        return find_words(context).thanks
    body = _ANSWERS[kind](context, question)
    return body + context.words.sensitivity_notes[context.sensitivity] + context.words.closing


def _answer_why(context: ReadingContext, _question: str) -> str:
    words, judgement = find_words(context), context.judgement
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
            template = find_words(context).obstacle_greedy
        parts.append(
            template.format(
                label=line.base.label,
                motion=context.words.motion[1 if line.moving else 0],
                reason=context.words.inability[reason],
            )
        )
    labels = context.words.pause.join(line.base.label for line in lines)
    return join_parts(context, parts) if parts else still.format(labels=labels)


def _word_time_causes(context: ReadingContext, chosen: Callable[[ScoredRule], bool]) -> str:
    ruling = [point for point in context.judgement.points if point.rule in _TIME_RULES]
    return context.words.and_.join(word_rule(context, point) for point in ruling if chosen(point))


_TIME_RULES: Final = (
    rules.IS_MONTH, rules.MONTH_SAME, rules.MONTH_FEEDS, rules.MONTH_CONTROLS,
    rules.MONTH_BROKEN, rules.MONTH_BROKEN_SOFT, rules.IS_DAY, rules.DAY_SAME, rules.DAY_FEEDS,
    rules.DAY_CONTROLS, rules.DAY_BROKEN, rules.DAY_TOMB, rules.DAY_END, rules.SCATTERED,
)  # fmt: skip


def _answer_obstacle(context: ReadingContext, _question: str) -> str:
    words = find_words(context)
    kin = find_kin_by_bearing(context, "克")
    templates = (
        words.obstacle_acts,
        words.obstacle_spent,
        words.obstacle_still,
        words.obstacle_absent,
    )
    parts = [_describe_side(context, "克", templates)]
    if hurt := _word_time_causes(context, lambda point: point.value < 0):
        parts.append(words.obstacle_time.format(causes=hurt))
    text = words.obstacle.format(focus=context.label, kin=kin) + join_parts(context, parts)
    text = end_sentence(context, text + context.words.stop)
    if not _is_shown(context, kin):
        return text
    return text + words.obstacle_trouble.format(trouble=context.words.kin_trouble[kin])


def _is_shown(context: ReadingContext, kin: Relation) -> bool:
    return any(line.base.relation == kin for line in context.derivation.situation.lines)


def _answer_helper(context: ReadingContext, _question: str) -> str:
    words = find_words(context)
    kin = find_kin_by_bearing(context, "生")
    templates = (words.helper_acts, words.helper_spent, words.helper_still, words.helper_absent)
    helped = _word_time_causes(context, lambda point: point.value > 0) or words.no_time_help
    parts = [_describe_side(context, "生", templates), words.helper_time.format(causes=helped)]
    text = words.helper.format(focus=context.label, kin=kin) + join_parts(context, parts)
    text = end_sentence(context, text + context.words.stop)
    lines = [line for line in context.derivation.situation.lines if line.base.relation == kin]
    if all(line.acts and find_inability(line, "生") for line in lines):
        return text  # none is shown, or those that act have no strength to give
    return text + words.helper_kin.format(help=context.words.kin_help[kin])


def _answer_if_not(context: ReadingContext, _question: str) -> str:
    words, situation = find_words(context), context.derivation.situation
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
    choices = words.if_not_choices
    if is_parting(context.derivation.cast.question, context.judgement.matter):
        choices = words.if_stays
    return text + choices[(0 if context.judgement.score >= 0 else 2) + (not firm)]


def _answer_if_fails(context: ReadingContext, _question: str) -> str:
    """What the board says of it, and what to do should it not come about."""
    judgement = context.judgement
    text = find_words(context).if_fails.format(
        verdict=write_verdict(context), level=judgement.level.value
    )
    counsels = context.words.counsel[judgement.matter.wording][2:]
    return text + "".join(end_sentence(context, counsel) for counsel in counsels)


def _is_asker_firm(context: ReadingContext) -> bool:
    """Whether 世爻 stands firm by its own strength, whichever line is 用神."""
    return sum_points(score_world(context.derivation.situation)) >= 0


def _answer_other_side(context: ReadingContext, question: str) -> str:
    words, situation = find_words(context), context.derivation.situation
    response: CastLine = situation.response
    bearing = BEARING[response.base.element][situation.world.base.element]
    text = words.other_side.format(
        label=response.base.label,
        state=context.describe(response.state),
        relation=context.words.response_bears[bearing],
    )
    if response.becomes is not None:
        text += words.other_moves.format(after=response.becomes.name)
    return text + words.other_will[bearing] if _ASKS_WILL.search(question) else text


def _name_taker(context: ReadingContext, question: str) -> str:
    """Who took what is lost, if anybody did."""
    found = [one.text for one in list_advice(context) if _TAKEN_BY.intersection(one.rules)]
    if not found:
        return _answer_open_question(context, question)
    return end_sentence(context, found[0]) + find_words(context).taker_unnamed


def _answer_where(context: ReadingContext, _question: str) -> str:
    words, focus = find_words(context), context.judgement.focus
    if context.judgement.matter.topic in {Topic.HEALTH, Topic.LOST}:
        # The first reading told it: where the healer is, or the thing.
        return end_sentence(context, list_advice(context)[0].text)
    return words.where.format(
        focus=context.label,
        way=context.words.directions[focus.branch],
        place=words.inner if focus.position <= len(POSITION_NAMES) // 2 else words.outer,
    )


def _answer_advice(context: ReadingContext, _question: str) -> str:
    items = [statement.text for statement in list_advice(context)[:_MOST_ADVICE]]
    joined = (" " if context.is_english else "").join(dict.fromkeys(items))
    text = find_words(context).advice.format(items=joined)
    if not context.judgement.matter.is_feared:
        return text
    return find_words(context).if_feared[not _is_asker_firm(context)] + text


def _answer_certainty(context: ReadingContext, _question: str) -> str:
    values = [point.value for point in context.judgement.points if point.value]
    plus, minus = [v for v in values if v > 0], [v for v in values if v < 0]
    return find_words(context).sure.format(
        good=len(plus),
        plus=f"{sum(plus):.1f}",
        bad=len(minus),
        minus=f"{sum(minus):.1f}",
        score=f"{context.judgement.score:g}",
        level=context.judgement.level.value,
    )


def _answer_topic(context: ReadingContext, _question: str) -> str:
    judgement = context.judgement
    text = find_words(context).topic.format(
        topic=judgement.matter.topic.value,
        focus=write_focus(context),
        reasons=write_reasons(context),
        verdict=write_verdict(context),
        level=judgement.level.value,
    )
    return text + end_sentence(context, write_timing(context).text)


def _answer_beyond_board(context: ReadingContext, question: str) -> str:
    return find_words(context).beyond.format(question=question[:40]) + find_words(context).hint


def _answer_open_question(context: ReadingContext, question: str) -> str:
    text = find_words(context).open_.format(
        question=question[:40],
        focus=write_focus(context),
        reasons=write_reasons(context),
        verdict=write_verdict(context),
    )
    scope = write_scope(context, question).strip()
    return text + (end_sentence(context, scope) if scope else "") + find_words(context).hint


_ANSWERS: Final[dict[FollowUpKind, Callable[[ReadingContext, str], str]]] = {
    FollowUpKind.WHY: _answer_why,
    FollowUpKind.OBSTACLE: _answer_obstacle,
    FollowUpKind.HELP: _answer_helper,
    FollowUpKind.IF_NOT: _answer_if_not,
    FollowUpKind.IF_FAILS: _answer_if_fails,
    FollowUpKind.WHEN: write_when,
    FollowUpKind.BAD_TIME: write_bad_time,
    FollowUpKind.PERIOD: write_period,
    FollowUpKind.OTHER_SIDE: _answer_other_side,
    FollowUpKind.WHERE: _answer_where,
    FollowUpKind.TAKEN_BY: _name_taker,
    FollowUpKind.ADVICE: _answer_advice,
    FollowUpKind.SURE: _answer_certainty,
    FollowUpKind.BEYOND: _answer_beyond_board,
    FollowUpKind.TOPIC: _answer_topic,
    FollowUpKind.OPEN: _answer_open_question,
}
