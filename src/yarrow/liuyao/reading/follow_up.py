"""Answer a later question from the board of a reading."""

from msgspec.structs import replace

from yarrow.language.languages import Language
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.reading.asker import Asker, KnownAsker
from yarrow.liuyao.reading.follow_up_answers import answer_follow_up
from yarrow.liuyao.reading.follow_up_kind import FollowUpKind, classify_follow_up
from yarrow.liuyao.reading.later_topic import find_later_topic
from yarrow.liuyao.reading.other_matter import find_first_topic
from yarrow.liuyao.reading.period import find_period
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.timing import estimate_timing, find_civil_day
from yarrow.liuyao.reading.write_reading import Reading, compose_reading, make_context


def write_follow_up(
    derivation: Derivation,
    question: str,
    *,
    asker: Asker | KnownAsker = Asker.UNKNOWN,
    language: Language = Language.HANS,
) -> Reading:
    """Answer a later question from the same board.

    A question that names no topic of its own goes on about the first one, so that "什么时候"
    after "父亲的病" still asks about the father. So does one that only has a word which the first
    matter may have too, as 什么时候回来 after a lost cat. The answer is about what was asked: when,
    why, what if not, what is in the way, what helps.
    `is_other_matter` tells what is not for this board.
    """
    cast = derivation.cast
    first = find_first_topic(cast)
    named = find_later_topic(question, first)
    kind = classify_follow_up(
        question,
        names_period=find_period(question, find_civil_day(derivation)) is not None,
        names_topic=named is not None,
    )
    is_about = kind in {FollowUpKind.TOPIC, FollowUpKind.OPEN, FollowUpKind.PERIOD}
    is_new = named is not None and (named is not first or named.value in question)
    topic = named if is_about or is_new else None
    whole = question if topic else f"{cast.question} {question}"
    label = topic or cast.question_type
    context = make_context(
        derivation,
        label,
        whole,
        asker=asker,
        language=language,
        event_asked=None if topic else cast.question,
    )
    if kind in {FollowUpKind.WHEN, FollowUpKind.PERIOD}:
        # The period of this question comes before the one that the first question named.
        today = find_civil_day(derivation)
        period = find_period(question, today) or find_period(whole, today)
        context = replace(context, timing=estimate_timing(derivation, context.judgement, period))
    reading = compose_reading(context, language)
    if reading.withheld:
        return reading
    answer = answer_follow_up(context, kind, question)
    return replace(reading, answer=to_hant(answer) if language is Language.HANT else answer)
