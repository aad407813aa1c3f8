"""Read the names of columns, charts and aggregates from a question, without a model.

What is read is removed from the text, longest names first, so that no word is read twice: with a
column 数量 the word is the column, without it a count.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from yarrow.charting.chart_types import TYPE_OPTIONS
from yarrow.charting.column_words import MEASURE_WORDS
from yarrow.charting.columns import ChartColumn, TableShape
from yarrow.charting.filters.conditions import RowCondition
from yarrow.charting.filters.facts import TableFacts
from yarrow.charting.filters.filler_terms import EXTREMES, LARGEST, PHRASES
from yarrow.charting.filters.read_filters import FilterReader, FilterReading
from yarrow.charting.filters.read_ranks import ReadRank
from yarrow.charting.filters.unread import TextSpan, find_unread, note_unread_words
from yarrow.charting.intent import TYPE_NAMES
from yarrow.charting.model import (
    NUMERIC,
    Aggregate,
    ChartType,
    SemanticType,
)
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_columns import (
    NamedColumn,
    choose_count,
    find_chinese_parts,
    find_columns,
    find_counted,
    find_extremes,
    find_partial_names,
    find_quoted_columns,
    find_shared_words,
    find_times,
    find_translations,
    mark_counted,
    mark_roles,
    note_counted_units,
)
from yarrow.charting.question_shares import read_share
from yarrow.charting.question_terms import (
    AGGREGATE_TERMS,
    BOUND_END,
    CHART_NOUNS,
    CHINESE_NAMES,
    CHINESE_TYPES,
    COUNTED_END,
    COUNTED_NAME,
    NAME_AFTER,
    NAME_BEFORE,
    NAME_JOINED,
    NO_NAMES,
    PLAIN_TYPES,
    RATIO_END,
    SHARE_TERMS,
    SPREAD_TERMS,
    UNKNOWN_TYPES,
    find_time_unit,
)
from yarrow.charting.question_text import (
    MAX_CHARS,
    QuestionText,
    build_name_pattern,
    split_name,
)
from yarrow.charting.suggest import PLACES_MAX, assign_roles
from yarrow.kit.json import JsonObject

MORE_CHARS = 40


class QuestionReading(Struct, frozen=True):
    """What a question names."""

    columns: tuple[NamedColumn, ...] = ()
    """In the order of the question."""
    chart_type: ChartType | None = None
    options: JsonObject = field(default_factory=dict)
    """What the name of the chart says beside its type: `horizontal bar`, `donut`."""
    aggregates: tuple[Aggregate, ...] = ()
    unknown_columns: tuple[str, ...] = ()
    unknown_type: str = ""
    asks_spread: bool = False
    share_words: str = ""
    """`percentage of`, 占比; empty if the question does not ask for shares."""
    time_unit: str = ""
    """`month` of `monthly revenue`."""
    names_table: bool = False
    """`movies by genre`: its rows are counted."""
    conditions: tuple[RowCondition, ...] = ()
    """Which rows are meant."""
    rank: ReadRank | None = None
    unapplied: tuple[UnappliedWords, ...] = ()
    """Words that have no effect."""

    @property
    def names_anything(self) -> bool:
        return bool(self.columns or self.chart_type or self.aggregates)


def read_question(text: str, shape: TableShape, facts: TableFacts | None = None) -> QuestionReading:
    """Read a question about one table; `facts` are what was looked up in its rows."""
    rest = QuestionText(text[:MAX_CHARS])
    filters = FilterReader(rest, shape, facts or TableFacts())
    columns = list(find_quoted_columns(rest, shape.columns))
    filters.read_before_columns()
    filters.read_after_columns(columns := find_columns(rest, shape.columns, columns))
    quoted = _find_quoted(rest)
    rest.remove_table(shape.name)
    unknown_type = _find_unknown_type(rest)
    chart_word = _find_chart_word(rest)
    aggregates = _find_aggregates(rest)
    columns = _add_described_columns(rest, shape, columns)
    shares = rest.take(SHARE_TERMS)
    aggregates = aggregates or find_extremes(rest, columns)
    shared = find_shared_words(rest, shape.columns)
    time_unit = find_time_unit(rest.text)
    columns += find_times(rest, shape, columns, time_unit)
    measures = assign_roles(shape).measures
    if counted := find_counted(rest.original, columns, aggregates, chosen=filters.chosen):
        aggregates = (choose_count(rest.original, counted, measures),)
        time_unit = "" if counted.column in assign_roles(shape).times else time_unit
        columns = [mark_counted(n) if n is counted else n for n in columns]
    columns, ratios = _split_ratios(rest, columns, measures)
    names_table = _names_table(rest, shape.name, is_counted=Aggregate.COUNT in aggregates)
    read = filters.read_last(columns)
    marked = mark_roles(rest.original, columns, measures)
    columns = [c for c in marked if c.column.name not in read.clauses or c.is_grouping]
    share = read_share(read.conditions, columns, aggregates if shares else None, shape)
    columns = [*share.columns, *filters.find_series(share.conditions, share.columns, aggregates)]
    if not (aggregates or chart_word) and (time := _find_shown_time(read, columns, shape)):
        columns, time_unit = [*columns, time], time_unit or read.unit
    named = mark_roles(rest.original, columns, measures)
    unknown = (*quoted, *_find_unknown_names(rest, named, aggregates))
    unread = (*shared, *ratios, *_note_unread(rest, text, named, shape))
    return QuestionReading(
        named,
        TYPE_NAMES.get(chart_word),
        dict(TYPE_OPTIONS.get(chart_word) or {}),
        aggregates,
        tuple(dict.fromkeys(unknown)),
        unknown_type,
        asks_spread=SPREAD_TERMS.search(rest.original) is not None,
        share_words=rest.spell(shares[0]) if shares else "",
        time_unit=time_unit,
        names_table=names_table,
        conditions=share.conditions,
        rank=read.rank,
        unapplied=(*share.told, *read.unapplied, *unread),
    )


def _add_described_columns(
    rest: QuestionText, shape: TableShape, columns: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """The columns with those that are named by a part of their name or by their meaning."""
    rest.take(PHRASES)
    found = [*columns, *find_partial_names(rest, shape, columns)]
    found += find_chinese_parts(rest, shape.columns, found)
    found += find_translations(rest, shape.columns, found)
    return found


def _split_ratios(
    rest: QuestionText, columns: Sequence[NamedColumn], measures: Sequence[ChartColumn]
) -> tuple[list[NamedColumn], list[UnappliedWords]]:
    """The columns, and measures by which another one would be divided: `revenue per quantity`.

    With units of time that are not counted.
    """
    found = [(n, RATIO_END.search(rest.original[: n.start])) for n in columns]
    ratios = [
        UnappliedWords(rest.spelled[match.start() : n.end], Note.NOT_READ)
        for n, match in found
        if match is not None and n.column in measures
    ]
    kept = [n for n, match in found if match is None or n.column not in measures]
    return kept, [*ratios, *note_counted_units(rest, kept)]


def _note_unread(
    rest: QuestionText, text: str, named: Sequence[NamedColumn], shape: TableShape
) -> Iterator[UnappliedWords]:
    """What of the question was not read, and what rows are called that are counted."""
    roles = assign_roles(shape)
    places = [n.column for n in named if n.column not in roles.measures]
    shows_time = any(column in roles.times for column in places)
    unread: list[TextSpan] = []
    order = _find_order_words(places, measured=len(named) - len(places), times=roles.times)
    for start, end in find_unread(rest, shows_time=shows_time, order=order):
        counted = COUNTED_NAME.match(rest.text[start:end])
        after = start
        if counted is not None and COUNTED_END.search(rest.original[:start]):
            after += counted.end()
            yield UnappliedWords(rest.spelled[start:after].strip(), Note.ROWS_COUNTED)
        unread += [(after, end)] if after < end else []
    yield from note_unread_words(rest, unread)
    if more := text[MAX_CHARS:].strip():
        yield UnappliedWords(f"{more[:MORE_CHARS]}…", Note.NOT_READ)


def _find_order_words(
    places: Sequence[ChartColumn], *, measured: int, times: Sequence[ChartColumn]
) -> re.Pattern[str] | None:
    """Words that the order of a chart's places answers; the smallest is told if none is omitted."""
    if len(places) != 1:
        return None
    is_whole = places[0] in times or places[0].distinct <= PLACES_MAX
    return EXTREMES if is_whole and measured == 1 else LARGEST


