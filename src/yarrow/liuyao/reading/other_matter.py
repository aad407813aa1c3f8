"""Whether a follow-up is about another matter than the one that a board was cast for.

One board answers one matter: another one needs a cast of its own. A question that goes on about
the first matter, its steps or its people is no other matter, and neither is one that names no
matter by its own words: in doubt the board answers.
"""

import re
from typing import Final

from yarrow.language.chinese_script import fold_script
from yarrow.language.languages import Language
from yarrow.liuyao.cast import Cast
from yarrow.liuyao.reading.follow_up_kind import is_thanks
from yarrow.liuyao.reading.follow_up_words import EN, ZH
from yarrow.liuyao.reading.later_topic import find_later_topic, names_step
from yarrow.liuyao.reading.persons import find_person
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.reading.sensitive_questions import assess_sensitivity
from yarrow.liuyao.reading.sensitive_words import WITHHELD_ZH
from yarrow.liuyao.reading.topics import Topic, choose_topic
from yarrow.liuyao.reading.yong_shen import Matter, SpecialMatter, identify_matter

# Topics that ask after a person: another person is another matter.
_OF_PERSON: Final = frozenset({Topic.HEALTH, Topic.ABSENT, Topic.LAWSUIT, Topic.STUDY})
_POINTS_AT_BOARD: Final = re.compile(
    r"卦|爻|签|用神|结果|\b(?:board|lines?|hexagram|reading|result|sign)\b", re.IGNORECASE
)
# Somebody whom a question comes back to; "it" as an object, and what did not come true.
_HE: Final = re.compile(r"(?<![其吉])他|对方|\b(?:he|him|his)\b", re.IGNORECASE)
_SHE: Final = re.compile(r"她|对方|\b(?:she|her|hers)\b", re.IGNORECASE)
_IT: Final = re.compile(
    r"\w (?:it|this|that)\s*(?:$|[,.;?!])|^(?:如果|要是|万一)没|\bif not\b", re.IGNORECASE
)
_REQUEST: Final = re.compile(
    r"(?:请|帮我|给我|替我)?(?:写一?[首篇段封个]|翻译|讲个|讲一个|画一?[张个幅]|推荐|计算)|[+×÷=]|等于"
    r"|\b(?:write|compose|translate|draw|calculate|recommend)\b|\btell me a (?:joke|story)\b"
    r"|\b(?:capital|president|population) of\b",
    re.IGNORECASE,
)


def find_first_matter(cast: Cast) -> Matter:
    """The matter that a cast was read for."""
    topic = choose_topic(cast.question_type, cast.question)
    return identify_matter(topic, cast.question)


def is_other_matter(question: str, cast: Cast) -> bool:
    """Whether `question` needs another cast than the one that was read.

    One that gets help instead of a verdict needs none: nobody in despair is told to cast again.
    """
    matter = find_first_matter(cast)
    if is_thanks(question) or assess_sensitivity(matter, question) in WITHHELD_ZH:
        return False
    first, named = matter.topic, find_later_topic(question, matter)
    if first is Topic.OTHER or named is None:
        # A question about life as a whole holds every other one.
        on_topic = named is not None or names_step(question, first)
        return not on_topic and _is_no_question_about_a_board(question)
    by_person = first in _OF_PERSON or matter.special is SpecialMatter.EXAM
    if named is first and by_person and (person := find_person(question)) is not None:
        return person != find_person(cast.question)
    return named is not first and not _points_back(question, cast.question)


def write_other_matter(question: str, cast: Cast, *, language: Language) -> str:
    """What is said to a question that is another matter."""
    if language is Language.ENGLISH:
        return EN.other_matter.format(question=question[:40], first=cast.question[:40])
    frame = to_hant(ZH.other_matter) if language is Language.HANT else ZH.other_matter
    return frame.format(question=question[:40], first=cast.question[:40])


def _points_back(question: str, first_question: str) -> bool:
    """Whether `question` speaks of whom or what the first one spoke of."""
    later, first = fold_script(question), fold_script(first_question)
    if _IT.search(later):
        return True
    spoken_of = [who for who in (_HE, _SHE) if who.search(later)]
    return any(who.search(first) or find_person(first_question) for who in spoken_of)


def _is_no_question_about_a_board(question: str) -> bool:
    text = fold_script(question)
    return _POINTS_AT_BOARD.search(text) is None and _REQUEST.search(text) is not None
