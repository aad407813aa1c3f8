"""Find the columns that a question names, by their names, parts of them, or their meaning."""

import re
from collections.abc import Container, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from yarrow.charting.column_words import CHINESE_ENDS, LABEL_WORDS, MEASURE_WORDS, SYNONYMS
from yarrow.charting.columns import (
    HAN,
    ChartColumn,
    TableShape,
    guess_meaning,
    is_additive_name,
)
from yarrow.charting.model import NUMERIC, Aggregate, DType, SemanticType
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_terms import (
    BETWEEN_END,
    COUNTED_END,
    EXTREME_END,
    GROUPING_END,
    HAN_COUNTED_NEXT,
    HAN_JOINED_END,
    JOINED,
    NO_NAMES,
    PAIRING_END,
    RANKING_END,
    ROW_COUNT_END,
    TIME_NOUNS,
    TIME_PLACES,
    TIME_TERMS,
    UNIT_GROUPED,
    UNIT_GROUPED_END,
    find_time_unit,
)
from yarrow.charting.question_text import (
    REMOVED,
    QuestionText,
    build_exact_pattern,
    build_name_pattern,
    fold_name,
    has_marks,
    has_word,
    may_occur,
    split_name,
)
from yarrow.charting.suggest import assign_roles
from yarrow.language.chinese_script import fold_script

COUNTED_MEANINGS = frozenset({SemanticType.COUNT, SemanticType.QUANTITY, SemanticType.DURATION})
"""What columns that hold counts are about."""
PLURAL = re.compile(r".*[^s]s|people|children|men|women")
FLAGS = frozenset(
    {"yes", "no", "true", "false", "y", "n", "t", "f", "0", "1", "是", "否", "有", "无", ""}
)
"""Values that say whether a row is what its column is called."""
SHORTEST = 3
"""Letters of a short form, and how many it leaves out."""


class NamedColumn(Struct, frozen=True):
    """A column that a question names, and how."""

    column: ChartColumn
    start: int
    end: int
    is_grouping: bool = False
    """It follows a word such as `by` or 各."""
    is_pairing: bool = False
    """It follows `versus` or `against`."""
    read_from: str = ""
    """The words of the question, if they are not the name of the column."""
    is_counted: bool = False
    """It follows `how many` or `count of`."""


def find_quoted_columns(
    rest: QuestionText, columns: Sequence[ChartColumn]
) -> Iterator[NamedColumn]:
    """Columns whose names stand in quotation marks, also of names that are words of questions."""
    by_name = {fold_name(column.name): column for column in columns}
    for name, start, end in rest.take_quoted(by_name):
        if column := by_name.pop(fold_name(name), None):
            yield NamedColumn(column, start, end)


