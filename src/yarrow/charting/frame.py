"""Rows and fields of a chart that is not drawn yet, and the form of its values."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.charting.dates import (
    has_days_first,
    is_whole_day,
    label_periods,
    normalise_date,
)
from yarrow.charting.errors import ChartWithoutNumbers, ChartWithoutRows
from yarrow.charting.fields import ChartField
from yarrow.charting.model import (
    ChartChannel,
    ChartLanguage,
    ChartReduction,
    ChartSize,
    ChartType,
    FieldKind,
    SemanticType,
    VegaSpec,
)
from yarrow.charting.notes import Note
from yarrow.charting.words import WORDS, ChartWords
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue

SECONDS_BELOW = 1e11
"""A timestamp below it is in seconds (until the year 5138), above in milliseconds (from 1973)."""

NAMELESS = "–"
EXACT_INT = 2**53
"""Larger integers lose digits in JavaScript; as names they are texts."""
MAX_INT = 2**63 - 1


def clean_rows(
    rows: list[JsonObject], fields: Iterable[ChartField], others: Mapping[str, str]
) -> list[JsonObject]:
    """The rows with dates and labels of one form; keys that are no field stay as they are, and so
    do the names of gathered series, by key."""
    columns = {
        field.key: _clean_column([row[field.key] for row in rows], field, others.get(field.key))
        for field in fields
        if rows and field.key in rows[0]
    }
    cleaned = zip(rows, zip(*columns.values(), strict=True), strict=True) if columns else ()
    return [row | dict(zip(columns, values, strict=True)) for row, values in cleaned] or rows


def clean_values(values: list[JsonValue], field: ChartField) -> list[JsonValue]:
    """The values of one field as a chart writes them."""
    return _clean_column(values, field)


def _to_plain(value: JsonValue) -> JsonValue:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, int) and abs(value) > EXACT_INT:
        return str(value)
    return value if value is None or isinstance(value, str | int) else str(value)


def _to_number(value: JsonValue) -> JsonValue:
    """A measured value; JSON has no place for longer integers."""
    if type(value) is int:
        return value if abs(value) <= MAX_INT else float(value)
    return value if type(value) is float and isfinite(value) else None


def _clean_column(
    values: list[JsonValue], field: ChartField, other: str | None = None
) -> list[JsonValue]:
    if field.dated:
        dates = _clean_dates([_to_plain(value) for value in values], field)
        return [other if v == other else d for v, d in zip(values, dates, strict=True)]
    if field.kind is FieldKind.QUANTITATIVE:
        return [_to_number(value) for value in values]
    return _clean_labels([_to_plain(value) for value in values])


def _clean_dates(values: list[JsonValue], field: ChartField) -> list[JsonValue]:
    if field.numeric and field.meaning is not SemanticType.YEAR and not _has_dates(values):
        return [_to_milliseconds(value) for value in values]
    known: dict[JsonValue, str | None] = dict.fromkeys(values)
    days_first = has_days_first(known) if field.days_first is None else field.days_first
    for value in known:
        known[value] = None if value is None else normalise_date(value, days_first=days_first)
    if any(date and not is_whole_day(date) for date in known.values()):
        known = {v: f"{d}T00:00:00" if d and is_whole_day(d) else d for v, d in known.items()}
    elif field.is_discrete:
        known |= label_periods(known, days_first=days_first)
    return [known[value] for value in values]


def _has_dates(values: Iterable[JsonValue]) -> bool:
    return any(normalise_date(value) for value in values if value is not None)


def _to_milliseconds(value: JsonValue) -> JsonValue:
    if isinstance(value, int | float) and abs(value) < SECONDS_BELOW:
        return value * 1000
    return value


def _clean_labels(values: list[JsonValue]) -> list[JsonValue]:
    """Drop the time of timestamps if all are midnight; convert values of mixed types to text."""
    if all(value is None or (isinstance(value, str) and "T00:00:00" in value) for value in values):
        return [value and str(value).partition("T")[0] for value in values]
    kinds = {type(value) for value in values} - {type(None)}
    return [_as_text(value) for value in values] if len(kinds) > 1 or bool in kinds else values


def _as_text(value: JsonValue) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def name_nulls(values: Sequence[JsonValue]) -> list[JsonValue]:
    """The values as texts, a dash for null: Vega would write `null`, and mix up the colours.

    If a value is a dash itself, nulls get another name.
    """
    name = NAMELESS
    while name in values:
        name += " (null)"
    return [name if value is None else str(value) for value in values]


def list_numbers(rows: Iterable[JsonObject], key: str) -> list[float]:
    """The values of a quantitative field that are not null."""
    return [value for row in rows if isinstance(value := row.get(key), int | float)]


def read_number(row: JsonMapping, key: str) -> float:
    """The value of a quantitative field; zero if it is null."""
    value = row.get(key)
    return value if isinstance(value, int | float) else 0


def list_distinct_values(rows: Iterable[JsonObject], key: str) -> list[JsonValue]:
    """Distinct values that are not null, in the order of their first appearance."""
    return [value for value in dict.fromkeys(row.get(key) for row in rows) if value is not None]


class ChartFrame(Struct, frozen=True):
    """The resolved fields and clean rows of a chart that is not drawn yet."""

    chart_type: ChartType
    fields: Mapping[ChartChannel, ChartField]
    rows: list[JsonObject]
    config: JsonObject
    size: ChartSize
    notes: tuple[str, ...] = ()
    domains: Mapping[str, list[JsonValue]] = field(default_factory=dict)
    """By data key: the values of a trimmed axis; the last one is the label of the omitted ones."""
    others: Mapping[str, str] = field(default_factory=dict)
    """By data key: the name of the series that gathers the small ones."""
    words: ChartWords = WORDS[ChartLanguage.EN]
    reduction: ChartReduction = field(default_factory=ChartReduction)
    has_dropped_places: bool = False
    """Whether places are missing because the chart cannot draw their values."""
    fraction_metrics: frozenset[str] = frozenset()
    """The metrics of cards whose values are fractions that are written in percent."""
    time_unit: str = ""
    """The unit of time by which rows are grouped; empty if by none."""

    def get(self, channel: ChartChannel) -> ChartField | None:
        return self.fields.get(channel)

    def need(self, channel: ChartChannel) -> ChartField:
        return self.fields[channel]

    def numbers(self, field: ChartField) -> list[float]:
        return list_numbers(self.rows, field.key)

    def values(self, field: ChartField) -> list[JsonValue]:
        return list_distinct_values(self.rows, field.key)

    def keys(self, *channels: ChartChannel) -> list[str]:
        """The data keys of the fields in these channels, each once."""
        keys = (self.fields[channel].key for channel in channels if channel in self.fields)
        return list(dict.fromkeys(keys))

    def with_field(self, channel: ChartChannel, field: ChartField) -> "ChartFrame":
        return replace(self, fields={**self.fields, channel: field})

    def with_note(self, note: Note, **values: object) -> "ChartFrame":
        return replace(self, notes=(*self.notes, self.words.note(note, **values)))

    def with_rows(self, rows: list[JsonObject]) -> "ChartFrame":
        return replace(self, rows=rows)


class ChartMarks(Struct, frozen=True):
    """The part of a spec below data and facets: a mark with its encoding, or layers."""

    body: VegaSpec
    frame: ChartFrame
    """With the rows and notes that drawing changed."""


def require_measure(frame: ChartFrame, *channels: ChartChannel) -> None:
    """Raise unless the fields in these channels have numbers."""
    for channel in channels:
        field = frame.need(channel)
        if not field.measures or not frame.numbers(field):
            raise ChartWithoutNumbers(field.title)


def require_rows(frame: ChartFrame, *fields: ChartField) -> None:
    """Raise if no rows are left after those without values were dropped."""
    if not frame.rows:
        names = ", ".join(field.title for field in fields)
        raise ChartWithoutRows(f"no row has a value for {names}")


def find_measure_axis(frame: ChartFrame) -> ChartChannel:
    """The quantitative axis; y if neither or both are."""
    x = frame.get(ChartChannel.X)
    y = frame.get(ChartChannel.Y)
    return ChartChannel.X if x and x.measures and not (y and y.measures) else ChartChannel.Y


def other_axis(channel: ChartChannel) -> ChartChannel:
    return ChartChannel.X if channel is ChartChannel.Y else ChartChannel.Y
