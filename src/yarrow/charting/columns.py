"""Infer the types and meanings of columns."""

import re
from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from yarrow.charting.column_words import (
    ADDITIVE_ENDS,
    ADDITIVE_WORDS,
    CHINESE_ENDS,
    CHINESE_MEANS,
    CODE_WORDS,
    COUNT_WORDS,
    LABEL_WORDS,
    LAST_WORDS,
    MEASURE_WORDS,
    NOT_ADDITIVE_WORDS,
    WHOLE_NAMES,
)
from yarrow.charting.dates import are_dates, are_years
from yarrow.charting.model import NUMERIC, DType, FieldKind, FieldMeaning, SemanticType
from yarrow.charting.value_order import find_calendar, find_month, names_ranges
from yarrow.kit.json import JsonValue
from yarrow.language.chinese_script import fold_script

SAMPLES = 50


class ChartColumn(Struct, frozen=True):
    """A column of a table: name, stored type, and samples of its values."""

    name: str
    dtype: DType
    distinct: int
    nulls: int = 0
    samples: tuple[JsonValue, ...] = ()
    is_counted: bool = True
    """If not, `distinct` and `nulls` are those of the samples."""
    low: JsonValue = None
    """The smallest value of a number or a date, and `high` the largest."""
    high: JsonValue = None
    distinct_found: int = 0
    """Distinct values that were found in the rows that were read; there are no fewer."""


class TableShape(Struct, frozen=True):
    """Columns and size of a table, without its rows."""

    columns: tuple[ChartColumn, ...]
    row_count: int
    name: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> ChartColumn | None:
        return next((column for column in self.columns if column.name == name), None)


QUANTITATIVE, TEMPORAL = FieldKind.QUANTITATIVE, FieldKind.TEMPORAL
ORDINAL, NOMINAL = FieldKind.ORDINAL, FieldKind.NOMINAL
Kind = SemanticType

POINTS_IN_TIME = (Kind.DATETIME, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.YEAR)
PERIODS = (Kind.YEAR_MONTH, Kind.YEAR_QUARTER, Kind.YEAR_WEEK)
GRANULES = (Kind.QUARTER, Kind.MONTH, Kind.WEEK, Kind.DAY, Kind.HOUR, Kind.DECADE)
IN_TIME = frozenset({*GRANULES, *PERIODS, Kind.YEAR})
SIGNED = frozenset({Kind.PROFIT, Kind.PERCENTAGE_CHANGE, Kind.SENTIMENT, Kind.CORRELATION})
MEASURES = frozenset(
    {
        *(Kind.AMOUNT, Kind.PRICE, Kind.QUANTITY, Kind.TEMPERATURE, Kind.PERCENTAGE, Kind.COUNT),
        *(Kind.NUMBER, Kind.DURATION, *SIGNED),
    }
)
NAMES_ONLY = frozenset({Kind.UNKNOWN, Kind.CATEGORY, Kind.NAME})
"""Registered meanings that say nothing about an order; names of weekdays still have theirs."""

KIND_OF: Mapping[SemanticType, FieldKind] = {
    **dict.fromkeys(SemanticType, NOMINAL),
    **dict.fromkeys((*POINTS_IN_TIME, *PERIODS), TEMPORAL),
    **dict.fromkeys((*GRANULES, Kind.RANK, Kind.RANGE), ORDINAL),
    **dict.fromkeys((*MEASURES, Kind.SCORE, Kind.LATITUDE, Kind.LONGITUDE), QUANTITATIVE),
}

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
WORD = re.compile(r"[a-z0-9]+")
HAN = re.compile(r"[\u4e00-\u9fff]")
FEW_VALUES = 20
CALENDAR_MAX = 13
"""Twelve months, and a name for none."""
LARGELY_UNIQUE = 0.5


def field_kind(column: ChartColumn, *, row_count: int, meaning: FieldMeaning | None) -> FieldKind:
    """The kind of a field by its registered meaning, else its name, else its values."""
    if meaning is not None and meaning.semantic_type is not Kind.UNKNOWN:
        return _choose_allowed_kind(
            KIND_OF[choose_meaning(column, meaning) or Kind.UNKNOWN], column
        )
    named = find_meaning_by_name(column.name)
    if named is not None and _allows_meaning(column, named):
        return _find_kind_by_meaning(named)
    if _find_calendar(column) is not None:
        return ORDINAL
    return _infer_kind_from_values(column, row_count)


def choose_meaning(column: ChartColumn, meaning: FieldMeaning | None) -> SemanticType | None:
    """The registered meaning, else the guessed one; names of weekdays keep their order."""
    if meaning is None:
        return guess_meaning(column)
    calendar = _find_calendar(column) if meaning.semantic_type in NAMES_ONLY else None
    return calendar or meaning.semantic_type


def _find_calendar(column: ChartColumn) -> SemanticType | None:
    """Month or Day if the values are names of them, in any of many languages; Range if they are
    ranges of numbers, or levels such as `low` and `high`."""
    if column.dtype is not DType.STRING or column.distinct > SAMPLES:
        return None
    if column.distinct <= CALENDAR_MAX and (calendar := find_calendar(column.samples)):
        return calendar
    return Kind.RANGE if names_ranges(column.samples) else None