def _find_shown_time(
    read: FilterReading, columns: Sequence[NamedColumn], shape: TableShape
) -> NamedColumn | None:
    """The time of `revenue in 2023`: a measure alone is drawn over the time that is meant."""
    column = shape.column(read.time)
    numbers = [n for n in columns if n.column.dtype in NUMERIC and not n.is_grouping]
    is_time = column in assign_roles(shape).times
    if column is None or not is_time or len(columns) != 1 or not numbers:
        return None
    return NamedColumn(column, MAX_CHARS, MAX_CHARS, is_grouping=True)


def _names_table(rest: QuestionText, name: str, *, is_counted: bool) -> bool:
    """Whether a question names the table as what its rows are: `movies`, but not `sales`."""
    kinds = {MEASURE_WORDS.get(word) for word in split_name(name)} - {None, SemanticType.COUNT}
    pattern = build_name_pattern(name)
    if not pattern or (kinds and not is_counted):
        return False
    return bool(rest.take(pattern))


def _find_quoted(rest: QuestionText) -> list[str]:
    """Names in quotation marks or with an underscore that are no column."""
    names = [name for name, *_ in rest.take_quoted()]
    names += [match.group() for match in rest.take(NAME_JOINED)]
    return [name.strip() for name in names if name.strip() and name not in NO_NAMES]


