"""Find columns of text that are numbers or dates as people write them, and how to convert them.

`$1,200`, `12%`, `1.234,56`, `(300)` and 1.5亿 become numbers, `01/02/2024` a date. A column is
converted only if all its cells have the form, and a note says how they were read.
"""

from collections.abc import Callable, Sequence, Set
from enum import StrEnum, auto
from typing import Any

import duckdb
from msgspec import Struct

from yarrow.kit.notes import CodedNote, Fact, write_note
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox.files.cell_sql import all_cells, cell_text, has_match, is_blank, is_match
from yarrow.sandbox.files.date_forms import write_date_expression
from yarrow.sandbox.files.durations import is_duration_like, read_durations
from yarrow.sandbox.files.header import is_code_name
from yarrow.sandbox.files.percent_cells import are_fractions
from yarrow.sandbox.table_notes import Sentence

SAMPLED_ROWS = 1000
"""Only columns whose first cells have a form are checked over the whole file."""

_CURRENCY = r"(?:US\$|[$€£¥￥₹₩]|USD|EUR|GBP|CNY|RMB|JPY|CHF|元)"
_SCALES = {"万亿|萬億": 1e12, "亿|億": 1e8, "千万|千萬": 1e7, "百万|百萬": 1e6, "万|萬": 1e4}
"""What a number is multiplied by, the longer words first."""
_SCALE = "|".join(_SCALES)
_SPACES = r"[ \x{00a0}\x{202f}']"
_COMMA_THOUSANDS = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,3}}(?:{_SPACES}\d{{3}})+|\d+)(?:\.\d+)?"
_DOT_THOUSANDS = rf"(?:\d{{1,3}}(?:\.\d{{3}})+|\d{{1,3}}(?:{_SPACES}\d{{3}})+|\d+)(?:,\d+)?"
_CLOCK = r"[ T]+\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?"
_DATE = rf"(\d{{1,2}})[/.-](\d{{1,2}})[/.-](\d{{4}}|\d{{2}})(?:{_CLOCK})?"
_CHINESE_DATE = r"\d{4}年\d{1,2}月\d{1,2}日"
_YEAR_FIRST = rf"\d{{4}}[/.-]\d{{1,2}}[/.-]\d{{1,2}}(?:{_CLOCK})?"
_NUMBERS_PER_ODD = 2

BOTH_MARKS = r"\.\d{3},|\.\d{3}\."
"""Dots as thousands separators: nothing else has them twice, or before a comma."""
THREE_DIGITS = r"\d\.\d{3}(?:\D|$)"
"""1.500 € may be a thousand and a half: a note shows how it is read."""
BRACKET = r"^\("
CODE = r"^[-+]?0\d|^\+|^-?\d{16,}$"
"""A cell without any mark that would lose digits or its sign as a number."""
SCIENTIFIC = r"[-+]?\d+(?:\.\d+)?[eE][-+]?\d+"
DOTS = r"^\d+\."
CENTURY = r"^\d+[/.-]\d+[/.-]\d{4}"


class CellFormat(Struct, frozen=True):
    """How the text of a column becomes numbers or dates."""

    column: str
    expression: str
    """Empty if the column stays text."""
    note: CodedNote
    is_duration: bool = False
    is_percent: bool = False
    """Its numbers are percentages as written: 12% is 12."""
    has_decimal_comma: bool = False


class CellOptions(Struct, frozen=True):
    """What decides where the cells of a column do not."""

    day_first: bool
    decimal_comma: bool
    """What a comma before three digits is."""
    is_comma_free: bool
    """Cells are not cut at commas, so one before other digits is a decimal comma."""


def find_formats(
    relation: str,
    names: Sequence[str],
    database: duckdb.DuckDBPyConnection,
    options: CellOptions,
    *,
    texts: Set[str],
) -> list[CellFormat]:
    """The formats of the named columns of a relation in which they are text.

    Those that are also `texts` by themselves have a note if they stay text but look like dates.
    """
    if not names:
        return []
    try:
        kinds = _guess_kinds(relation, names, database, texts)
        formats = [
            cell_format
            for name, kind in kinds.items()
            if (cell_format := _read_cells(relation, name, kind, database, options)) is not None
        ]
        others = [name for name in names if name in texts and name not in kinds]
        head = f"(FROM {relation} LIMIT {SAMPLED_ROWS})"
        return [*formats, *_note_odd_cells(head, others, database)]
    except duckdb.Error:
        return []


class _CellKind(StrEnum):
    """What the first cells of a column look like."""

    DATE = auto()
    CHINESE_DATE = auto()
    MIXED_DATE = auto()
    NUMBER = auto()
    DURATION = auto()


