"""Rows and fields of a chart: clean, aggregate and trim them before drawing."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from yarrow.charting.columns import AVERAGED, IN_TIME
from yarrow.charting.dates import (
    are_years,
    has_days_first,
    is_whole_day,
    label_periods,
    normalise_date,
)
from yarrow.charting.errors import ChartWithoutNumbers, ChartWithoutRows
from yarrow.charting.fields import ChartField, make_field
from yarrow.charting.model import (
    ChartChannel,
    ChartLanguage,
    ChartSize,
    ChartType,
    FieldKind,
    SemanticType,
    VegaSpec,
)
from yarrow.charting.value_order import sort_values
from yarrow.charting.words import WORDS, ChartWords
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue

SECONDS_BELOW = 1e11
"""A timestamp below it is in seconds (until the year 5138), above in milliseconds (from 1973)."""

NAMELESS = "–"


def project(rows: Sequence[JsonMapping], fields: Sequence[ChartField]) -> list[JsonObject]:
    """Rows with only the fields of the chart, as JSON scalars."""
    clean = [_clean_column([row.get(field.name) for row in rows], field) for field in fields]
    keys = [field.key for field in fields]
    return [dict(zip(keys, values, strict=True)) for values in zip(*clean, strict=True)]


def _to_plain(value: JsonValue) -> JsonValue:
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _clean_column(values: list[JsonValue], field: ChartField) -> list[JsonValue]:
    if field.dated:
        return _clean_dates([_to_plain(value) for value in values], field)
    if field.kind is FieldKind.QUANTITATIVE:
        return [v if type(v) is int or (type(v) is float and isfinite(v)) else None for v in values]
    return _clean_labels([_to_plain(value) for value in values])


def _clean_dates(values: list[JsonValue], field: ChartField) -> list[JsonValue]:
    if field.numeric and field.meaning is not SemanticType.YEAR and not _mostly_years(values):
        return [_milliseconds(value) for value in values]
    known: dict[JsonValue, str | None] = dict.fromkeys(values)
    days_first = has_days_first(known)
    for value in known:
        known[value] = None if value is None else normalise_date(value, days_first=days_first)
    if any(date and not is_whole_day(date) for date in known.values()):
        known = {v: f"{d}T00:00:00" if d and is_whole_day(d) else d for v, d in known.items()}
    elif field.is_discrete:
        known |= label_periods(known, days_first=days_first)
    return [known[value] for value in values]


def _mostly_years(values: Iterable[JsonValue]) -> bool:
    return any(normalise_date(value) for value in values if value is not None)


def _milliseconds(value: JsonValue) -> JsonValue:
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


def name_nulls(rows: list[JsonObject], keys: Sequence[str]) -> list[JsonObject]:
    """Replace nulls by a dash: Vega would write `null`, and mix up the colours."""
    for key in keys:
        if any(row[key] is None for row in rows):
            rows = [row | {key: _name_null(row[key])} for row in rows]
    return rows


def _name_null(value: JsonValue) -> JsonValue:
    return NAMELESS if value is None else str(value)


def drop_null_rows(rows: list[JsonObject], keys: Sequence[str]) -> list[JsonObject]:
    """The rows in which all of these keys have a value."""
    for key in keys:
        rows = [row for row in rows if row.get(key) is not None]
    return rows


def numbers(rows: Iterable[JsonObject], key: str) -> list[float]:
    """The values of a quantitative field that are not null."""
    return [value for row in rows if isinstance(value := row.get(key), int | float)]


def read_number(row: JsonMapping, key: str) -> float:
    """The value of a quantitative field; zero if it is null."""
    value = row.get(key)
    return value if isinstance(value, int | float) else 0


def distinct_values(rows: Iterable[JsonObject], key: str) -> list[JsonValue]:
    """Distinct values that are not null, in the order of their first appearance."""
    return [value for value in dict.fromkeys(row.get(key) for row in rows) if value is not None]


def has_repeats(rows: Sequence[JsonObject], keys: Sequence[str]) -> bool:
    """Whether two rows have the same values of these keys."""
    return len({tuple(row.get(key) for key in keys) for row in rows}) < len(rows)


def combine_rows(
    rows: Sequence[JsonObject], keys: Sequence[str], measure: ChartField
) -> list[JsonObject]:
    """One row for each combination of keys, with the sum of the measure, or its mean."""
    groups: dict[tuple[JsonValue, ...], list[float]] = defaultdict(list)
    for row in rows:
        group = groups[tuple(row.get(key) for key in keys)]
        value = row.get(measure.key)
        if isinstance(value, int | float):
            group.append(value)
    fold = choose_aggregate(measure)
    return [
        {**dict(zip(keys, place, strict=True)), measure.key: fold(group) if group else None}
        for place, group in groups.items()
    ]


def choose_aggregate(measure: ChartField) -> Callable[[Sequence[float]], float]:
    return _mean if measure.meaning in AVERAGED else sum


def aggregate_word(measure: ChartField) -> str:
    return "averaged" if measure.meaning in AVERAGED else "summed"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def count_rows(rows: Sequence[JsonObject], keys: Sequence[str], count_key: str) -> list[JsonObject]:
    """One row for each combination of keys, with the number of rows."""
    groups: dict[tuple[JsonValue, ...], int] = defaultdict(int)
    for row in rows:
        groups[tuple(row.get(key) for key in keys)] += 1
    return [{**dict(zip(keys, place, strict=True)), count_key: n} for place, n in groups.items()]


def sum_by_value(
    rows: Iterable[JsonObject], key: str, measure_key: str | None
) -> dict[JsonValue, float]:
    """For each value of a field the sum of a measure, or the number of rows."""
    weights: dict[JsonValue, float] = defaultdict(float)
    for row in rows:
        value = row.get(key)
        if value is None:
            continue
        weight = row.get(measure_key) if measure_key else 1
        weights[value] += weight if isinstance(weight, int | float) else 0
    return dict(weights)


@dataclass(frozen=True, slots=True)
class ChartFrame:
    """The resolved fields and clean rows of a chart that is not drawn yet."""

    chart_type: ChartType
    fields: Mapping[ChartChannel, ChartField]
    rows: list[JsonObject]
    config: JsonObject
    size: ChartSize
    notes: tuple[str, ...] = ()
    domains: Mapping[str, list[JsonValue]] = field(default_factory=dict)
    """By data key: the values of a trimmed axis; the last one is the label of the omitted ones."""
    words: ChartWords = WORDS[ChartLanguage.EN]

    def get(self, channel: ChartChannel) -> ChartField | None:
        return self.fields.get(channel)

    def need(self, channel: ChartChannel) -> ChartField:
        return self.fields[channel]

    def numbers(self, field: ChartField) -> list[float]:
        return numbers(self.rows, field.key)

    def values(self, field: ChartField) -> list[JsonValue]:
        return distinct_values(self.rows, field.key)

    def keys(self, *channels: ChartChannel) -> list[str]:
        """The data keys of the fields in these channels, each once."""
        keys = (self.fields[channel].key for channel in channels if channel in self.fields)
        return list(dict.fromkeys(keys))

    def with_field(self, channel: ChartChannel, field: ChartField) -> "ChartFrame":
        return replace(self, fields={**self.fields, channel: field})

    def with_note(self, note: str) -> "ChartFrame":
        return replace(self, notes=(*self.notes, note))

    def with_rows(self, rows: list[JsonObject]) -> "ChartFrame":
        return replace(self, rows=rows)


@dataclass(frozen=True, slots=True)
class Drawing:
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


PLACES_MAX = 68
FACETS_MAX = 20
COUNT_KEY = "_count"


def find_measure_axis(frame: ChartFrame) -> ChartChannel:
    """The quantitative axis; y if neither or both are."""
    x = frame.get(ChartChannel.X)
    y = frame.get(ChartChannel.Y)
    return ChartChannel.X if x and x.measures and not (y and y.measures) else ChartChannel.Y


def other_axis(channel: ChartChannel) -> ChartChannel:
    return ChartChannel.X if channel is ChartChannel.Y else ChartChannel.Y


def ensure_measure(frame: ChartFrame, channel: ChartChannel) -> ChartFrame:
    """Aggregate the field in this channel; if it is not quantitative, count rows instead."""
    field = frame.get(channel)
    if field is not None and field.measures:
        return combine_repeats(frame, channel)
    keys = frame.keys(*(other for other in frame.fields if other is not channel))
    count = make_field(COUNT_KEY, frame.words.count)
    reason = f"{field.title} holds no numbers; " if field else ""
    return (
        frame.with_rows(count_rows(frame.rows, keys, count.key))
        .with_field(channel, count)
        .with_note(f"{reason}rows are counted")
    )


def combine_repeats(frame: ChartFrame, channel: ChartChannel) -> ChartFrame:
    """Combine rows with equal values of all other fields, so that marks do not overlap."""
    measure = frame.need(channel)
    keys = [key for key in frame.keys(*frame.fields) if key != measure.key]
    if not has_repeats(frame.rows, keys):
        return frame
    return frame.with_rows(combine_rows(frame.rows, keys, measure)).with_note(
        f"{measure.title} is {aggregate_word(measure)} where several rows share a place"
    )


def drop_nulls(frame: ChartFrame, channels: Iterable[ChartChannel]) -> ChartFrame:
    return frame.with_rows(drop_null_rows(frame.rows, frame.keys(*channels)))


def trim(frame: ChartFrame) -> ChartFrame:
    """Keep the 68 largest values of discrete axes and the 20 largest facets."""
    for channel in (ChartChannel.X, ChartChannel.Y):
        frame = _trim_axis(frame, channel)
    for channel in (ChartChannel.ROW, ChartChannel.COLUMN):
        frame = _trim_facets(frame, channel)
    return frame


def _trim_axis(frame: ChartFrame, channel: ChartChannel) -> ChartFrame:
    field = frame.get(channel)
    if field is None or not field.is_discrete or _is_in_time(frame, field):
        return frame
    if frame.chart_type is ChartType.WATERFALL:
        return frame  # every step depends on those before it
    kept, omitted = _find_largest(frame, field, PLACES_MAX)
    if not omitted:
        return frame
    label = frame.words.omitted.format(omitted)
    places = sort_values(kept, field.meaning) if field.has_order else list(kept)
    note = f"{field.title}: the {len(kept)} largest are shown, {omitted} items omitted"
    rows = _filter_rows(frame, field, kept)
    domains = {**frame.domains, field.key: [*places, f"… {label}"]}
    return replace(frame.with_rows(rows).with_note(note), domains=domains)


def _is_in_time(frame: ChartFrame, field: ChartField) -> bool:
    """Axes of time are not trimmed: a gap would be misleading."""
    return field.dated or field.meaning in IN_TIME or are_years(frame.values(field))


def _trim_facets(frame: ChartFrame, channel: ChartChannel) -> ChartFrame:
    field = frame.get(channel)
    if field is None:
        return frame
    kept, omitted = _find_largest(frame, field, FACETS_MAX)
    if not omitted:
        return frame
    note = f"{field.title}: {len(kept)} panels are shown, {omitted} items omitted"
    return frame.with_rows(_filter_rows(frame, field, kept)).with_note(note)


def _find_largest(frame: ChartFrame, field: ChartField, most: int) -> tuple[list[JsonValue], int]:
    """The values with the largest sums, and the number of others."""
    weights = sum_by_value(frame.rows, field.key, _find_measure_key(frame, field))
    order = sorted(weights, key=lambda value: -weights[value])
    return order[:most], max(0, len(order) - most)


def _find_measure_key(frame: ChartFrame, field: ChartField) -> str | None:
    measures = (f for f in frame.fields.values() if f.measures and f.key != field.key)
    measure = next(measures, None)
    return measure.key if measure else None


def _filter_rows(frame: ChartFrame, field: ChartField, kept: list[JsonValue]) -> list[JsonObject]:
    keep = set(kept)
    return [row for row in frame.rows if row.get(field.key) in keep]