def guess_meaning(column: ChartColumn) -> SemanticType | None:
    """The meaning of a column by its name, if its values do not contradict it."""
    if (calendar := _find_calendar(column)) is not None:
        return calendar
    named = find_meaning_by_name(column.name)
    if named is not None and _allows_meaning(column, named):
        return named
    if column.dtype is DType.BOOLEAN:
        return Kind.BOOLEAN
    return None


def find_kind_by_name(name: str) -> FieldKind | None:
    """The kind by the name alone; None for names such as `value` or `x`."""
    meaning = find_meaning_by_name(name)
    return _find_kind_by_meaning(meaning) if meaning else None


def _find_kind_by_meaning(meaning: SemanticType) -> FieldKind:
    """Periods are labels such as `2024-01` unless they are registered as time."""
    return ORDINAL if meaning in PERIODS else KIND_OF[meaning]


@lru_cache(maxsize=4096)
def find_meaning_by_name(name: str) -> SemanticType | None:
    """The meaning by the words of a name, whatever the values are.

    None if it is a month itself, as columns of pivot tables are called: 1月.
    """
    if find_month(name) is not None:
        return None
    if HAN.search(name):
        return _find_chinese_meaning(name)
    words = WORD.findall(CAMEL.sub("_", name).lower())
    whole = WHOLE_NAMES.get("_".join(words))
    if whole or not words:
        return whole
    if "per" not in words and (last := LAST_WORDS.get(words[-1])):
        return last if words[-1] != "at" or len(words) > 1 else None
    if words[0] in {"date", "datetime", "timestamp"}:
        return LAST_WORDS[words[0]]
    if CODE_WORDS.keys() & set(words) and not COUNT_WORDS & set(words):
        return next(CODE_WORDS[word] for word in words if word in CODE_WORDS)
    for table in (MEASURE_WORDS, LABEL_WORDS):
        if meaning := next((table[word] for word in table if word in words), None):
            return meaning
    return None


def is_additive_name(name: str) -> bool:
    """Whether the name alone says that values may be summed: `revenue`, `orders`, 销售额."""
    if HAN.search(name):
        name = fold_script(name)
        is_mean = any(word in name for word in CHINESE_MEANS)
        return not is_mean and _find_chinese_end(_remove_unit(name)) in ADDITIVE_ENDS
    words = set(WORD.findall(CAMEL.sub("_", name).lower()))
    return bool(words & ADDITIVE_WORDS) and not words & NOT_ADDITIVE_WORDS


def _find_chinese_meaning(name: str) -> SemanticType | None:
    text = _remove_unit(fold_script(name))
    end = _find_chinese_end(text)
    return CHINESE_ENDS[end] if end else Kind.BOOLEAN if text.startswith("是否") else None


def _remove_unit(name: str) -> str:
    return re.sub(r"[（(【\[].*$", "", name).strip() or name


def _find_chinese_end(text: str) -> str:
    """The longest known end of the name; empty if there is none."""
    ends = (text[start:] for start in range(len(text)))
    return next((end for end in ends if end in CHINESE_ENDS), "")


def _allows_meaning(column: ChartColumn, named: SemanticType) -> bool:
    match _find_kind_by_meaning(named):
        case FieldKind.QUANTITATIVE:
            return column.dtype in NUMERIC
        case FieldKind.TEMPORAL:
            return _is_time(column)
        case FieldKind.ORDINAL:
            # A `day` that holds whole dates is a date, not one of seven or thirty-one.
            return named not in GRANULES or not _is_time(column)
        case FieldKind.NOMINAL:
            return True


def _is_time(column: ChartColumn) -> bool:
    match column.dtype:
        case DType.DATETIME | DType.DATE:
            return True
        case DType.INTEGER | DType.NUMBER:
            return are_years(column.samples)
        case DType.STRING:
            return are_dates(column.samples) or are_years(column.samples)
        case DType.TIME | DType.DURATION | DType.BOOLEAN:
            return False


def _choose_allowed_kind(kind: FieldKind, column: ChartColumn) -> FieldKind:
    """Replace a registered kind that the values do not allow: text is not quantitative."""
    if kind is QUANTITATIVE and column.dtype not in NUMERIC:
        return NOMINAL
    if kind is TEMPORAL and not _is_time(column) and column.dtype not in NUMERIC:
        return ORDINAL
    return kind


def _infer_kind_from_values(column: ChartColumn, row_count: int) -> FieldKind:
    match column.dtype:
        case DType.DATETIME | DType.DATE:
            return TEMPORAL
        case DType.TIME:
            return ORDINAL
        case DType.DURATION:
            return QUANTITATIVE
        case DType.BOOLEAN:
            return NOMINAL
        case DType.STRING:
            return TEMPORAL if are_dates(column.samples) else NOMINAL
        case DType.INTEGER | DType.NUMBER:
            return _infer_kind_from_numbers(column, row_count)


def _infer_kind_from_numbers(column: ChartColumn, row_count: int) -> FieldKind:
    if column.dtype is DType.INTEGER and are_years(column.samples):
        return ORDINAL
    unique = column.distinct / row_count if row_count else 1.0
    few = column.distinct <= FEW_VALUES and unique < LARGELY_UNIQUE
    few = few and not is_additive_name(column.name)  # few goals are no names of things
    has_fractions = any(isinstance(v, float) and not v.is_integer() for v in column.samples)
    return ORDINAL if few and not has_fractions else QUANTITATIVE