def _guess_kinds(
    relation: str, names: Sequence[str], database: duckdb.DuckDBPyConnection, texts: Set[str]
) -> dict[str, _CellKind]:
    kinds: dict[_CellKind, Callable[[str], str]] = {
        _CellKind.DATE: _is_date,
        _CellKind.CHINESE_DATE: _is_chinese_date,
        _CellKind.MIXED_DATE: _is_any_date,
        _CellKind.NUMBER: _is_number_like,
        _CellKind.DURATION: is_duration_like,
    }
    checks = [all_cells(check(name), name) for name in names for check in kinds.values()]
    head = f"(FROM {relation} LIMIT {SAMPLED_ROWS})"
    row = database.execute(f"FROM {head} SELECT {', '.join(checks)}").fetchone() or ()
    guessed: dict[str, _CellKind] = {}
    for position, name in enumerate(names):
        results = row[position * len(kinds) : (position + 1) * len(kinds)]
        for kind, is_so in zip(kinds, results, strict=True):
            if is_so and (kind is not _CellKind.MIXED_DATE or name in texts):
                guessed.setdefault(name, kind)
    return guessed


def _read_cells(
    relation: str,
    name: str,
    kind: _CellKind,
    database: duckdb.DuckDBPyConnection,
    options: CellOptions,
) -> CellFormat | None:
    match kind:
        case _CellKind.DATE:
            dates = _read_dates(relation, name, database, options)
            return dates or _note_mixed_dates(relation, name, database)
        case _CellKind.CHINESE_DATE:
            return _read_chinese_dates(relation, name, database)
        case _CellKind.MIXED_DATE:
            return _note_mixed_dates(relation, name, database)
        case _CellKind.NUMBER:
            numbers = _read_numbers(relation, name, database, options)
            odd = () if numbers else _note_odd_cells(relation, [name], database)
            return next(iter(odd), numbers)
        case _CellKind.DURATION:
            seconds = read_durations(relation, name, database)
            return seconds and CellFormat(name, seconds.expression, seconds.note, is_duration=True)


def _note_mixed_dates(
    relation: str, name: str, database: duckdb.DuckDBPyConnection
) -> CellFormat | None:
    """A note that the column stays text; None if some of its cells are no dates at all."""
    query = f"FROM {relation} SELECT {all_cells(_is_any_date(name), name)}"
    row = database.execute(query).fetchone()
    return _leave_text(Sentence.MIXED_DATES, name) if row and row[0] else None


def _note_odd_cells(
    relation: str, names: Sequence[str], database: duckdb.DuckDBPyConnection
) -> list[CellFormat]:
    """Notes about columns of text that are numbers besides a few cells."""
    odd = {name: f"NOT {is_blank(name)} AND NOT {_is_number_like(name)}" for name in names}
    facts = [
        f"count(*) FILTER ({odd[name]}), count(*) FILTER (NOT {is_blank(name)}), "
        f"first({cell_text(name)}) FILTER ({odd[name]})"
        for name in names
        if not is_code_name(name)
    ]
    listed = [name for name in names if not is_code_name(name)]
    if not facts:
        return []
    row = database.execute(f"FROM {relation} SELECT {', '.join(facts)}").fetchone() or ()
    return [
        _leave_text(Sentence.ODD_CELLS, name, count=count, cells=cells, example=text[:40])
        for name, count, cells, text in zip(listed, row[::3], row[1::3], row[2::3], strict=True)
        if count and count * _NUMBERS_PER_ODD <= cells - count
    ]


def _leave_text(sentence: Sentence, name: str, **facts: int | Fact) -> CellFormat:
    return CellFormat(name, "", write_note(sentence, name=name, **facts))


def _make_pattern(digits: str) -> str:
    sign, unit = r"[-+\x{2212}]?\s*", rf"(?:{_CURRENCY}|[%％])?"
    plain = rf"{sign}{_CURRENCY}?\s*{sign}(?:{digits})\s*(?:{_SCALE})?\s*{unit}"
    return rf"(?:{plain}|\(\s*{plain}\s*\))"


def _is_number_like(name: str) -> str:
    forms = (_make_pattern(_COMMA_THOUSANDS), _make_pattern(_DOT_THOUSANDS), SCIENTIFIC)
    return _matches_any(name, forms)


def _matches_any(name: str, forms: Sequence[str]) -> str:
    return f"({' OR '.join(is_match(name, form) for form in forms)})"


def _is_date(name: str) -> str:
    return is_match(name, _DATE)


def _is_chinese_date(name: str) -> str:
    return is_match(name, _CHINESE_DATE)


def _is_any_date(name: str) -> str:
    return f"({_is_date(name)} OR {is_match(name, _YEAR_FIRST)})"


