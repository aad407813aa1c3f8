"""Read the names of columns, charts and aggregates from a question, without a model.

What is read is removed from the text, longest names first, so that no word is read twice: with a
column 数量 the word is the column, without it a count.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from yarrow.charting.chart_types import TYPE_OPTIONS
from yarrow.charting.column_words import CHINESE_ENDS, LABEL_WORDS, MEASURE_WORDS
from yarrow.charting.columns import CAMEL, HAN, ChartColumn, TableShape, guess_meaning
from yarrow.charting.intent import TYPE_NAMES
from yarrow.charting.model import Aggregate, ChartLanguage, ChartType, DType, SemanticType
from yarrow.charting.question_terms import (
    AGGREGATE_TERMS,
    CHART_NOUNS,
    CHINESE_NAMES,
    CHINESE_TYPES,
    GROUPING_END,
    JOINED,
    LIMIT_TERMS,
    NAME_AFTER,
    NAME_BEFORE,
    NAME_PLACES,
    NAME_QUOTED,
    NO_NAMES,
    PAIRING_END,
    PLAIN_TYPES,
    SHARE_TERMS,
    SPREAD_TERMS,
    TIME_TERMS,
    UNKNOWN_TYPES,
    find_time_unit,
)
from yarrow.charting.suggest import assign_roles
from yarrow.kit.json import JsonObject

REMOVED = "\x00"
LETTER = r"[^\W_\u4e00-\u9fff]"
WORDS = re.compile(r"[^\W_]+")
LATIN = re.compile(r"[a-z]{2,}")
UNIT = re.compile(r"[（(【\[].*$")
MAX_CHARS = 2000
"""A longer question is read up to here."""


@dataclass(frozen=True, slots=True)
class NamedColumn:
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


@dataclass(frozen=True, slots=True)
class QuestionReading:
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
    asks_share: bool = False
    time_unit: str = ""
    """`month` of `monthly revenue`."""
    limits: tuple[str, ...] = ()
    """Words that would pick some of the rows: `in 2023`, `top 3`."""

    @property
    def names_anything(self) -> bool:
        return bool(self.columns or self.chart_type or self.aggregates)


def read_question(text: str, shape: TableShape) -> QuestionReading:
    """Read a question about one table."""
    rest = QuestionText(text[:MAX_CHARS].lower())
    columns = list(_find_columns(rest, shape.columns))
    quoted = [name for name in _find_quoted(rest) if name not in NO_NAMES]
    rest.remove_table(shape.name)
    unknown_type = _find_unknown_type(rest)
    chart_word = _find_chart_word(rest)
    aggregates = _find_aggregates(rest)
    columns += _find_partial_names(rest, shape.columns, columns)
    columns += _find_chinese_parts(rest, shape.columns, columns)
    columns += _find_translations(rest, shape.columns, columns)
    time_unit = find_time_unit(rest.text)
    columns += _find_times(rest, shape, columns)
    named = _mark_roles(rest.original, columns, assign_roles(shape).measures)
    if Aggregate.COUNT in aggregates or not columns:  # `number of movies`, `map of airports`
        rest.take(_name_pattern(shape.name) or REMOVED)
    has_measure = any(not column.is_grouping for column in named) or Aggregate.COUNT in aggregates
    limits = _find_limits(rest, shape)
    unknown = [*quoted, *_find_unknown_names(rest.text, has_measure=has_measure)]
    return QuestionReading(
        named,
        TYPE_NAMES.get(chart_word),
        dict(TYPE_OPTIONS.get(chart_word) or {}),
        aggregates,
        tuple(dict.fromkeys(unknown)),
        unknown_type,
        asks_spread=SPREAD_TERMS.search(rest.original) is not None,
        asks_share=SHARE_TERMS.search(rest.original) is not None,
        time_unit=time_unit,
        limits=limits,
    )


def find_language(text: str) -> ChartLanguage | None:
    """The language of a text by its letters; None if it has none, or those of other languages."""
    if re.search(r"[\u3040-\u30ff\uac00-\ud7af]", text):
        return None
    if HAN.search(text):
        return ChartLanguage.ZH
    return ChartLanguage.EN if LATIN.search(text.lower()) else None


def find_question_language(text: str, shapes: Sequence[TableShape]) -> ChartLanguage | None:
    """The language of a question by the words that are no names of columns."""
    rest = QuestionText(text[:MAX_CHARS].lower())
    for shape in shapes:
        for column in sorted(shape.columns, key=lambda c: -len(c.name)):
            if pattern := _name_pattern(column.name):
                rest.take(pattern)
    return find_language(rest.text)


class QuestionText:
    """A question in lower case, from which the parts that are read are removed."""

    def __init__(self, text: str) -> None:
        self.original = self.text = text

    def take(self, pattern: str | re.Pattern[str]) -> list[re.Match[str]]:
        """Remove all matches; positions of the others stay."""
        matches = [match for match in re.finditer(pattern, self.text) if match.group()]
        for match in matches:
            self.remove(match.start(), match.end())
        return matches

    def remove(self, start: int, end: int) -> None:
        self.text = self.text[:start] + REMOVED * (end - start) + self.text[end:]

    def remove_table(self, name: str) -> None:
        """Remove the name of the table where it is named as one."""
        if pattern := _name_pattern(name):
            self.take(rf"\b(?:table|from|in)\s+{pattern}|(?:表|数据表|从|在)\s*{pattern}")


def _split_name(name: str) -> list[str]:
    return WORDS.findall(CAMEL.sub(" ", UNIT.sub("", name) or name).lower())


def _name_pattern(name: str) -> str:
    """A pattern of a name in lower case: any separators, the last word in singular or plural."""
    words = _split_name(name)
    if not words:
        return ""
    if HAN.search(name):
        return r"[\W_]*".join(map(re.escape, words))
    *first, last = map(re.escape, words)
    pattern = rf"(?<!{LETTER})" + r"[\W_]*".join([*first, _inflect(last)]) + rf"(?!{LETTER})"
    if len(words) == 1 and words[0] in NO_NAMES | {"x", "y"}:
        return _name_after_grouping(pattern)
    return pattern


def _inflect(word: str) -> str:
    if len(word) < 3 or not word.isalpha():
        return word
    if word.endswith(("ies", "y")):
        return word.removesuffix("ies").removesuffix("y") + "(?:y|ies|ys)"
    stem = word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
    return f"{stem}(?:e?s)?"


def _name_after_grouping(pattern: str) -> str:
    """A column whose name is a common word counts only in the place of a name."""
    before = "|".join(rf"(?<=\b{word} )" for word in NAME_PLACES)
    before = rf"(?:{before}|(?<=[`\"']))"
    after = r"(?=\s*(?:$|[`\"',.?!]|(?:by|and|vs|versus|over|per|against|as|in)\b))"
    return before + pattern + after


def _find_columns(rest: QuestionText, columns: Sequence[ChartColumn]) -> Iterator[NamedColumn]:
    """Columns by their whole names; the first place of a repeated one counts."""
    for column in sorted(columns, key=lambda c: -len(c.name)):
        if not (pattern := _name_pattern(column.name)):
            continue
        if matches := rest.take(pattern):
            yield NamedColumn(column, *matches[0].span())


def _find_quoted(rest: QuestionText) -> list[str]:
    """Names in quotation marks or with an underscore that are no column."""
    names = [match.group(1) or match.group(2) for match in rest.take(NAME_QUOTED)]
    return [name.strip() for name in names if name and name.strip()]


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
    found = [
        (match.start(), aggregate)
        for aggregate, pattern in AGGREGATE_TERMS
        for match in rest.take(pattern)
    ]
    aggregates = tuple(dict.fromkeys(aggregate for _, aggregate in sorted(found)))
    if Aggregate.DISTINCT in aggregates:  # `how many different`
        return tuple(aggregate for aggregate in aggregates if aggregate is not Aggregate.COUNT)
    return aggregates


def _find_partial_names(
    rest: QuestionText, columns: Sequence[ChartColumn], named: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """Columns by one word of their name, if no other column has it: `sales` of `sales_amount`."""
    found: list[NamedColumn] = []
    open_columns = [c for c in columns if all(c is not n.column for n in named)]
    for match in list(re.finditer(r"[^\W_]{3,}", rest.text)):
        word = match.group()
        if word in NO_NAMES:
            continue
        owners = [column for column in open_columns if _has_word(column.name, word)]
        if len(owners) == 1 and all(owners[0] is not n.column for n in found):
            rest.remove(match.start(), match.end())
            found.append(NamedColumn(owners[0], *match.span(), read_from=word))
    return found


def _find_chinese_parts(
    rest: QuestionText, columns: Sequence[ChartColumn], named: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """Columns by a part of their Chinese name that no other column has: 金额 of 销售金额."""
    found: list[NamedColumn] = []
    for column in columns:
        if any(column is n.column for n in named) or not HAN.search(column.name):
            continue
        if part := _longest_part(column.name.lower(), rest.text):
            owners = [other for other in columns if part in other.name.lower()]
            if len(owners) == 1:
                start = rest.text.index(part)
                rest.remove(start, start + len(part))
                found.append(NamedColumn(column, start, start + len(part), read_from=part))
    return found


def _longest_part(name: str, text: str) -> str:
    parts = (
        name[start : start + size]
        for size in range(len(name) - 1, 1, -1)
        for start in range(len(name) - size + 1)
    )
    return next((part for part in parts if part in text and HAN.search(part)), "")


def _has_word(name: str, word: str) -> bool:
    return any(re.fullmatch(_inflect(re.escape(part)), word) for part in _split_name(name))


def _find_translations(
    rest: QuestionText, columns: Sequence[ChartColumn], named: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """Columns by their meaning in the other language: 地区 of `region`, `sales` of 销售额."""
    found: list[NamedColumn] = []
    open_columns = [c for c in columns if all(c is not n.column for n in named)]
    for match, meaning in _find_meanings(rest.text):
        is_chinese = bool(HAN.search(match.group()))
        owners = [
            column
            for column in open_columns
            if bool(HAN.search(column.name)) is not is_chinese and guess_meaning(column) is meaning
        ]
        if len(owners) == 1 and all(owners[0] is not n.column for n in found):
            rest.remove(match.start(), match.end())
            found.append(NamedColumn(owners[0], *match.span(), read_from=match.group()))
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


def _find_limits(rest: QuestionText, shape: TableShape) -> tuple[str, ...]:
    """Words that pick rows: numbers, ranks, and values of the tables' columns."""
    limits = [match.group().strip() for match in rest.take(LIMIT_TERMS)]
    for column in shape.columns:
        for value in column.samples if column.dtype is DType.STRING else ():
            text = str(value).strip().lower()
            shortest = 2 if HAN.search(text) else 3
            pattern = _name_pattern(text) if len(text) >= shortest else ""
            if pattern and text not in NO_NAMES and rest.take(pattern):
                limits.append(text)
    return tuple(dict.fromkeys(limits))