def find_columns(
    rest: QuestionText, columns: Sequence[ChartColumn], quoted: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """The quoted columns, and others by their whole names; the first place of a name counts."""
    found = [*quoted]
    for column in sorted(columns, key=lambda c: -len(c.name)):
        if any(column is n.column for n in quoted) or not may_occur(column.name, rest.text):
            continue
        matches = rest.take(build_exact_pattern(column.name)) if has_marks(column.name) else []
        if not matches and (pattern := build_name_pattern(column.name)):
            matches = rest.take(pattern)
        if matches:
            found.append(NamedColumn(column, *matches[0].span()))
    return found


def find_partial_names(
    rest: QuestionText, shape: TableShape, named: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """Columns by one word of their name, if no other column has it: `sales` of `sales_amount`."""
    found: list[NamedColumn] = []
    columns, times = shape.columns, assign_roles(shape).times
    open_columns = [c for c in columns if all(c is not n.column for n in named)]
    for match in list(re.finditer(r"[^\W_]{3,}", rest.text)):
        word = match.group()
        if word in NO_NAMES or rest.text[match.start()] == REMOVED:
            continue
        owners = [column for column in open_columns if has_word(column.name, word)]
        owners = owners or [column for column in open_columns if _is_short_form(column.name, word)]
        if owners and owners[0] in times and not TIME_TERMS.fullmatch(word):
            if COUNTED_END.search(rest.original[: match.start()]):
                rest.remove(*match.span())
            continue  # `orders` are no `order_date`
        if len(owners) == 1 and all(owners[0] is not n.column for n in found):
            end = _find_name_end(rest, owners[0].name, match.end())
            rest.remove(match.start(), end)
            spelled = rest.spelled[match.start() : end]
            found.append(NamedColumn(owners[0], match.start(), end, read_from=spelled))
    return found


def _find_name_end(rest: QuestionText, name: str, end: int) -> int:
    """Where the words that follow a word of a name and are of the same name end."""
    while match := re.match(r"[\s_-]+([^\W_]+)", rest.text[end:]):
        if not (has_word(name, match[1]) or _is_short_form(name, match[1])):
            break
        end += match.end()
    return end


def _is_short_form(name: str, word: str) -> bool:
    """Whether a name has a short form of the word, `pop` of `population`, or is its initials."""
    parts = split_name(name)
    is_initials = len(parts) >= SHORTEST and "".join(part[0] for part in parts) == word
    return is_initials or any(
        len(part) >= SHORTEST and word.startswith(part) and len(word) >= len(part) + SHORTEST
        for part in parts
    )


def find_shared_words(rest: QuestionText, columns: Sequence[ChartColumn]) -> list[UnappliedWords]:
    """Words of several columns' names, of which the question does not say which is meant."""
    found: list[UnappliedWords] = []
    for match in list(re.finditer(r"[^\W\d_]{3,}", rest.text)):
        word = match.group()
        owners = [c.name for c in columns if has_word(c.name, word) or _is_short_form(c.name, word)]
        if word not in NO_NAMES and len(owners) > 1:
            rest.remove(*match.span())
            facts = {"columns": ", ".join(owners)}
            found.append(UnappliedWords(rest.spell(match), Note.NAME_OF_COLUMNS, facts))
    return found


def find_chinese_parts(
    rest: QuestionText, columns: Sequence[ChartColumn], named: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """Columns by a part of their Chinese name that no other column has: 金额 of 销售金额."""
    found: list[NamedColumn] = []
    for column in columns:
        if any(column is n.column for n in named) or not HAN.search(column.name):
            continue
        if part := _find_longest_part(fold_script(column.name.lower()), rest.text):
            owners = [c for c in columns if part in fold_script(c.name.lower())]
            if len(owners) == 1:
                start = rest.text.index(part)
                rest.remove(start, start + len(part))
                spelled = rest.spelled[start : start + len(part)]
                found.append(NamedColumn(column, start, start + len(part), read_from=spelled))
    return found


def _find_longest_part(name: str, text: str) -> str:
    parts = (
        name[start : start + size]
        for size in range(len(name) - 1, 1, -1)
        for start in range(len(name) - size + 1)
    )
    return next((part for part in parts if part in text and HAN.search(part)), "")


def find_translations(
    rest: QuestionText, columns: Sequence[ChartColumn], named: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """Columns by their meaning in the other language: 地区 of `region`, `sales` of 销售额.

    In the same language by a synonym: `sales` of `revenue`.
    """
    found: list[NamedColumn] = []
    open_columns = [c for c in columns if all(c is not n.column for n in named)]
    for match, meaning in _find_meanings(rest.text):
        is_chinese = bool(HAN.search(match.group()))
        same = next((words for words in SYNONYMS if match.group() in words), frozenset())
        owners = [
            column
            for column in open_columns
            if (
                bool(HAN.search(column.name)) is not is_chinese and guess_meaning(column) is meaning
            )
            or any(has_word(column.name, word) or fold_script(column.name) == word for word in same)
        ]
        if len(owners) == 1 and all(owners[0] is not n.column for n in found):
            rest.remove(match.start(), match.end())
            found.append(NamedColumn(owners[0], *match.span(), read_from=rest.spell(match)))
    return found


def _find_meanings(text: str) -> Iterator[tuple[re.Match[str], SemanticType]]:
    chinese = sorted((end for end in CHINESE_ENDS if len(end) > 1), key=len, reverse=True)
    for match in re.finditer("|".join(chinese), text):
        yield match, CHINESE_ENDS[match.group()]
    english = {**MEASURE_WORDS, **LABEL_WORDS}
    for match in re.finditer(r"\b[a-z]+\b", text):
        word = match.group()
        if meaning := english.get(word) or english.get(word.removesuffix("s")):
            yield match, meaning


def find_times(
    rest: QuestionText, shape: TableShape, named: Sequence[NamedColumn], unit: str
) -> list[NamedColumn]:
    """The first column of time, if the question names a time and no such column.

    Of several units the one by which is grouped is read: `average daily revenue by month`.
    """
    roles = assign_roles(shape)
    times = roles.times
    found = list(TIME_TERMS.finditer(rest.text)) if times else []
    places = [n for n in named if n.column not in roles.measures]
    is_grouped = any(GROUPING_END.search(rest.original[: n.start]) for n in places)
    matches = [
        match
        for match in found
        if find_time_unit(match.group()) in {"", unit}
        and not (is_grouped and _is_unplaced(match, rest.original))
    ]
    for match in matches:
        rest.remove(*match.span())
    if not matches or any(n.column in times for n in named):
        return []
    grouped = (m for m in matches if UNIT_GROUPED_END.search(rest.original[: m.start()]))
    match = next(grouped, matches[0])  # `number of days by year`
    return [NamedColumn(times[0], *match.span(), is_grouping=True, read_from=rest.spell(match))]


def _is_unplaced(match: re.Match[str], text: str) -> bool:
    """Whether a unit of time stands where none is grouped by: `by city for days below zero`."""
    return bool(TIME_NOUNS.fullmatch(match.group())) and not TIME_PLACES.search(
        text[: match.start()]
    )


def mark_roles(
    text: str, columns: Sequence[NamedColumn], measures: Sequence[ChartColumn]
) -> tuple[NamedColumn, ...]:
    """The columns in the order of the text, with those by which rows are grouped."""
    marked: list[NamedColumn] = []
    end = 0
    for named in sorted(columns, key=lambda n: n.start):
        before, between = text[: named.start], text[end : named.start]
        follows = bool(marked) and marked[-1].is_grouping and bool(JOINED.match(between))
        is_number = named.column in measures or holds_counts(named.column)
        if follows and not between.strip() and is_number:
            follows = False  # `monthly revenue`, 各产品销售额
        is_related = named.column in measures and BETWEEN_END.search(before) is not None
        is_grouped = GROUPING_END.search(before) is not None and not is_related
        marked.append(
            replace(
                named,
                is_grouping=not named.is_counted and (named.is_grouping or follows or is_grouped),
                is_pairing=bool(PAIRING_END.search(before)),
            )
        )
        end = named.end
    return tuple(marked)


def find_extremes(rest: QuestionText, columns: Sequence[NamedColumn]) -> tuple[Aggregate, ...]:
    """The largest or smallest value of a measure: `highest price by symbol`, 每月最高气温.

    Not of a place: `which region has the highest revenue`, 销售额最高的地区.
    """
    for named in columns:
        before = rest.original[: named.start]
        match = EXTREME_END.search(before) if named.column.dtype in NUMERIC else None
        if match and not RANKING_END.search(before[: match.start()]):
            rest.remove(*match.span())
            is_largest = match["largest"] or match["most"]
            return (Aggregate.MAX if is_largest else Aggregate.MIN,)
    return ()


def find_counted(
    text: str,
    columns: Sequence[NamedColumn],
    aggregates: Sequence[Aggregate],
    *,
    chosen: Container[str],
) -> NamedColumn | None:
    """The column whose values are counted: `how many countries`, `number of days by weather`.

    Rows are counted by a column that says yes or no, unless these are counts themselves: `number
    of returned orders`; and by one of which values are `chosen`: 高级客户类型的数量.
    """
    if tuple(aggregates) not in {(), (Aggregate.COUNT,)}:
        return None
    many = [
        n
        for n in columns
        if (n.column.distinct > 2 or holds_counts(n.column) or _holds_names(n, chosen))
        and not _is_longer_unit(n)
    ]
    names = [n for n in many if n.column.dtype not in NUMERIC and n.column.name not in chosen]
    counted = [n for n in many if aggregates and COUNTED_END.search(text[: n.start])]
    counted += [n for n in names if _is_counted_in_chinese(n, text)]
    return counted[0] if counted else None


def _holds_names(named: NamedColumn, chosen: Container[str]) -> bool:
    """Whether one or two values are names: `how many regions`, but not `number of late orders`."""
    column = named.column
    is_open = not named.read_from and column.name not in chosen
    values = {str(value).strip().lower() for value in column.samples if value is not None}
    return is_open and column.dtype is DType.STRING and not values <= FLAGS


def _is_longer_unit(named: NamedColumn) -> bool:
    """Whether `months` are read as a column of days, whose values are no months."""
    is_moment = named.column.dtype in {DType.DATE, DType.DATETIME}
    return is_moment and find_time_unit(named.read_from) not in {"", "day"}


def note_counted_units(
    rest: QuestionText, columns: Sequence[NamedColumn]
) -> Iterator[UnappliedWords]:
    """Units of time that cannot be counted, or by which times cannot be: `how many months`."""
    for named in columns:
        counted = COUNTED_END.search(rest.original[: named.start])
        if counted is not None and _is_longer_unit(named):
            words = rest.spelled[counted.start() : named.end]
            yield UnappliedWords(words, Note.NOT_READ)
        elif named.is_counted and named.column.dtype in {DType.DATE, DType.DATETIME}:
            yield from (
                UnappliedWords(rest.spell(unit), Note.NOT_READ)
                for unit in UNIT_GROUPED.finditer(rest.original)
            )


def _is_counted_in_chinese(named: NamedColumn, text: str) -> bool:
    """Whether the values of a name are counted: 有多少门店, 门店数量; rows are in 各门店数量."""
    before, after = text[: named.start], text[named.end :]
    if COUNTED_END.search(before):
        return True
    is_grouped = GROUPING_END.search(before) or HAN_JOINED_END.search(before)
    return not is_grouped and HAN_COUNTED_NEXT.match(after) is not None


def mark_counted(named: NamedColumn) -> NamedColumn:
    """The column as what is counted, by which rows are not grouped."""
    return replace(named, is_grouping=False, is_counted=True)


def choose_count(text: str, counted: NamedColumn, measures: Sequence[ChartColumn]) -> Aggregate:
    """How a column is counted; `number of orders` adds numbers that are counts themselves."""
    column = counted.column
    if holds_counts(column):
        is_of_rows = ROW_COUNT_END.search(text[: counted.start]) is not None
        return Aggregate.COUNT if is_of_rows else Aggregate.SUM
    is_whole = guess_meaning(column) is None and column.dtype is DType.INTEGER
    names_rows = is_whole and _is_singular(column.name)
    return Aggregate.COUNT if column in measures and not names_rows else Aggregate.DISTINCT


def holds_counts(column: ChartColumn) -> bool:
    """Whether numbers are guessed to be counts of what the column is called.

    Whole numbers without a known meaning are so if their name is a plural, `goals` but not
    `respondent`, which numbers the rows, or if they are only 0 and 1.
    """
    meaning = guess_meaning(column)
    if column.dtype not in NUMERIC or meaning is not None:
        return meaning in COUNTED_MEANINGS
    if column.dtype is not DType.INTEGER:
        return is_additive_name(column.name)
    is_flag = column.distinct <= 2 and set(column.samples) <= {0, 1}
    return is_flag or not _is_singular(column.name)


def _is_singular(name: str) -> bool:
    """Whether an English name has no plural, so that each value is one of what it is called."""
    words = split_name(name)
    is_plural = any(PLURAL.fullmatch(word) for word in words)
    return not HAN.search(name) and not is_plural and not is_additive_name(name)
