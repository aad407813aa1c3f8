"""The words of a question that nothing has read: a note lists them, and no condition uses them.

What is read is removed from `QuestionText`; what is left there besides punctuation and the closed
lists of `filler_terms` was not read. So each word has an effect or is listed.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from yarrow.charting.columns import HAN
from yarrow.charting.filters.filler_terms import (
    CHANGES,
    GROWTH,
    HAN_CHANGES,
    HAN_FILLER,
    HAN_GROWTH,
    HAN_PARTICLES,
    HOW,
    NAME_ENDS,
    PERIODS_COMPARED,
    SUPERLATIVES,
    WORDS,
)
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_text import REMOVED, QuestionText

TextSpan: TypeAlias = tuple[int, int]
WORDS_NAMED = 8

_WORD: Final = re.compile(r"[a-z]+(?:['’][a-z]+)*")
_OPERATORS: Final = r"[<>=≠≤≥*×÷^+%|]+|(?<=[\x00\s])/(?=[\x00\s])|(?<=\x00)\s*-\s*(?=\x00)"
_RUN: Final = re.compile(rf"[^\W_]+(?:['’.-][^\W_]+)*%?|{_OPERATORS}")


def find_unread(
    rest: QuestionText, *, shows_time: bool = True, order: re.Pattern[str] | None = SUPERLATIVES
) -> list[TextSpan]:
    """Where the unread words are; neighbours are one.

    `shows_time`: a time is drawn. `order`: words that say how the places are drawn.
    """
    text = NAME_ENDS.sub(_blank_match, rest.text)
    is_how = HOW.search(rest.original) is not None
    patterns, words = [HAN_FILLER], WORDS
    if order is not None:
        patterns = [order, *patterns]
    if shows_time:
        patterns, words = [HAN_CHANGES, *patterns], words | CHANGES
    if shows_time and is_how:
        patterns, words = [HAN_GROWTH, *patterns], words | GROWTH
    for pattern in patterns:
        text = pattern.sub(_blank_match, text)
    for match in _WORD.finditer(text):
        is_name = match.start() > 0 and rest.spell(match) == "A"  # `grade A`, but `A chart of`
        if match.group() in words and not is_name:
            text = text[: match.start()] + _blank_match(match) + text[match.end() :]
    spans: list[TextSpan] = []
    if (compared := PERIODS_COMPARED.search(rest.original)) is not None:
        text = text[: compared.start()] + _blank_match(compared) + text[compared.end() :]
    for match in _RUN.finditer(text):
        start, end = _widen_span(match.span(), rest.text)
        if spans and not text[spans[-1][1] : start].strip(" "):
            start = spans.pop()[0]
        spans.append((start, end))
    return sorted([*spans, compared.span()]) if compared else spans


def note_unread_words(rest: QuestionText, spans: Sequence[TextSpan]) -> list[UnappliedWords]:
    """One note of all unread words."""
    words = list(dict.fromkeys(rest.spelled[start:end].strip() for start, end in spans))
    shown = [*words[:WORDS_NAMED], *(["…"] if len(words) > WORDS_NAMED else [])]
    return [UnappliedWords(", ".join(shown), Note.NOT_READ)] if shown else []


def find_touching(
    unread: Iterable[TextSpan], start: int, end: int, rest: QuestionText, *, is_name: bool = False
) -> TextSpan | None:
    """Words with the unread ones that touch them: 有机苹果, 3月上旬, `containing Apple`.

    Together they may be a longer name or mean something else. A name is also touched by a word
    before it, and by one with a capital behind it: `North America`.
    """
    text = rest.original
    for first, last in unread:
        gap = text[last:start] if last <= start else text[end:first]
        is_capital = last <= start or rest.spelled[first].isupper()
        if not gap or (is_name and gap in {" ", "-"} and is_capital):
            return min(first, start), max(last, end)
    return None


def _blank_match(match: re.Match[str]) -> str:
    return REMOVED * len(match.group())


def _widen_span(span: TextSpan, text: str) -> TextSpan:
    """A single Chinese character with its unread neighbours: 有机, not 机."""
    start, end = span
    if end - start > 1 or not HAN.match(text[start]):
        return span
    if start and HAN.match(text[start - 1]) and text[start - 1] not in HAN_PARTICLES:
        start -= 1
    if end < len(text) and HAN.match(text[end]) and text[end] not in HAN_PARTICLES:
        end += 1
    return start, end