def _read_numbers(
    relation: str, name: str, database: duckdb.DuckDBPyConnection, options: CellOptions
) -> CellFormat | None:
    """None if the cells have more than one unit, or no sign that they are numbers."""
    row = _find_facts(relation, name, database)
    dots_decide, commas_decide, has_commas, has_both, units, has_bare, example, fillers = row[:8]
    codes, powers, scales = row[8:]
    units = [unit for unit in units or [] if unit is not None]
    named = [unit for unit in units if unit]
    is_plain = example is None
    if has_bare and (len(named) > 1 or (named == ["%"] and "" in units)):
        without = [write_note(Sentence.NO_UNIT)] if "" in units else []
        listed = [*sorted(named), *without]
        return _leave_text(Sentence.DIFFERENT_UNITS, name, units=listed)
    if not has_bare:
        return _leave_text(Sentence.IN_BRACKETS, name) if dots_decide or commas_decide else None
    if (codes or not fillers) if is_plain else powers:
        return None
    is_ambiguous = bool(dots_decide and commas_decide and has_commas)
    has_evidence = has_both or options.is_comma_free or bool(named)
    by_comma = commas_decide and (
        (not dots_decide and has_evidence) or (is_ambiguous and options.decimal_comma)
    )
    if not by_comma and not dots_decide:
        return None
    expression = number_expression(name, decimal="," if by_comma else ".", has_powers=powers)
    expression = _scale_expression(expression, name) if scales else expression
    is_percent = named == ["%"]
    is_small = is_percent and are_fractions(name, expression, relation, database)
    expression = f"round(({expression}) / 100, 12)" if is_small else expression
    expression, too_large = _narrow_to_integers(expression, relation, name, database)
    parts: list[str | CodedNote] = []
    if not is_plain:
        value = str(_convert_example(example, expression, name, database))
        parts.append(write_note(Sentence.NUMBER_READ, example=example, value=value))
    if is_percent:
        parts.append(write_note(Sentence.FRACTIONS if is_small else Sentence.PERCENT))
    if is_ambiguous:
        parts.append(write_note(Sentence.COMMA_DECIMALS if by_comma else Sentence.COMMA_THOUSANDS))
    if fillers:
        parts.append(write_note(Sentence.FILLERS, count=fillers))
    if too_large:
        parts.append(write_note(Sentence.TOO_LARGE, count=too_large))
    return CellFormat(
        name,
        expression,
        write_note(Sentence.COLUMN_READ, name=name, parts=parts),
        is_percent=is_percent and not is_small,
        has_decimal_comma=bool(by_comma and has_commas),
    )


def _find_facts(relation: str, name: str, database: duckdb.DuckDBPyConnection) -> tuple[Any, ...]:
    """What `_read_numbers` decides by."""
    marked = has_match(
        name, rf"{_CURRENCY}|{_SCALE}|[%％(,'\x{{2212}}\x{{00a0}}\x{{202f}}]|\d \d|\d\.\d+\.\d"
    )
    facts = (
        all_cells(_matches_any(name, (_make_pattern(_COMMA_THOUSANDS), SCIENTIFIC)), name),
        all_cells(is_match(name, _make_pattern(_DOT_THOUSANDS)), name),
        f"bool_or({has_match(name, ',')})",
        f"bool_or({has_match(name, BOTH_MARKS)})",
        f"list(DISTINCT {_extract_unit(name)}) FILTER (NOT {is_blank(name)})",
        f"bool_or(NOT {is_blank(name)} AND NOT {has_match(name, BRACKET)})",
        f"coalesce(first({cell_text(name)}) FILTER ({marked} AND {has_match(name, THREE_DIGITS)}), "
        f"first({cell_text(name)}) FILTER (NOT {is_blank(name)} AND {marked}))",
        f"count(*) FILTER ({is_blank(name)} AND {cell_text(name)} <> '')",
        f"bool_or({has_match(name, CODE)})",
        f"bool_or({is_match(name, SCIENTIFIC)})",
        f"bool_or({has_match(name, _SCALE)})",
    )
    row = database.execute(f"FROM {relation} SELECT {', '.join(facts)}").fetchone()
    return row or (None,) * len(facts)


def _extract_unit(name: str) -> str:
    """The currency or the percent sign of a cell; empty without one."""
    unit = f"regexp_extract({cell_text(name)}, {quote_text(f'{_CURRENCY}|[%％]')})"
    return f"replace(replace({unit}, '％', '%'), '￥', '¥')"


