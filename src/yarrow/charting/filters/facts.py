"""What is looked up in a table to read the conditions of a question: one query over all rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from yarrow.charting.columns import ChartColumn, TableShape, guess_meaning
from yarrow.charting.dates import are_dates, are_years
from yarrow.charting.model import NUMERIC, DType, SemanticType
from yarrow.charting.suggest import assign_roles
from yarrow.charting.value_order import find_month
from yarrow.kit.json import JsonMapping
from yarrow.kit.sql_text import quote_name
from yarrow.language.chinese_script import list_spellings

VALUE_CHARS = 80
"""Longer texts are no names that a question repeats."""
CANDIDATES_MAX = 50
SPELLINGS_MAX = 2_000
COLUMNS_MAX = 60
MANY_VALUES = 50_000
"""In columns with more values, plurals and separators are not looked for."""

PHRASE_WORDS = 8
"""Words or characters of a value that is looked up in such a column."""

_PHRASE_WORD: Final = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_MOMENTS: Final = frozenset({DType.DATE, DType.DATETIME})
_SEPARATORS: Final = re.compile(r"[\W_]+")
_FOLDED = r"regexp_replace(lower(v), '[^\p{L}\p{N}]+', '', 'g')"
_STEM = f"regexp_replace({_FOLDED}, '(ies|es|s|y)$', '')"
_VALUE, _SPELLING, _LOW, _HIGH, _SAME_YEAR = "value", "spelling", "low", "high", "same year"
_SEPARATOR = "separator"
_SORTED = r"\d{4}[-/.]\d{2}([-/.]\d{2}([ T].*)?)?"
"""Texts of dates whose order is that of the dates, if all have the same separator."""


class TimeColumns(msgspec.Struct, frozen=True):
    """The columns of times, by how they store them."""

    moments: tuple[ChartColumn, ...] = ()
    years: tuple[ChartColumn, ...] = ()
    texts: tuple[ChartColumn, ...] = ()
    months: tuple[ChartColumn, ...] = ()
    """Numbers of months, 1 to 12."""
    quarters: tuple[ChartColumn, ...] = ()
    month_names: tuple[ChartColumn, ...] = ()


class TableFacts(msgspec.Struct, frozen=True):
    """What the rows of a table say about the words of a question."""

    values: Mapping[str, Sequence[str]] = {}
    """By column: the values whose letters the question has."""
    spellings: Mapping[str, Sequence[str]] = {}
    """By column of dates in texts: all texts; none if there are too many."""
    ranges: Mapping[str, tuple[str, str]] = {}
    """By column of times or years: the first and the last."""
    separators: Mapping[str, str] = {}
    """By column of dates in texts that are sorted as their dates: what stands between the parts."""
    same_years: frozenset[str] = frozenset()
    """Columns of years that are those of the only column of dates, in every row."""


def sort_times(shape: TableShape) -> TimeColumns:
    """The columns of a table that hold times."""
    moments = [c for c in shape.columns if c.dtype in _MOMENTS and c.distinct]
    numbers = [c for c in shape.columns if c.dtype in NUMERIC and c.dtype is not DType.DURATION]
    times = assign_roles(shape).times
    return TimeColumns(
        tuple(moments),
        tuple(c for c in numbers if are_years(c.samples) and c in times),
        tuple(c for c in shape.columns if c.dtype is DType.STRING and _holds_dates(c)),
        tuple(c for c in numbers if _holds_parts(c, SemanticType.MONTH, 12)),
        tuple(c for c in numbers if _holds_parts(c, SemanticType.QUARTER, 4)),
        tuple(c for c in shape.columns if c.dtype is DType.STRING and _names_months(c)),
    )


def _names_months(column: ChartColumn) -> bool:
    is_named = all(isinstance(v, str) and find_month(v) is not None for v in column.samples)
    return bool(column.samples) and is_named


def _holds_dates(column: ChartColumn) -> bool:
    return are_dates(column.samples) or are_years(column.samples)


def _holds_parts(column: ChartColumn, meaning: SemanticType, most: int) -> bool:
    is_within = all(isinstance(v, int | float) and 1 <= v <= most for v in column.samples)
    return is_within and guess_meaning(column) is meaning and column.distinct <= most


def facts_query(shape: TableShape, question: str) -> tuple[str, list[str]]:
    """A query of `kind`, `place` (the position of a column) and `text`, and its parameters.

    Both are empty if the table has no column to look at.
    """
    parts = list(_list_parts(shape, question))
    texts = [sql for sql, _ in parts]
    return "\nUNION ALL\n".join(texts), [p for _, parameters in parts for p in parameters]


def _list_parts(shape: TableShape, question: str) -> Iterator[tuple[str, list[str]]]:
    times = sort_times(shape)
    table = quote_name(shape.name)
    texts = [c for c in shape.columns if c.dtype is DType.STRING and c.distinct][:COLUMNS_MAX]
    for column in texts:
        place = shape.columns.index(column)
        if column in times.texts or column in times.month_names:
            yield (
                _build_select(
                    _SPELLING, place, _select_distinct_values(column, table), SPELLINGS_MAX + 1
                ),
                [],
            )
        else:
            values, asked = _select_candidates(column, table, question)
            yield _build_select(_VALUE, place, values, CANDIDATES_MAX), [asked]
    for column in times.texts:
        place, name = shape.columns.index(column), quote_name(column.name)
        separator = f"substr({name}, 5, 1)"
        is_sorted = f"bool_and(regexp_full_match({name}, '{_SORTED}'))"
        is_one = f"count(DISTINCT {separator}) = 1"
        value = f"(CASE WHEN {is_sorted} AND {is_one} THEN min({separator}) END)"
        yield _select_fact(_SEPARATOR, place, value, table), []
    for column in (*times.moments, *times.years, *times.texts):
        place, name = shape.columns.index(column), quote_name(column.name)
        for kind, extreme in ((_LOW, "min"), (_HIGH, "max")):
            yield _select_fact(kind, place, f"{extreme}({name})", table), []
    if len(times.moments) == 1:
        moment = quote_name(times.moments[0].name)
        for column in times.years:
            place, name = shape.columns.index(column), quote_name(column.name)
            same = f"bool_and(year({moment}) IS NOT DISTINCT FROM {name})"
            yield _select_fact(_SAME_YEAR, place, same, table), []


def _select_fact(kind: str, place: int, value: str, table: str) -> str:
    return f"SELECT '{kind}' AS kind, {place} AS place, {value}::VARCHAR AS text FROM {table}"


def _build_select(kind: str, place: int, values: str, most: int) -> str:
    return (
        f"SELECT * FROM (SELECT '{kind}' AS kind, {place} AS place, v AS text FROM ({values}) "
        f"ORDER BY length(v) DESC, v LIMIT {most})"
    )


def _select_distinct_values(column: ChartColumn, table: str, condition: str = "") -> str:
    name = quote_name(column.name)
    return f"SELECT DISTINCT {name} AS v FROM {table} WHERE {name} IS NOT NULL{condition}"


def _select_candidates(column: ChartColumn, table: str, question: str) -> tuple[str, str]:
    """A query of the values whose letters the question may have, and its parameter.

    The parameter is the question in both scripts of Chinese.
    """
    if column.distinct > MANY_VALUES:
        name = quote_name(column.name)
        asked = "\n".join(_list_phrases(question))
        return _select_distinct_values(
            column, table, f" AND {name} IN (SELECT unnest(split(?, chr(10))))"
        ), asked
    asked = "\n".join(list_spellings(question.lower()))
    # The limit keeps DuckDB from comparing each row instead of each value.
    values = f"{_select_distinct_values(column, table)} LIMIT {MANY_VALUES * 2}"
    sql = (
        f"SELECT v FROM ({values}) WHERE length(v) <= {VALUE_CHARS} "
        f"AND {_STEM} <> '' AND contains(?, {_STEM})"
    )
    return sql, "\n".join(_SEPARATORS.sub("", line) for line in asked.split("\n"))


def _list_phrases(question: str) -> list[str]:
    """All runs of a few words or Chinese characters, in the usual cases, to be looked up as they
    are: to change the case of ten million values takes seconds."""
    phrases: dict[str, None] = {}
    for text in list_spellings(" ".join(question.split())):
        words = [match.span() for match in _PHRASE_WORD.finditer(text)]
        for at, (start, _) in enumerate(words):
            for _, end in words[at : at + PHRASE_WORDS]:
                phrase = text[start:end]
                cased = (phrase, phrase.lower(), phrase.upper(), phrase.title())
                phrases |= dict.fromkeys(cased)
    return list(phrases)


def read_facts(shape: TableShape, rows: Sequence[JsonMapping]) -> TableFacts:
    """The facts in the rows of `facts_query`."""
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        name = shape.columns[int(str(row["place"]))].name
        if (text := row["text"]) is not None:
            found.setdefault(str(row["kind"]), {}).setdefault(name, []).append(str(text))
    lows, highs = found.get(_LOW, {}), found.get(_HIGH, {})
    return TableFacts(
        found.get(_VALUE, {}),
        {n: v for n, v in found.get(_SPELLING, {}).items() if len(v) <= SPELLINGS_MAX},
        {name: (lows[name][0], highs[name][0]) for name in lows.keys() & highs.keys()},
        {name: values[0] for name, values in found.get(_SEPARATOR, {}).items()},
        frozenset(name for name, same in found.get(_SAME_YEAR, {}).items() if same == ["true"]),
    )