def _find_unknown_type(rest: QuestionText) -> str:
    matches = rest.take(UNKNOWN_TYPES)
    return matches[0].group() if matches else ""


def _find_chart_word(rest: QuestionText) -> str:
    """The key in `TYPE_NAMES` of the chart that the question names; empty if it names none."""
    for name in sorted(CHINESE_TYPES, key=len, reverse=True):
        if rest.take(re.escape(name)):
            return CHINESE_TYPES[name]
    words = list(re.finditer(r"[a-z0-9]+", rest.text))
    for size in (4, 3, 2, 1):
        for at in range(len(words) - size + 1):
            window = words[at : at + size]
            if word := _read_type([match.group() for match in window]):
                rest.remove(window[0].start(), window[-1].end())
                return word
    return ""


def _read_type(words: Sequence[str]) -> str:
    *kind, last = words
    name = "".join(kind if last in CHART_NOUNS else words)
    if last not in CHART_NOUNS and len(words) == 1 and name not in PLAIN_TYPES:
        return ""
    singular = name.removesuffix("s")
    return name if name in TYPE_NAMES else singular if singular in TYPE_NAMES else ""


def _find_aggregates(rest: QuestionText) -> tuple[Aggregate, ...]:
    found = []
    for aggregate, pattern in AGGREGATE_TERMS:
        for match in list(re.finditer(pattern, rest.text)):
            if not BOUND_END.search(rest.text[: match.start()]):
                rest.remove(*match.span())
                found.append((match.start(), aggregate))
    aggregates = tuple(dict.fromkeys(aggregate for _, aggregate in sorted(found)))
    if Aggregate.DISTINCT in aggregates:  # `how many different`
        return tuple(aggregate for aggregate in aggregates if aggregate is not Aggregate.COUNT)
    return aggregates


def _find_unknown_names(
    rest: QuestionText, named: Sequence[NamedColumn], aggregates: Sequence[Aggregate]
) -> Iterator[str]:
    """Words in the place of a column's name that were not read as anything."""
    has_measure = Aggregate.COUNT in aggregates or not all(n.is_grouping for n in named)
    for pattern in (*CHINESE_NAMES, NAME_AFTER, *(() if has_measure else (NAME_BEFORE,))):
        for match in list(pattern.finditer(rest.text)):
            if name := _trim_name(match.group(1), is_before=pattern is NAME_BEFORE):
                start = rest.text.index(name, match.start())
                rest.remove(start, start + len(name))
                yield name


def _trim_name(words: str, *, is_before: bool) -> str:
    """The words without those that name nothing; of words before `by` the last ones count."""
    parts = words.split()
    if is_before:
        parts.reverse()
    name: list[str] = []
    for part in parts:
        if part in NO_NAMES or part in CHART_NOUNS:
            break
        name.append(part)
    if is_before:
        name.reverse()
    return " ".join(name)
