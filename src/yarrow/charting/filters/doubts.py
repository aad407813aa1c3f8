"""Words that can turn the conditions of a question around. With one of them none is applied.

The words of a language are open: a condition that is read wrongly shows other rows than were asked
for. So a condition holds only in a question without words that the reader cannot place.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from yarrow.charting.filters.conditions import (
    NumberCondition,
    PartCondition,
    RowCondition,
    SpanCondition,
    ValueCondition,
)
from yarrow.charting.filters.exclusion_terms import EITHER
from yarrow.charting.filters.read_ranks import ReadRank
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_text import QuestionText
from yarrow.language.chinese_script import fold_script

_NEGATIONS: Final = re.compile(
    r"!=|<>|\b(?:not|no|non|nor|never|neither|none|isn'?t|aren'?t|wasn'?t|minus|outside|besides|"
    r"but)\b|(?<!除)非|不(?!包括|包含|含|计|算|少于|低于|超过|足|到|大于|小于|高于|多于|同)|没有?|无"
)
"""They deny a condition, unless they were read as an exclusion of its values."""
_TURNED: Final = re.compile(r"\b(?:drop\w*|remov\w*)\b")
"""They may exclude, or mean something else: `why did revenue drop in Japan`."""
_EXCLUSIONS: Final = re.compile(
    r"\b(?:exclud\w*|except\w*|without|other than|apart from|aside from|ignor\w*|omit\w*|"
    r"leav(?:e|ing) out)\b|除了?|不包括|不包含|不含|不计|不算|排除|剔除|去掉|去除|以外|之外"
)
_BOTTOM: Final = re.compile(
    r"\b(?:bottom|lowest|smallest|fewest|least|worst|cheapest|shortest)\b|最[低小少差短便]|倒数|垫底"
)
_TOP: Final = re.compile(
    r"\b(?:top|highest|largest|biggest|greatest|most|best)\b|最[高大多好长贵]|(?<!之)前"
)
_OTHER_RANKS: Final = re.compile(
    r"\b(?:each|every|within|recent|latest|newest|oldest|earliest)\b|每个?|最近|最新|最早"
)
"""A rank within groups, or by time."""
_CUT_NUMBERS: Final = re.compile(
    r"\d\s+\d{3}\b|\d[.,]\d{3}\.\d|\d\s*b\b|\d\s+m\b|\d\s*[十百]|[百千万亿]\s*\d"
)
"""Numbers of which only a part may be read."""
_PARTS_OF_TIMES: Final = re.compile(
    r"\b(?:early|late|mid|beginning|start|end|weekends?|weekdays?|(?<!per )(?<!by )week|"
    r"mornings?|evenings?|nights?|(?:first|last) quarter)\b|[年月][初中底末]|[上中下]旬|"
    r"(?<![每按各])周|星期|礼拜|早上|上午|下午|晚上"
)
_TIMES: Final = (SpanCondition, PartCondition)
_YEARS: Final = range(1900, 2101)


def find_doubts(
    rest: QuestionText, conditions: Sequence[RowCondition], rank: ReadRank | None
) -> list[UnappliedWords]:
    """The words for which no condition and no rank is applied; none where all is certain."""
    if not conditions and rank is None:
        return []
    found = sorted(set(_find_words(rest, conditions, rank)))
    for start, end in found:
        rest.remove(start, end)
    return [
        UnappliedWords(rest.spelled[start:end].strip(), Note.DOUBTFUL) for start, end in found[:3]
    ]


def _find_words(
    rest: QuestionText, conditions: Sequence[RowCondition], rank: ReadRank | None
) -> Iterator[tuple[int, int]]:
    patterns = []
    if conditions:
        unread = (*_NEGATIONS.finditer(rest.text), *EITHER.finditer(rest.text))
        yield from (match.span() for match in unread)
        patterns.append(_TURNED)
        patterns += [] if _excludes_surely(rest.original, conditions) else [_EXCLUSIONS]
    if any(isinstance(condition, NumberCondition) for condition in conditions):
        patterns.append(_CUT_NUMBERS)
    if any(isinstance(condition, _TIMES) for condition in conditions):
        patterns.append(_PARTS_OF_TIMES)
    if rank is not None:
        patterns += [_OTHER_RANKS, _BOTTOM if rank.is_top else _TOP]
    for pattern in patterns:
        yield from (match.span() for match in pattern.finditer(rest.original))
    if any(map(_is_contradictory, combinations(conditions, 2))) or any(
        map(_is_doubtful, conditions)
    ):
        yield 0, len(rest.original)


def _excludes_surely(text: str, conditions: Sequence[RowCondition]) -> bool:
    """Whether all conditions exclude, or one at the very end does: `in 2022 excluding China`."""
    excluded = [c for c in conditions if getattr(c, "is_excluded", False)]
    if len(excluded) == len(conditions):
        return True
    words = list(_EXCLUSIONS.finditer(text))
    if len(words) != 1 or len(excluded) != 1 or not isinstance(excluded[0], ValueCondition):
        return False
    rest = text[words[0].end() :]
    for value in excluded[0].values:
        rest = rest.replace(fold_script(value.lower()), "")
    return not re.sub(r"\b(?:and|the|for)\b|[和与及、的]", "", rest).strip(" ,.?!，。？")


def _is_contradictory(pair: tuple[RowCondition, RowCondition]) -> bool:
    """Whether two times are meant of one column: they are compared, not both fulfilled."""
    first, second = pair
    return (
        first.column == second.column
        and isinstance(first, _TIMES)
        and type(first) is type(second)
        and not getattr(second, "is_excluded", False)
    )


def _is_doubtful(condition: RowCondition) -> bool:
    """A span that ends before it starts, or a comparison with what may be a year."""
    match condition:
        case SpanCondition(spans=spans):
            return any(s.start and s.end and s.start >= s.end for s in spans)
        case NumberCondition(low=low, high=high):
            numbers = [bound.number for bound in (low, high) if bound is not None]
            return any(n.isdigit() and int(n) in _YEARS for n in numbers)
        case _:
            return False
