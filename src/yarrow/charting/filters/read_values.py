"""Read values of a table's columns from a question; the values were looked up in all rows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from yarrow.charting.columns import HAN, TableShape
from yarrow.charting.filters.conditions import ValueCondition
from yarrow.charting.filters.exclusion_terms import (
    EITHER,
    EXCLUDED_END,
    EXCLUDED_NEXT,
    OTHERS,
    UNCLEAR_END,
)
from yarrow.charting.filters.facts import TableFacts
from yarrow.charting.filters.unread import TextSpan, find_touching, find_unread
from yarrow.charting.model import DType
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_columns import NamedColumn
from yarrow.charting.question_terms import CHART_NOUNS, COUNTED_END, NO_NAMES, PLAIN_TYPES
from yarrow.charting.question_text import (
    QUOTES,
    REMOVED,
    WORDS,
    QuestionText,
    build_name_pattern,
    build_words_pattern,
    has_word,
)
from yarrow.language.chinese_script import fold_script

ROUNDS = 8
"""How long a list of short values may be."""
SHORT_VALUE = 3
"""Shorter names in Latin letters are also other words."""
_COMMON: Final = frozenset(
    {
        *NO_NAMES,
        *CHART_NOUNS,
        *PLAIN_TYPES,
        *("yes", "no", "true", "false", "total", "average", "count", "sum", "mean", "median"),
        *("max", "min", "high", "low", "day", "week", "month", "quarter", "year", "daily", "date"),
        *("weekly", "monthly", "yearly", "annual", "only", "new", "old", "not", "area", "map"),
    }
)
"""Values that are common words count only where nothing else can be meant."""
_LIST: Final = re.compile(
    r"^\s*(?:,|,?\s*(?:and|or|nor)|&|/|\+|vs\.?|versus|、|,|和|与|及|以及|或|跟|还有)\s*"
    r"(?:the\s+|in\s+|for\s+|from\s+)?$"
)
_IS_END: Final = re.compile(r"(?:\s+(?:is|are|was|were|of|equals?)|\s*[=:：为是])?\s*(?:the\s+)?$")
_SAID_END: Final = re.compile(r"\s+(?:(?:that|which|who)\s+)?(?:is|are|was|were)\s+(?:not\s+)?")
_BOOLEANS: Final = {
    **dict.fromkeys(("yes", "true", "是"), "true"),
    **dict.fromkeys(("no", "false", "否"), "false"),
}
_HAN_BOOLEANS: Final = frozenset("是否")
_HAN_IS_END: Final = re.compile(r"[=:：为]\s*$")
_HAN_VALUE_NEXT: Final = re.compile(r"^\s*(?:[的时,，、。;；]|$)")
"""After 是 that is a value: 会员是的; 是多少 and 是？ ask for one."""
_HAN_ASKED_NEXT: Final = re.compile(r"^\s*(?:多少|什么|否|不|哪|谁|几|怎|如何|何)")
_HAN_SUFFIX: Final = re.compile("[市省县区州性]")
"""After a value, as a part of its name: 北京市, 女性."""
_HAN_BOUND: Final = frozenset("的在为是各和与及、，,。？?！!：: \x00")


class FoundValue(msgspec.Struct, frozen=True):
    """Words of a question that are values: by column, in every spelling that the column has."""

    words: str
    start: int
    end: int
    columns: Mapping[str, tuple[str, ...]]
    is_named: bool = False
    """The name of the column stands before it."""


def find_values(rest: QuestionText, shape: TableShape, facts: TableFacts) -> list[FoundValue]:
    """The values in a text, the longest first; their words are removed from it."""
    gathered = _collect_value_words(facts, shape)
    found: list[FoundValue] = []
    for _ in range(ROUNDS):
        before = len(found)
        for words, columns in gathered:
            for match in list(re.finditer(build_words_pattern(words), rest.text)):
                value = FoundValue(rest.spell(match), *match.span(), columns)
                meant = _find_meant(value, words, rest, shape)
                if meant is None:
                    meant = _find_listed(value, found, rest.original)
                if meant is not None:
                    rest.remove(meant.start, meant.end)
                    found.append(meant)
        if len(found) == before:
            break
    return sorted(found, key=lambda value: value.start)


def find_flags(columns: Sequence[NamedColumn], rest: QuestionText) -> list[FoundValue]:
    """Boolean columns that another one is said to be: `how many regions are not active`.

    Or by which rows are counted: `how many active regions`.
    """
    return [
        FoundValue(named.column.name, *span, {named.column.name: ("true",)}, is_named=True)
        for named in columns
        if (span := (named.start, named.end))
        and named.column.dtype is DType.BOOLEAN
        and not named.is_grouping
        and (
            COUNTED_END.search(rest.original[: named.start])
            or any(_is_linked(subject, named, rest.original) for subject in columns)
        )
    ]


def _is_linked(subject: NamedColumn, named: NamedColumn, text: str) -> bool:
    between = text[subject.end : named.start] if subject.end <= named.start else ""
    return _SAID_END.fullmatch(between) is not None


def _find_listed(value: FoundValue, found: Sequence[FoundValue], text: str) -> FoundValue | None:
    """The value in the column of another one before it in a list: B of `grades A and B`."""
    for other in found:
        shared = {c: s for c, s in value.columns.items() if c in other.columns}
        if shared and other.end < value.start and _LIST.match(text[other.end : value.start]):
            return msgspec.structs.replace(value, columns=shared)
    return None


def _collect_value_words(
    facts: TableFacts, shape: TableShape
) -> list[tuple[list[str], dict[str, tuple[str, ...]]]]:
    """The words of values with the columns that have them, the longest first."""
    gathered: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
    for name, values in facts.values.items():
        for value in values:
            if words := tuple(WORDS.findall(fold_script(value.lower()))):
                columns = gathered.setdefault(words, {})
                columns[name] = (*columns.get(name, ()), value)
    for column in shape.columns:
        if column.dtype is DType.BOOLEAN:
            for word, value in _BOOLEANS.items():
                gathered.setdefault((word,), {})[column.name] = (value,)
    return sorted(
        ((list(words), columns) for words, columns in gathered.items()),
        key=lambda item: (-len("".join(item[0])), item[0]),
    )


def _find_meant(
    value: FoundValue, words: Sequence[str], rest: QuestionText, shape: TableShape
) -> FoundValue | None:
    """The value with the columns that can be meant; None if the words mean something else."""
    before, after = rest.original[: value.start], rest.original[value.end :]
    is_common = set(words) <= _COMMON
    is_quoted = before[-1:] in QUOTES and after[:1] in QUOTES and bool(before and after)
    is_verb = set(words) <= _HAN_BOOLEANS and not _ends_condition(before, after)
    for column, spellings in value.columns.items():
        is_unclear = is_verb or (is_common and not _find_trailing_verb(before).strip())
        if _follows_name(before, column) and not is_unclear:
            rest.remove(value.start - len(_find_trailing_verb(before)), value.start)
            return msgspec.structs.replace(value, columns={column: spellings}, is_named=True)
    if is_quoted:
        return value
    if set(words) <= _HAN_BOOLEANS:
        return None
    if EXCLUDED_END.search(before):
        return value
    text = "".join(words)
    if HAN.search(text):
        suffix = _HAN_SUFFIX.match(rest.text[value.end :])
        value = msgspec.structs.replace(value, end=value.end + (suffix.end() if suffix else 0))
        return value if len(text) > 1 or _is_apart(rest, value) else None
    spelled = rest.spelled[value.start : value.end]
    has_capitals = len(text) > 1 and spelled.isupper() and not rest.spelled.isupper()
    is_exact = has_capitals and any(spelled in spellings for spellings in value.columns.values())
    if text.isdigit():
        return None
    if len(text) < SHORT_VALUE or is_common:
        return value if is_exact else None
    is_name = len(words) == 1 and any(has_word(c.name, words[0]) for c in shape.columns)
    is_table = re.fullmatch(build_name_pattern(shape.name) or REMOVED, text) is not None
    return None if (is_name or is_table) and not is_exact else value


def _ends_condition(before: str, after: str) -> bool:
    """Whether 是 or 否 can be a value behind the name of its column, and no verb: 会员为是."""
    if before.endswith("是"):  # 会员是否
        return False
    if _HAN_IS_END.search(before):
        return not _HAN_ASKED_NEXT.match(after)
    return bool(_HAN_VALUE_NEXT.match(after) or EXCLUDED_NEXT.match(after))


def _follows_name(before: str, column: str) -> bool:
    """Whether the text before a value ends with the name of its column."""
    pattern = (
        build_words_pattern(WORDS.findall(fold_script(column.lower())))
        if WORDS.search(column)
        else ""
    )
    head = before[: len(before) - len(_find_trailing_verb(before))]
    return bool(pattern) and re.search(rf"(?:{pattern})$", head) is not None


def _find_trailing_verb(before: str) -> str:
    match = _IS_END.search(before)
    return match.group() if match else ""


def _is_apart(rest: QuestionText, value: FoundValue) -> bool:
    """Whether a single character stands between words that were read, or at an edge."""
    before = rest.text[value.start - 1 : value.start] if value.start else ""
    after = rest.text[value.end : value.end + 1]
    return all(not each or each in _HAN_BOUND for each in (before, after))


def make_value_conditions(
    found: Sequence[FoundValue], rest: QuestionText
) -> tuple[list[ValueCondition], list[UnappliedWords]]:
    """One condition for the values of each column that are drawn, and one for those left out."""
    kept: dict[tuple[str, bool], list[str]] = {}
    unapplied: list[UnappliedWords] = []
    marked = list(_mark_excluded(found, rest))
    unread = find_unread(rest)
    refused = _find_refused(found, unread, rest)
    for value, is_excluded in marked:
        columns = _choose_columns(value, found, rest.original)
        if value.start in refused:
            rest.remove(value.start, value.end)
            unapplied.append(UnappliedWords(value.words, Note.NOT_READ))
        elif not is_excluded and _is_compared(value, found, rest):
            unapplied.append(UnappliedWords(value.words, Note.VALUE_COMPARED))
        elif longer := find_touching(unread, value.start, value.end, rest, is_name=True):
            unapplied.append(UnappliedWords(rest.spelled[slice(*longer)], Note.NOT_READ))
            rest.remove(*longer)
        elif len(columns) > 1:
            names = {"columns": ", ".join(columns)}
            unapplied.append(UnappliedWords(value.words, Note.VALUE_IN_COLUMNS, names))
        else:
            ((column, spellings),) = columns.items()
            kept.setdefault((column, is_excluded), []).extend(spellings)
    conditions = [
        ValueCondition(column, tuple(dict.fromkeys(values)), is_excluded)
        for (column, is_excluded), values in kept.items()
    ]
    return conditions, unapplied


def _find_refused(
    found: Sequence[FoundValue], unread: Sequence[TextSpan], rest: QuestionText
) -> set[int]:
    """Where values of a list begin before which an unread word stands: `no North or South`."""
    refused: set[int] = set()
    for first, *others in _join_lists(found, rest):
        longer = find_touching(unread, first.start, first.end, rest, is_name=True)
        if longer is not None and longer[0] < first.start:
            refused |= {value.start for value in others}
    return refused


def _is_compared(value: FoundValue, found: Sequence[FoundValue], rest: QuestionText) -> bool:
    """Whether others are to be compared with this value, the only one of its column."""
    if OTHERS.search(rest.text):
        return True
    is_only = all(other is value or not set(other.columns) & set(value.columns) for other in found)
    before = UNCLEAR_END.search(rest.original[: value.start])
    if before is not None and is_only:
        rest.remove(*before.span())
    return before is not None and is_only


def _mark_excluded(
    found: Sequence[FoundValue], rest: QuestionText
) -> Iterator[tuple[FoundValue, bool]]:
    """Each value with whether it is left out; a list is left out as a whole."""
    for values in _join_lists(found, rest):
        start, end = values[0].start, values[-1].end
        opening = EXCLUDED_END.search(rest.original[:start])
        closing = EXCLUDED_NEXT.match(rest.original[end:])
        if opening is not None:
            rest.remove(opening.start(), start)
        if closing is not None:
            rest.remove(end, end + closing.end())
        for first, second in pairwise(values):
            gap = rest.original[first.end : second.start]
            if set(first.columns) & set(second.columns) or not EITHER.search(gap):
                rest.remove(first.end, second.start)
        for value in values:
            yield value, opening is not None or closing is not None


def _join_lists(found: Sequence[FoundValue], rest: QuestionText) -> list[list[FoundValue]]:
    """Values that are joined by `and`, `or` or a comma."""
    lists: list[list[FoundValue]] = []
    for value in found:
        if lists and _LIST.match(rest.original[lists[-1][-1].end : value.start]):
            lists[-1].append(value)
        else:
            lists.append([value])
    return lists


def _choose_columns(
    value: FoundValue, found: Sequence[FoundValue], text: str
) -> Mapping[str, tuple[str, ...]]:
    """The columns of a value; those of its neighbours in a list, if these are clear."""
    if len(value.columns) == 1:
        return value.columns
    for other in found:
        first, last = sorted((value, other), key=lambda each: each.start)
        is_listed = other is not value and _LIST.match(text[first.end : last.start]) is not None
        shared = {c: s for c, s in value.columns.items() if c in other.columns}
        if is_listed and len(other.columns) == 1 and shared:
            return shared
    return value.columns
