"""Read from a question how many of the largest or smallest places it wants."""

import re
from typing import Final

import msgspec

from yarrow.charting.question_text import QuestionText
from yarrow.language.number_words import write_digits

_COUNT = r"(?P<count>\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty)"
_HAN_COUNT = r"(?P<count>\d{1,4}|[一二两三四五六七八九十]{1,3})"
_TOP = r"(?:top|highest|largest|biggest|greatest|most|leading)"
_BOTTOM = r"(?:bottom|lowest|smallest|fewest|least)"
_HAN_TOP = r"最(?:高|大|多|长|贵)"
_HAN_BOTTOM = r"最(?:低|小|少|短|便宜)"
_COUNTER = r"(?:大|个|名|位|种|家|项|款|部|条|座|只|支|类|辆|台|本|首|国)?"
_NO_TIME = r"(?!\s*(?:个?月|天|日|年|周|星期|个?季|小时|分钟|季))"
_RANKS: Final = tuple(
    (is_top, re.compile(pattern))
    for is_top, pattern in (
        (False, rf"{_HAN_BOTTOM}的?\s*前?\s*{_HAN_COUNT}{_NO_TIME}\s*{_COUNTER}"),
        (
            True,
            rf"(?:{_HAN_TOP}的?\s*)?(?:排名|排行|位列)?前\s*{_HAN_COUNT}{_NO_TIME}\s*{_COUNTER}",
        ),
        (True, rf"{_HAN_TOP}的?\s*{_HAN_COUNT}{_NO_TIME}\s*{_COUNTER}"),
        (False, rf"(?:倒数|垫底|最后|后)\s*{_HAN_COUNT}{_NO_TIME}\s*(?:个|名|位|种|家|项)"),
        (True, rf"(?<!at )\b(?:the\s+)?{_TOP}[\s-]*{_COUNT}(?!\s*(?:%|percent)|[\w.,]*\d)\b"),
        (False, rf"(?<!at )\b(?:the\s+)?{_BOTTOM}[\s-]*{_COUNT}(?!\s*(?:%|percent)|[\w.,]*\d)\b"),
        (True, rf"\b(?:the\s+)?{_COUNT}\s+{_TOP}\b"),
        (False, rf"\b(?:the\s+)?{_COUNT}\s+{_BOTTOM}\b"),
    )
)
_COUNT_BEFORE: Final = re.compile(rf"\b(?:the\s+)?{_COUNT}\s+(?=[a-z\x00])")
_WITH_MOST: Final = re.compile(
    r"\b(?:with|having|has|have|had|by)\s+(?:the\s+)?(?:(?P<top>highest|largest|biggest|most|greatest)"
    r"|(?P<bottom>lowest|smallest|fewest|least))\b"
)


CLAUSE_CHARS = 40
"""How many letters the place between `the 5` and `with the highest` may have."""


class ReadRank(msgspec.Struct, frozen=True):
    """How many places a question wants, and from which end."""

    words: str
    start: int
    end: int
    count: int
    is_top: bool


def read_rank(rest: QuestionText) -> ReadRank | None:
    """The first rank in a text; its words are removed."""
    for is_top, pattern in _RANKS:
        if match := pattern.search(rest.text):
            count = int(write_digits(match["count"]))
            if count:
                rest.remove(*match.span())
                return ReadRank(rest.spell(match).strip(), *match.span(), count, is_top)
    return _read_clause(rest)


def _read_clause(rest: QuestionText) -> ReadRank | None:
    """`the 5 countries with the highest revenue`."""
    ending = _WITH_MOST.search(rest.text)
    count = _COUNT_BEFORE.search(rest.text[: ending.start()]) if ending else None
    if ending is None or count is None or ending.start() - count.end() > CLAUSE_CHARS:
        return None
    number = int(write_digits(count["count"]))
    if not number:
        return None
    words = rest.spelled[count.start() : ending.end()].strip()
    rest.remove(*count.span())
    rest.remove(*ending.span())
    return ReadRank(words, *count.span(), number, ending["top"] is not None)