def number_expression(name: str, *, decimal: str, has_powers: bool) -> str:
    digits = f"replace(regexp_replace({cell_text(name)}, '[^0-9{decimal}]', '', 'g'), ',', '.')"
    is_negative = has_match(name, r"^\(|[-\x{2212}]")
    if has_powers:
        power = f"ltrim({cell_text(name)}, '+-')"
        digits = f"CASE WHEN {is_match(name, SCIENTIFIC)} THEN {power} ELSE {digits} END"
        is_negative = has_match(name, r"^[-\x{2212}]")
    value = f"nullif(TRY_CAST({digits} AS DOUBLE), 'inf'::DOUBLE)"
    return f"CASE WHEN {is_blank(name)} THEN NULL WHEN {is_negative} THEN -{value} ELSE {value} END"


def _scale_expression(expression: str, name: str) -> str:
    """The numbers multiplied by the word behind them: 1.5亿 is 150000000."""
    factors = [
        f"WHEN {has_match(name, word)} THEN round(({expression}) * {factor}, 4)"
        for word, factor in _SCALES.items()
    ]
    return f"CASE {' '.join(factors)} ELSE {expression} END"


def _narrow_to_integers(
    expression: str, relation: str, name: str, database: duckdb.DuckDBPyConnection
) -> tuple[str, int]:
    """The expression as whole numbers, if all values are; how many are too large for a number."""
    whole = f"bool_and(value = floor(value)) AND max(abs(value)) < {2**53}"
    too_large = "count(*) FILTER (value IS NULL AND NOT is_blank)"
    rows = f"(FROM {relation} SELECT {expression} AS value, {is_blank(name)} AS is_blank)"
    row = database.execute(f"FROM {rows} SELECT {whole}, {too_large}").fetchone()
    is_whole, count = row or (False, 0)
    return f"({expression})::BIGINT" if is_whole else expression, count


def _convert_example(
    example: str, expression: str, name: str, database: duckdb.DuckDBPyConnection
) -> object:
    """What one cell becomes."""
    rows = f"(SELECT ? AS {quote_name(name)})"
    row = database.execute(f"FROM {rows} SELECT {expression}", [example]).fetchone()
    return row[0] if row else None


def _read_dates(
    relation: str, name: str, database: duckdb.DuckDBPyConnection, options: CellOptions
) -> CellFormat | None:
    """Dates whose order a value above twelve decides, else the setting; None if some are none."""
    parts = [
        f"max(TRY_CAST(regexp_extract({cell_text(name)}, {quote_text(_DATE)}, {n}) AS INTEGER))"
        for n in (1, 2)
    ]
    has_dots = f"{is_blank(name)} OR {has_match(name, DOTS)}"
    facts = (
        all_cells(_is_date(name), name),
        *parts,
        f"bool_or({has_match(name, ':')})",
        f"bool_and({has_dots})",
        f"bool_and({is_blank(name)} OR {has_match(name, CENTURY)})",
        f"first({cell_text(name)}) FILTER (NOT {is_blank(name)})",
    )
    row = database.execute(f"FROM {relation} SELECT {', '.join(facts)}").fetchone()
    if row is None or not row[0] or row[1] is None:
        return None
    _, first, second, has_time, is_dotted, has_century, example = row
    if first > 12 and second > 12:
        return None
    is_open = first <= 12 and second <= 12
    day_first = first > 12 or (is_open and (is_dotted or options.day_first))
    expression = write_date_expression(
        name, day_first=day_first, has_time=bool(has_time), has_century=bool(has_century)
    )
    failed = f"count(*) FILTER (NOT {is_blank(name)} AND {expression} IS NULL)"
    counted = database.execute(f"FROM {relation} SELECT {failed}").fetchone()
    if counted is None or counted[0]:
        return None
    by_setting = is_open and not is_dotted
    note = write_note(
        Sentence.DATES_READ,
        name=name,
        order=write_note(Sentence.DAY_FIRST if day_first else Sentence.MONTH_FIRST),
        reason=write_note(Sentence.ORDER_BY_SETTING if by_setting else Sentence.ORDER_BY_VALUES),
        example=example,
        value=str(_convert_example(example, expression, name, database)),
    )
    return CellFormat(name, expression, note)


def _read_chinese_dates(
    relation: str, name: str, database: duckdb.DuckDBPyConnection
) -> CellFormat | None:
    """None if some cells are no such dates."""
    day = f"try_strptime({cell_text(name)}, '%Y年%m月%d日')::DATE"
    expression = f"CASE WHEN {is_blank(name)} THEN NULL ELSE {day} END"
    example = f"first({cell_text(name)}) FILTER (NOT {is_blank(name)})"
    query = f"FROM {relation} SELECT {all_cells(f'{day} IS NOT NULL', name)}, {example}"
    are_dates, text = database.execute(query).fetchone() or (False, None)
    if not are_dates:
        return None
    value = str(_convert_example(text, expression, name, database))
    read = write_note(Sentence.DATE_READ, example=text, value=value)
    return CellFormat(name, expression, write_note(Sentence.COLUMN_READ, name=name, parts=[read]))
