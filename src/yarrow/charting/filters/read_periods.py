"""Read times from a question: periods, ranges and lists of them, and ends of the data."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

import msgspec

from yarrow.charting.filters.calendar_spans import RelativePeriod, cut_span
from yarrow.charting.filters.conditions import DatePart, DateSpan
from yarrow.charting.filters.exclusion_terms import EXCLUDED_END, EXCLUDED_NEXT
from yarrow.charting.filters.named_periods import (
    NamedPeriod,
    find_named_periods,
    is_range,
    make_span,
)
from yarrow.charting.filters.period_terms import (
    AFTER_END,
    AFTER_NEXT,
    BEFORE_END,
    BEFORE_NEXT,
    BY_TODAY,
    FIRST_SIDES,
    FROM_END,
    LEAD_END,
    LISTED,
    RELATIVE,
    SINCE_END,
    SINCE_NEXT,
    UNIT_NAMES,
    UNTIL_END,
    UNTIL_NEXT,
)
from yarrow.charting.notes import Note
from yarrow.charting.question_text import QuestionText
from yarrow.language.number_words import write_digits

QUARTER_MONTHS, MONTHS = 3, 12
_OF_NEXT: Final = re.compile(r"^\s*(?:of|in|的)?\s*(?:the year\s*)?$")


class ReadPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """Times that a question names together, joined by `or`."""

    words: str
    start: int
    end: int
    spans: tuple[DateSpan, ...] = ()
    part: DatePart = DatePart.MONTH
    numbers: tuple[int, ...] = ()
    """Of months or quarters of every year."""
    is_open: bool = False
    """Whether they go to an end of the year: `since March`."""
    relative: RelativePeriod | None = None
    is_excluded: bool = False
    problem: Note | None = None
    """Why it can be applied to no column."""


def read_relative_periods(rest: QuestionText) -> list[ReadPeriod]:
    """Times that are counted from an end of the data, or from today."""
    found: list[ReadPeriod] = []
    for pattern in RELATIVE:
        for match in list(pattern.finditer(rest.text)):
            digits = write_digits(match["count"])
            if digits.isdigit() and int(digits):
                start, end = match.span()
                start = _find_lead(rest.original, start)
                rest.remove(start, end)
                unit, is_first = UNIT_NAMES[match["unit"]], match["side"] in FIRST_SIDES
                relative = RelativePeriod(int(digits), unit, is_first)
                words = rest.spelled[start:end]
                found.append(ReadPeriod(words=words, start=start, end=end, relative=relative))
    for match in rest.take(BY_TODAY):
        start, end = match.span()
        problem = Note.DEPENDS_ON_TODAY
        found.append(ReadPeriod(words=rest.spell(match), start=start, end=end, problem=problem))
    return found


def read_periods(rest: QuestionText) -> list[ReadPeriod]:
    """The times that a text names; their words are removed from it."""
    named = find_named_periods(rest)
    groups = [_read_group(group, rest) for group in _join_periods(named, rest.text)]
    for group in groups:
        rest.remove(group.start, group.end)
    return groups


def narrow_relatives(
    relatives: Sequence[ReadPeriod], periods: Sequence[ReadPeriod], rest: QuestionText
) -> list[ReadPeriod]:
    """All of them; `first 3 months of 2023` become one span of that year."""
    narrowed: list[ReadPeriod] = []
    used: set[int] = set()
    for relative in relatives:
        whole = next((p for p in periods if _is_whole(relative, p, rest.original)), None)
        if whole is None or relative.relative is None:
            narrowed.append(relative)
            continue
        used.add(whole.start)
        start, end = min(relative.start, whole.start), max(relative.end, whole.end)
        span = cut_span(whole.spans[0], relative.relative)
        words = rest.spelled[start:end]
        narrowed.append(ReadPeriod(words=words, start=start, end=end, spans=(span,)))
    return [*narrowed, *(period for period in periods if period.start not in used)]


def _is_whole(relative: ReadPeriod, period: ReadPeriod, text: str) -> bool:
    """Whether the relative period is one of this period: before it in English, after in Chinese."""
    is_one = len(period.spans) == 1 and not period.is_excluded and period.problem is None
    if not is_one or period.spans[0].start is None or period.spans[0].end is None:
        return False
    first, second = sorted((relative, period), key=lambda p: p.start)
    return _OF_NEXT.match(text[first.end : second.start]) is not None


def _join_periods(periods: Sequence[NamedPeriod], text: str) -> list[list[NamedPeriod]]:
    """Periods that are joined by `to`, `and` or a comma."""
    groups = [[period] for period in periods[:1]]
    for before, period in pairwise(periods):
        is_listed = LISTED.match(text[before.end : period.start]) is not None
        if is_listed or is_range(before, period, text):
            groups[-1].append(period)
        else:
            groups.append([period])
    return groups


def _read_group(named: Sequence[NamedPeriod], rest: QuestionText) -> ReadPeriod:
    group, text = _share_year(named), rest.text
    first, last = group[0], group[-1]
    start, end = _find_lead(text, first.start), last.end
    lead, after = text[start : first.start], text[end:]
    opening, closing = EXCLUDED_END.search(text[:start]), EXCLUDED_NEXT.match(after)
    is_excluded = opening is not None or closing is not None
    start, end = opening.start() if opening else start, end + (closing.end() if closing else 0)
    has_range = len(group) == 2 and is_range(first, last, text)
    years = {period.year is None for period in group}
    is_open, length = False, 0
    problem: Note | None = None
    if years == {True}:
        part, numbers = _read_parts(group, has_range=has_range)
        spans: list[DateSpan] = []
        if len(group) == 1:
            opened, length, problem = _open_span(make_span(first), lead, after)
            is_open = opened != make_span(first)
            numbers = _list_parts(opened, part) if is_open else numbers
            problem = problem if numbers else Note.NOT_APPLIED
    else:
        part, numbers = DatePart.MONTH, ()
        spans = [make_span(period) for period in group]
        problem = Note.NOT_APPLIED if len(years) > 1 else None
        if has_range:
            spans = [DateSpan(spans[0].start, spans[1].end)]
        elif len(spans) == 1 and problem is None:
            spans[0], length, problem = _open_span(spans[0], lead, after)
    end = max(end, last.end + length)
    return ReadPeriod(
        words=rest.spelled[start:end].strip(),
        start=start,
        end=end,
        spans=tuple(spans),
        part=part,
        numbers=numbers,
        is_open=is_open,
        is_excluded=is_excluded,
        problem=problem,
    )


def _find_lead(text: str, start: int) -> int:
    """Where the words before a time begin that belong to it: `in the year`, 在."""
    match = LEAD_END.search(text[:start])
    return match.start() if match else start


def _share_year(group: Sequence[NamedPeriod]) -> list[NamedPeriod]:
    """`March to June 2023`: the year of one counts for the others that have none."""
    years = {period.year for period in group if period.year is not None and period.months}
    if len(years) != 1:
        return list(group)
    year = years.pop()
    return [
        msgspec.structs.replace(period, year=year) if period.year is None else period
        for period in group
    ]


def _read_parts(
    group: Sequence[NamedPeriod], *, has_range: bool
) -> tuple[DatePart, tuple[int, ...]]:
    """Months or quarters of every year; a range may go over the end of the year."""
    months = [month for period in group for month in period.months]
    if has_range:
        first, last = group[0].months[0], group[1].months[-1]
        length = (last - first) % 12 + 1
        months = [(first - 1 + step) % 12 + 1 for step in range(length)]
    elif all(period.part is DatePart.QUARTER for period in group):
        return DatePart.QUARTER, tuple(sorted({p.months[0] // QUARTER_MONTHS + 1 for p in group}))
    return DatePart.MONTH, tuple(sorted(set(months)))


def _list_parts(span: DateSpan, part: DatePart) -> tuple[int, ...]:
    """The months or quarters of a year from its beginning or up to its end; of `make_span`."""
    first = span.start.month if span.start else 1
    last = (span.end - timedelta(days=1)).month if span.end and span.end > date.min else 0
    last = last if span.end else MONTHS
    months = range(first, last + 1) if not span.start or span.start.year == 1 else ()
    if part is DatePart.QUARTER:
        return tuple(sorted({(month - 1) // QUARTER_MONTHS + 1 for month in months}))
    return tuple(months)


def _open_span(span: DateSpan, lead: str, after: str) -> tuple[DateSpan, int, Note | None]:
    """The span as the words around it say: since, after, before or until it.

    With the length of the words behind it that were read.
    """
    behind = {
        SINCE_NEXT: DateSpan(span.start, None),
        AFTER_NEXT: DateSpan(span.end, None),
        BEFORE_NEXT: DateSpan(None, span.start),
        UNTIL_NEXT: DateSpan(None, span.end),
    }
    for pattern, opened in behind.items():
        if match := pattern.match(after):
            return opened, match.end(), None
    ahead = {
        SINCE_END: DateSpan(span.start, None),
        AFTER_END: DateSpan(span.end, None),
        BEFORE_END: DateSpan(None, span.start),
        UNTIL_END: DateSpan(None, span.end),
    }
    for pattern, opened in ahead.items():
        if pattern.search(lead):
            return opened, 0, None
    return span, 0, Note.FROM_OR_SINCE if FROM_END.search(lead) else None
