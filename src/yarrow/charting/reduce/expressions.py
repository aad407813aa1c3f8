"""SQL expressions for the values of a field: dates of one spelling, dates and numbers in bins."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from yarrow.charting.dates import normalise_date, truncate_date
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame, clean_values
from yarrow.charting.model import DType
from yarrow.charting.notes import Note
from yarrow.charting.reduce.source import ChartSource, RelationSource, parse_moment
from yarrow.charting.words import ChartWords
from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name, quote_text

SPELLINGS_MAX = 20_000
"""Texts of dates that are brought into one spelling before grouping."""
UNIT_SECONDS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86_400.0,
    "week": 604_800.0,
    "month": 2_629_800.0,
    "quarter": 7_889_400.0,
    "year": 31_557_600.0,
    "decade": 315_576_000.0,
}
_LABELS = {
    "month": "strftime({}, '%Y-%m')",
    "quarter": "year({0}) || '-Q' || quarter({0})",
    "year": "strftime({}, '%Y')",
    "decade": "strftime({}, '%Y')",
    **dict.fromkeys(("day", "week"), "strftime({}, '%Y-%m-%d')"),
}
"""How a bin is written on an axis of separate places."""
BINS_IN_TIME = 120
"""On an axis of separate places; once moments are binned, bins should be readable."""
LONGER_UNITS = {"day": "month", "week": "month", "month": "quarter", "quarter": "year"}
TEXT_UNITS = frozenset({"year", "quarter", "month", "week", "day"})
STEPS = (1, 2, 2.5, 5, 10)
FLOAT_ROUNDING, ROUNDING_MAX = 1e-15, 1e-3
"""Of a quotient of floats, relative to it; and of a bin at most."""
EDGE_DIGITS = 15


class FieldExpression(Struct, frozen=True):
    """A field and the expression of its value; `note` says what the expression groups, and `unit`
    is the unit of time by which it does."""

    field: ChartField
    sql: str
    note: str = ""
    unit: str = ""


def make_plain_expression(field: ChartField) -> FieldExpression:
    return FieldExpression(field, quote_name(field.name))


def read_unit(frame: ChartFrame) -> str:
    """The unit of time that the request names; empty if none."""
    unit = frame.config.get("timeUnit")
    return unit if isinstance(unit, str) and unit in UNIT_SECONDS else ""


def note_unused_unit(frame: ChartFrame) -> ChartFrame:
    """A note if the request names a unit of time by which nothing is grouped."""
    unit = read_unit(frame)
    has_numbers = any(field.dated and field.numeric for field in frame.fields.values())
    if unit in {"", frame.time_unit} or has_numbers:
        return frame
    return frame.with_note(Note.UNIT_UNUSED, unit=frame.words.units.get(unit, unit))


def note_expression(frame: ChartFrame, expression: FieldExpression) -> ChartFrame:
    """The frame with what the expression groups, as its note and its unit of time."""
    notes = (*frame.notes, expression.note) if expression.note else frame.notes
    return replace(frame, notes=notes, time_unit=expression.unit or frame.time_unit)


def _note_time(field: ChartField, words: ChartWords, unit: str) -> str:
    return words.note(Note.TIME_BINNED, field=field.title, unit=words.units.get(unit, unit))


def make_key_expression(
    frame: ChartFrame, source: ChartSource, key: ChartField, *, most: int, most_numbers: int
) -> tuple[FieldExpression, ChartSource]:
    """The expression of a field that divides rows, by the unit of time that the request names, and
    the source that has its columns."""
    unit = read_unit(frame)
    expression = make_bin_expression(
        key, source, frame.words, most=most, most_numbers=most_numbers, unit=unit
    )
    clean = partial(clean_values, field=key)
    expression, relation = respell_dates(source, expression, clean, frame.words, unit=unit)
    if relation != source.relation:
        source = RelationSource(source, relation, source.row_count)
    return expression, source


def make_bin_expression(
    field: ChartField,
    source: ChartSource,
    words: ChartWords,
    *,
    most: int,
    most_numbers: int,
    unit: str = "",
) -> FieldExpression:
    """The value, in bins if the field has more than `most` moments or `most_numbers` numbers, or
    if it is a time and a unit is named."""
    if field.dated and field.dtype in {DType.DATE, DType.DATETIME}:
        if unit:
            return _truncate_time(field, words, unit)
        if field.distinct > most and _count_distinct(source, field, most) > most:
            return _bin_time(field, words, min(most, BINS_IN_TIME) if field.is_discrete else most)
    if field.measures and field.distinct > most_numbers:
        return _bin_number(field, words, most_numbers)
    return make_plain_expression(field)


def _count_distinct(source: ChartSource, field: ChartField, most: int) -> int:
    """About how many moments there are: `distinct` is the span of time, in which months of many
    rows are few. All rows are read only if fewer than `most` were found in a part of them."""
    if field.distinct_found > most:
        return field.distinct_found
    column = quote_name(field.name)
    ((count,),) = source.run(f"SELECT approx_count_distinct({column}) FROM {source.relation}")
    return int(str(count))


def respell_dates(
    source: ChartSource,
    expression: FieldExpression,
    clean: Callable[[list[JsonValue]], list[JsonValue]],
    words: ChartWords,
    *,
    unit: str = "",
) -> tuple[FieldExpression, str]:
    """Texts of dates in one spelling, if several spellings mean one date or one unit of time.

    The second value is the relation to select from: it has the spellings.
    """
    field = expression.field
    if not field.dated or field.dtype is not DType.STRING:
        return expression, source.relation
    column = quote_name(field.name)
    spellings = source.run(
        f"SELECT DISTINCT {column} FROM {source.relation} WHERE {column} IS NOT NULL "
        f"LIMIT {SPELLINGS_MAX + 1}"
    )
    texts = [text for (text,) in spellings]
    if unit in TEXT_UNITS and len(texts) > SPELLINGS_MAX:
        return _truncate_texts(source, expression, words, unit), source.relation
    cleaned = clean(texts)
    if unit in TEXT_UNITS and not _are_longer(cleaned, unit):
        cleaned = [_truncate_text(text, unit, field) for text in cleaned]
        expression = replace(expression, note=_note_time(field, words, unit), unit=unit)
    is_unchanged = not expression.unit and len(set(cleaned)) == len(texts)
    if len(texts) > SPELLINGS_MAX or is_unchanged:
        return expression, source.relation
    table, spelled = quote_name(f"_spelling_{field.key}"), quote_name(f"_{field.key}_spelled")
    source.run(
        f"CREATE OR REPLACE TEMP TABLE {table} AS "
        f"SELECT unnest(?::VARCHAR[]) AS raw, unnest(?::VARCHAR[]) AS {spelled}",
        [texts, cleaned],
    )
    relation = (
        f"(SELECT r.*, {spelled} FROM {source.relation} AS r "
        f"LEFT JOIN {table} AS s ON r.{column} = s.raw)"
    )
    return replace(expression, sql=spelled), relation


def _are_longer(dates: Sequence[JsonValue], unit: str) -> bool:
    """Whether all dates begin a period that is longer than the unit: months have no weeks."""
    if (period := LONGER_UNITS.get(unit)) is None:
        return False
    days = [day for date in dates if date is not None and (day := normalise_date(date))]
    return bool(days) and all(truncate_date(day, period).startswith(day) for day in days)


def _truncate_texts(
    source: ChartSource, expression: FieldExpression, words: ChartWords, unit: str
) -> FieldExpression:
    """The unit of very many texts, if DuckDB reads all of them as moments; else as they are."""
    column = quote_name(expression.field.name)
    moment = f"TRY_CAST(replace({column}, '/', '-') AS TIMESTAMP)"
    ((unread,),) = source.run(
        f"SELECT count(*) FROM {source.relation} WHERE {moment} IS NULL AND {column} IS NOT NULL"
    )
    return expression if unread else _truncate_time(expression.field, words, unit, moment)


def _truncate_text(text: JsonValue, unit: str, field: ChartField) -> JsonValue:
    """The beginning of the unit of a date; on an axis of separate places, its label."""
    if not isinstance(text, str) or (day := normalise_date(text)) is None:
        return text
    first = truncate_date(day, unit)
    if not field.is_discrete or unit in {"day", "week"}:
        return first
    if unit == "quarter":
        return f"{first[:4]}-Q{(int(first[5:7]) - 1) // 3 + 1}"
    return first[: len("2024") if unit == "year" else len("2024-03")]


def name_other(source: ChartSource, kept: str, other: str, omitted: int) -> str:
    """The name of the gathered values; with their number if a `name` of `kept` is the same."""
    same = source.run(f"SELECT 1 FROM {kept} WHERE name::VARCHAR = {quote_text(other)}")
    return f"{other} ({omitted})" if same else other


def _bin_time(field: ChartField, words: ChartWords, most: int) -> FieldExpression:
    low, high = parse_moment(field.low), parse_moment(field.high)
    if low is None or high is None:
        return make_plain_expression(field)
    span = (high - low).total_seconds()
    units = [unit for unit, seconds in UNIT_SECONDS.items() if span / seconds <= most]
    return _truncate_time(field, words, units[0] if units else "decade")


def _truncate_time(
    field: ChartField, words: ChartWords, unit: str, moment: str = ""
) -> FieldExpression:
    trunc = f"date_trunc('{unit}', {moment or quote_name(field.name)})"
    label = _LABELS.get(unit)
    sql = label.format(trunc) if label and field.is_discrete else trunc
    if label and not field.is_discrete:
        sql = f"{trunc}::DATE"  # whole days: a third of the time to write and read them
    return FieldExpression(field, sql, _note_time(field, words, unit), unit)


def _bin_number(field: ChartField, words: ChartWords, most: int) -> FieldExpression:
    step = choose_bin_size(field.low, field.high, most)
    if step is None:
        return make_plain_expression(field)
    note = words.note(Note.NUMBER_BINNED, field=field.title, step=f"{step:g}")
    return FieldExpression(field, f"{bin_number_sql(field, step)} * {step!r}", note)


def bin_number_sql(field: ChartField, step: float) -> str:
    """The number of a value's bin, as whole floats.

    0.3 / 0.1 is below 3: a quotient that is whole but for the rounding of floats is taken as whole.
    """
    largest = max(abs(float(str(end))) for end in (field.low, field.high))
    rounding = min(ROUNDING_MAX, largest / step * FLOAT_ROUNDING)
    return f"floor({quote_name(field.name)} / {step!r} + {rounding!r})"


def round_edge(value: float) -> float:
    """The edge of a bin without the last digit of a float, which is rounding."""
    return float(f"{value:.{EDGE_DIGITS}g}")


def choose_bin_size(
    low: JsonValue, high: JsonValue, most: int, *, steps: Sequence[float] = STEPS
) -> float | None:
    """The smallest round step that divides the range into at most `most` bins."""
    if not isinstance(low, int | float) or not isinstance(high, int | float) or high <= low:
        return None
    raw = high / most - low / most  # finite, however far apart they are
    if raw <= 0:
        return None  # long integers that are one as floats
    power = 10.0 ** math.floor(math.log10(raw))
    return next(round_edge(step * power) for step in steps if step * power >= raw * (1 - 1e-9))