def _find_times(
    rest: QuestionText, shape: TableShape, named: Sequence[NamedColumn]
) -> list[NamedColumn]:
    """The first column of time, if the question names a time and no such column."""
    times = assign_roles(shape).times
    matches = rest.take(TIME_TERMS) if times else []
    if not matches or any(n.column in times for n in named):
        return []
    match = matches[0]
    return [NamedColumn(times[0], *match.span(), is_grouping=True, read_from=match.group())]


def _mark_roles(
    text: str, columns: Sequence[NamedColumn], measures: Sequence[ChartColumn]
) -> tuple[NamedColumn, ...]:
    """The columns in the order of the text, with those by which rows are grouped."""
    marked: list[NamedColumn] = []
    end = 0
    for named in sorted(columns, key=lambda n: n.start):
        before, between = text[: named.start], text[end : named.start]
        follows = bool(marked) and marked[-1].is_grouping and bool(JOINED.match(between))
        if follows and not between.strip() and named.column in measures:
            follows = False  # `monthly revenue`, 各产品销售额
        marked.append(
            replace(
                named,
                is_grouping=named.is_grouping or follows or bool(GROUPING_END.search(before)),
                is_pairing=bool(PAIRING_END.search(before)),
            )
        )
        end = named.end
    return tuple(marked)


def _find_unknown_names(text: str, *, has_measure: bool) -> Iterator[str]:
    """Words in the place of a column's name that were not read as anything."""
    for pattern in (*CHINESE_NAMES, NAME_AFTER, *(() if has_measure else (NAME_BEFORE,))):
        for match in pattern.finditer(text):
            if name := _trim_name(match.group(1), is_before=pattern is NAME_BEFORE):
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
