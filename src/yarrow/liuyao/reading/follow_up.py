"""Answer a later question from the board of a reading."""

import re
from typing import Final

from msgspec.structs import replace

from yarrow.language.languages import Language
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.reading.asker import Asker, KnownAsker
from yarrow.liuyao.reading.follow_up_answers import answer_follow_up
from yarrow.liuyao.reading.follow_up_kind import FollowUpKind, classify_follow_up
from yarrow.liuyao.reading.later_topic import find_later_topic
from yarrow.liuyao.reading.other_matter import find_first_matter
from yarrow.liuyao.reading.own_acts import is_own_act
from yarrow.liuyao.reading.period import find_period
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.sensitive_questions import assess_texts
from yarrow.liuyao.reading.timing import estimate_timing, find_civil_day
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.write_reading import Reading, compose_reading, make_context
from yarrow.liuyao.reading.yong_shen import Matter, identify_matter

_OF_ASKER: Final = re.compile(r"我的|我自己|\bmy(?:self)?\b", re.IGNORECASE)


def write_follow_up(
    derivation: Derivation,
    question: str,
    *,
    asker: Asker | KnownAsker = Asker.UNKNOWN,
    language: Language = Language.HANS,
) -> Reading:
    """Answer a later question from the same board.

    A question that names no topic of its own goes on about the first one, so that "什么时候"
    after "父亲的病" still asks about the father. So does one that names the first topic again, as
    男孩还是女孩 of a pregnancy, or only has a word which the first matter may have too, as
    什么时候回来 after a lost cat. The answer is about what was asked: when,
    why, what if not, what is in the way, what helps.
    `is_other_matter` tells what is not for this board.
    """
    cast = derivation.cast
    first = find_first_matter(cast)
    named = _find_new_topic(question, first)
    kind = _find_kind(derivation, question, first, names_topic=named is not None)
    is_about = kind in {FollowUpKind.TOPIC, FollowUpKind.OPEN, FollowUpKind.PERIOD}
    is_new = named is not None and (named is not first.topic or named.value in question)
    topic = named if is_about or is_new else None
    whole = question if topic else f"{cast.question} {question}"
    label = topic or cast.question_type
    # Words like 考上 in a later question do not choose another 用神 for the first matter.
    about = question if topic else cast.question
    context = make_context(derivation, label, about, asker=asker, language=language)
    matter = context.judgement.matter
    matter = replace(matter, asks_when=matter.asks_when or kind is FollowUpKind.WHEN)
    context = replace(
        context,
        judgement=replace(context.judgement, matter=matter),
        sensitivity=assess_texts(matter, whole, (question,)),
    )
    if kind in {FollowUpKind.WHEN, FollowUpKind.BAD_TIME, FollowUpKind.PERIOD}:
        # The period of this question comes before the one that the first question named.
        today = find_civil_day(derivation)
        first_period = find_period(cast.question, today)
        period = find_period(question, today, within=first_period) or find_period(whole, today)
        context = replace(context, timing=estimate_timing(derivation, context.judgement, period))
    reading = compose_reading(context, language)
    if reading.withheld:
        return reading
    answer = answer_follow_up(context, kind, question)
    return replace(reading, answer=to_hant(answer) if language is Language.HANT else answer)


def _find_kind(
    derivation: Derivation, question: str, first: Matter, *, names_topic: bool
) -> FollowUpKind:
    names_period = find_period(question, find_civil_day(derivation)) is not None
    kind = classify_follow_up(question, names_period=names_period, names_topic=names_topic)
    is_choice = is_own_act(question, first, derivation.cast.question)
    if kind is FollowUpKind.IF_NOT and not is_choice:
        return FollowUpKind.IF_FAILS
    return kind


def _find_new_topic(question: str, first: Matter) -> Topic | None:
    """The topic that a question names, unless it is the first one with the same person or thing."""
    named = find_later_topic(question, first)
    if named is not first.topic:
        return named
    later = identify_matter(named, question)
    # 应, and 世 where the asker does not speak of himself, stand for nobody who was named.
    names_nobody = later.focus == "应" or (later.focus == "世" and not _OF_ASKER.search(question))
    is_same = later.focus == first.focus or names_nobody
    return None if is_same and later.special in {None, first.special} else named
