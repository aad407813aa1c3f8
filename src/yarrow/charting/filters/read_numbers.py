"""Read comparisons of numbers from a question, and which column each is about."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

import msgspec

from yarrow.charting.columns import FEW_VALUES, HAN, ChartColumn, TableShape, field_kind
from yarrow.charting.dates import are_years
from yarrow.charting.filters.conditions import NumberBound, NumberCondition
from yarrow.charting.filters.exclusion_terms import EXCLUDED_END, EXCLUDED_NEXT
from yarrow.charting.filters.number_terms import (
    AGE_UNITS,
    AND_ALSO,
    CLAUSE_END,
    COMPARISONS,
    NO_MORE_END,
    NO_MORE_NEXT,
    NUMBER,
    OBJECT_NEXT,
    OTHER_UNITS,
    PLAIN_RANGE,
    PLAIN_UNITS,
    RANGES,
    SCALES,
    SUBJECT_END,
    SUFFIXES,
)
from yarrow.charting.model import NUMERIC, DType, FieldKind
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_columns import NamedColumn, holds_counts
from yarrow.charting.question_terms import GROUPING_END
from yarrow.charting.question_text import QuestionText, split_name
from yarrow.charting.suggest import assign_roles

_VERB_END: Final = re.compile(r"\b([a-z]{2,})(?:ed|ing|s)\s*(?:at\s*)?$")
_ENDINGS: Final = re.compile(r"(?:ings?|eds?|es|e|s)$")
_EQUAL_NEXT: Final = re.compile(
    rf"^\s*(?:of|is|=|:|：|为|是)?\s*{NUMBER.format('number')}(?![\d.%]){NO_MORE_NEXT}"
)
_IS_NEXT: Final = re.compile(
    rf"^\s*(?:(?:is|equals?)\s+|[=:：为是])\s*{NUMBER.format('number')}(?![\d.%]){NO_MORE_NEXT}"
)
_EQUAL_END: Final = re.compile(rf"{NO_MORE_END}{NUMBER.format('number')}[\s-]*个?$")
_RANGE_NEXT: Final = re.compile(rf"^\s*(?:of|is|=|:|：|为|是)?\s*{PLAIN_RANGE}(?![\d.%/-])")
_RANGE_END: Final = re.compile(rf"(?<![\w.,/-]){PLAIN_RANGE}[\s-]*个?$")
_PLACE_CLAUSE: Final = re.compile(
    r"^\s*(?:with|whose|having|where|that have|which have)\s+(?:an?\s+|the\s+)?(?:\w+\s+){0,2}$"
)


class ReadComparison(msgspec.Struct, frozen=True):
    """A comparison in a text, whose column is not known yet."""

    start: int
    end: int
    low: NumberBound | None = None
    high: NumberBound | None = None


class NumberReading(msgspec.Struct):
    """The comparisons of a question."""

    conditions: list[NumberCondition] = msgspec.field(default_factory=list)
    unapplied: list[UnappliedWords] = msgspec.field(default_factory=list)
    clauses: list[str] = msgspec.field(default_factory=list)
    """Columns that are named only to say which rows are meant."""
    ends: dict[int, NamedColumn] = msgspec.field(default_factory=dict)
    """By the end of a comparison in the text: its column."""


def read_comparisons(
    rest: QuestionText, columns: Sequence[NamedColumn], shape: TableShape
) -> NumberReading:
    """The comparisons that follow a named column of numbers; their words are removed.

    Called before times are read: `revenue above 2000` names no year.
    """
    reading = NumberReading()
    has_times = bool(assign_roles(shape).times)
    for comparison in _find_comparisons(rest):
        subject = _find_left_column(comparison, columns, rest.original)
        if subject is not None and not (has_times and _may_be_years(comparison)):
            _add_comparison(comparison, subject, columns, rest, shape=shape, reading=reading)
    return reading


def read_other_comparisons(
    rest: QuestionText, columns: Sequence[NamedColumn], shape: TableShape, reading: NumberReading
) -> None:
    """Add the comparisons that are left, by any column near them, and numbers beside one."""
    for comparison in _find_comparisons(rest):
        subject = _find_left_column(comparison, columns, rest.original)
        subject = subject or _find_joined_column(comparison, reading.ends, rest)
        subject = subject or _find_right_column(comparison, columns, rest.original)
        subject = subject or _find_verb(comparison, rest, shape, reading)
        if subject is None:
            words = rest.spelled[comparison.start : comparison.end]
            rest.remove(comparison.start, comparison.end)
            reading.unapplied.append(UnappliedWords(words.strip(), Note.NUMBER_OF_NOTHING))
        else:
            _add_comparison(comparison, subject, columns, rest, shape=shape, reading=reading)
    for named in columns:
        _read_equal(named, rest, shape, reading)


def _may_be_years(comparison: ReadComparison) -> bool:
    """Whether both ends of a range are years: `revenue between 2019 and 2021`."""
    low, high = comparison.low, comparison.high
    return low is not None and high is not None and are_years([low.number, high.number])


def _find_comparisons(rest: QuestionText) -> list[ReadComparison]:
    """All comparisons in the order of the text."""
    text = rest.text
    found: list[ReadComparison] = []
    for comparison in _match_comparisons(text):
        if all(c.end <= comparison.start or comparison.end <= c.start for c in found):
            found.append(comparison)
    return sorted(found, key=lambda comparison: comparison.start)


def _match_comparisons(text: str) -> Iterator[ReadComparison]:
    for pattern in RANGES:
        for match in pattern.finditer(text):
            ends = [
                NumberBound(_parse_number(match, end), is_included=True) for end in ("low", "high")
            ]
            if Decimal(ends[0].number) <= Decimal(ends[1].number):
                yield ReadComparison(*match.span(), *ends)
    for name, pattern in (*COMPARISONS, *SUFFIXES):
        for match in pattern.finditer(text):
            bound = NumberBound(
                _parse_number(match, "number"), is_included=name in {"ge", "le", "eq"}
            )
            low = bound if name in {"ge", "gt", "eq"} else None
            high = bound if name in {"le", "lt", "eq"} else None
            yield ReadComparison(*match.span(), low, high)


def _parse_number(match: re.Match[str], name: str) -> str:
    number = Decimal(match[name].replace(",", "")) * SCALES.get(match[f"{name}_scale"] or "", 1)
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _is_number(column: ChartColumn) -> bool:
    return column.dtype in NUMERIC and column.dtype is not DType.DURATION


def _find_left_column(
    comparison: ReadComparison, columns: Sequence[NamedColumn], text: str
) -> NamedColumn | None:
    """The column right before a comparison."""
    for named in columns:
        between = text[named.end : comparison.start]
        if named.end <= comparison.start and SUBJECT_END.fullmatch(between):
            return named if _is_number(named.column) else None
    return None


def _find_right_column(
    comparison: ReadComparison, columns: Sequence[NamedColumn], text: str
) -> NamedColumn | None:
    """The column right after the number of a comparison."""
    for named in columns:
        between = text[comparison.end : named.start]
        if comparison.end <= named.start and OBJECT_NEXT.fullmatch(between):
            return named if _is_number(named.column) else None
    return None


def _find_joined_column(
    comparison: ReadComparison, ends: dict[int, NamedColumn], rest: QuestionText
) -> NamedColumn | None:
    """The column of the comparison before this one: `above 5 and below 9`."""
    for end, named in ends.items():
        if AND_ALSO.match(rest.original[end : comparison.start]):
            rest.remove(end, comparison.start)
            return named
    return None


def _find_verb(
    comparison: ReadComparison, rest: QuestionText, shape: TableShape, reading: NumberReading
) -> NamedColumn | None:
    """The column that a verb before the comparison is about: `rated above 8`."""
    match = _VERB_END.search(rest.text[: comparison.start])
    if match is None:
        return None
    stem = match[1]
    owners = [
        column
        for column in shape.columns
        if _is_number(column) and any(_ENDINGS.sub("", w) == stem for w in split_name(column.name))
    ]
    if len(owners) != 1:
        return None
    rest.remove(match.start(), comparison.start)
    reading.clauses.append(owners[0].name)
    return NamedColumn(owners[0], match.start(), match.end(), read_from=match.group().strip())


def _add_comparison(
    comparison: ReadComparison,
    subject: NamedColumn,
    columns: Sequence[NamedColumn],
    rest: QuestionText,
    *,
    shape: TableShape,
    reading: NumberReading,
) -> None:
    """Add the comparison as a condition, or why it cannot be one."""
    text, end = rest.original, comparison.end
    unit = PLAIN_UNITS.match(text[end:]) or OTHER_UNITS.match(text[end:])
    is_plain = unit is None or PLAIN_UNITS.match(text[end:]) is not None
    is_unknown_unit = unit is not None and not is_plain and not _has_unit(subject, unit.group())
    end += unit.end() if unit else 0
    words = rest.spelled[min(subject.start, comparison.start) : max(end, comparison.end)].strip()
    rest.remove(comparison.start, end)
    is_chinese_clause = re.match(r"^\s*的", text[end:]) is not None
    is_joined = any(
        named.column.name in reading.clauses and AND_ALSO.match(text[before : subject.start])
        for before, named in reading.ends.items()
    )
    if is_chinese_clause or is_joined or CLAUSE_END.search(text[: subject.start]):
        reading.clauses.append(subject.column.name)
    place = _find_place(comparison, subject, columns, text, end=end)
    if is_unknown_unit:
        facts = {"field": subject.column.name}
        reading.unapplied.append(UnappliedWords(words, Note.NUMBER_WITH_UNIT, facts))
    elif place is not None and place.distinct < shape.row_count - place.nulls:
        facts = {"field": place.name}
        reading.unapplied.append(UnappliedWords(words, Note.ROWS_OR_TOTALS, facts))
    else:
        is_excluded = _take_exclusion(rest, min(subject.start, comparison.start), end)
        name, low, high = subject.column.name, comparison.low, comparison.high
        reading.conditions.append(NumberCondition(name, low, high, is_excluded))
        if is_excluded:
            reading.clauses.append(name)
    reading.ends[end] = subject


def _has_unit(named: NamedColumn, unit: str) -> bool:
    """Whether the name of the column says its unit: `weight_in_lbs`, 距离（公里）."""
    name = named.column.name.lower()
    wanted = AGE_UNITS.get(unit.strip(), unit.strip().removesuffix("s"))
    words = {word.removesuffix("s") for word in split_name(name)}
    is_end = HAN.search(wanted) is not None and name.endswith(wanted)  # `carton` is no ton
    return wanted in words or is_end or f"({wanted}" in name or f"（{wanted}" in name


def _find_place(
    comparison: ReadComparison,
    subject: NamedColumn,
    columns: Sequence[NamedColumn],
    text: str,
    *,
    end: int,
) -> ChartColumn | None:
    """The named place that the comparison may be about: `regions with revenue above 5`."""
    for named in columns:
        is_grouping = GROUPING_END.search(text[: named.start]) is not None
        if _is_number(named.column) or named is subject or is_grouping:
            continue
        start = min(subject.start, comparison.start)
        if named.end <= start and _PLACE_CLAUSE.match(text[named.end : start]):
            return named.column
        is_next = re.fullmatch(r"\s*的\s*", text[end : named.start]) is not None
        if comparison.end <= named.start and is_next:
            return named.column
    return None


def _take_exclusion(rest: QuestionText, start: int, end: int) -> bool:
    """Whether a condition is left out: `excluding 4 cylinders`; those words are removed."""
    opening = EXCLUDED_END.search(rest.original[:start])
    closing = EXCLUDED_NEXT.match(rest.original[end:])
    if opening is not None:
        rest.remove(opening.start(), start)
    if closing is not None:
        rest.remove(end, end + closing.end())
    return opening is not None or closing is not None


def _read_equal(
    named: NamedColumn, rest: QuestionText, shape: TableShape, reading: NumberReading
) -> None:
    """A number that a column is said to be, or beside one of few numbers: `8 cylinders`."""
    kind = field_kind(named.column, row_count=shape.row_count, meaning=None)
    if not _is_number(named.column):
        return
    is_few = named.column.distinct <= FEW_VALUES and holds_counts(named.column)
    is_measured = kind is FieldKind.QUANTITATIVE and not is_few
    behind, ahead = rest.text[named.end :], rest.text[: named.start]
    ranged = _RANGE_NEXT.match(behind) or (None if is_measured else _RANGE_END.search(ahead))
    after = ranged or (_IS_NEXT if is_measured else _EQUAL_NEXT).match(behind)
    match = after or (None if is_measured else _EQUAL_END.search(ahead))
    if match is None:
        return
    ends = ("low", "high") if ranged else ("number", "number")
    low, high = (NumberBound(_parse_number(match, end), is_included=True) for end in ends)
    if Decimal(low.number) > Decimal(high.number) or (
        ranged and are_years([low.number, high.number])
    ):
        return
    start = named.end if match.string is behind else 0
    rest.remove(start + match.start(), start + match.end())
    first, last = min(named.start, start + match.start()), max(named.end, start + match.end())
    is_excluded = _take_exclusion(rest, first, last)
    reading.conditions.append(NumberCondition(named.column.name, low, high, is_excluded))
    if not (ranged and is_measured) or CLAUSE_END.search(rest.original[: named.start]):
        reading.clauses.append(named.column.name)
