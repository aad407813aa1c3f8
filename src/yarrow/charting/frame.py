"""The rows and fields of a chart, and the steps that reduce them before it is drawn."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from yarrow.charting.columns import AVERAGED, IN_TIME
from yarrow.charting.dates import are_years, canonical, has_days_first, is_whole_day, labels
from yarrow.charting.errors import ChartWithoutNumbers, ChartWithoutRows
from yarrow.charting.fields import Field, made_field
from yarrow.charting.model import (
    Channel,
    ChartLanguage,
    ChartType,
    FieldKind,
    SemanticType,
    Size,
    VegaSpec,
)
from yarrow.charting.value_order import in_order
from yarrow.charting.words import WORDS, ChartWords
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue

SECONDS_BELOW = 1e11
"""A timestamp below it counts seconds, above it milliseconds (the year 5138, or 1973)."""

NAMELESS = "–"


def project(rows: Sequence[JsonMapping], fields: Sequence[Field]) -> list[JsonObject]:
    """Rows with the chart's fields only, values made plain."""
    clean = [_clean_column([row.get(field.name) for row in rows], field) for field in fields]
    keys = [field.key for field in fields]
    return [dict(zip(keys, values, strict=True)) for values in zip(*clean, strict=True)]


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _clean_column(values: list[JsonValue], field: Field) -> list[JsonValue]:
    if field.dated:
        return _moments([_plain(value) for value in values], field)
    if field.kind is FieldKind.QUANTITATIVE:
        return [v if type(v) is int or (type(v) is float and isfinite(v)) else None for v in values]
    return _labels([_plain(value) for value in values])


def _moments(values: list[JsonValue], field: Field) -> list[JsonValue]:
    if field.numeric and field.meaning is not SemanticType.YEAR and not _mostly_years(values):
        return [_milliseconds(value) for value in values]
    known: dict[JsonValue, str | None] = dict.fromkeys(values)
    days_first = has_days_first(known)
    for value in known:
        known[value] = None if value is None else canonical(value, days_first=days_first)
    if any(found and not is_whole_day(found) for found in known.values()):
        known = {v: f"{d}T00:00:00" if d and is_whole_day(d) else d for v, d in known.items()}
    elif field.has_places:
        known |= labels(known, days_first=days_first)
    return [known[value] for value in values]


def _mostly_years(values: Iterable[JsonValue]) -> bool:
    return any(canonical(value) for value in values if value is not None)


def _milliseconds(value: JsonValue) -> JsonValue:
    if isinstance(value, int | float) and abs(value) < SECONDS_BELOW:
        return value * 1000
    return value


def _labels(values: list[JsonValue]) -> list[JsonValue]:
    """Moments lose a midnight that says nothing; values of several types become text."""
    if all(value is None or (isinstance(value, str) and "T00:00:00" in value) for value in values):
        return [value and str(value).partition("T")[0] for value in values]
    kinds = {type(value) for value in values} - {type(None)}
    return [_as_text(value) for value in values] if len(kinds) > 1 or bool in kinds else values


def _as_text(value: JsonValue) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def nulls_named(rows: list[JsonObject], keys: Sequence[str]) -> list[JsonObject]:
    """Missing names as a name of their own: Vega would write `null`, and mix up the colours."""
    for key in keys:
        if any(row[key] is None for row in rows):
            rows = [row | {key: _named(row[key])} for row in rows]
    return rows


def _named(value: JsonValue) -> JsonValue:
    return NAMELESS if value is None else str(value)


def without_nulls(rows: list[JsonObject], keys: Sequence[str]) -> list[JsonObject]:
    """Rows in which all of these have a value."""
    for key in keys:
        rows = [row for row in rows if row.get(key) is not None]
    return rows


def numbers(rows: Iterable[JsonObject], key: str) -> list[float]:
    """The numbers that are there, of a field that measures."""
    return [value for row in rows if isinstance(value := row.get(key), int | float)]


def number_in(row: JsonMapping, key: str) -> float:
    """The value of a field that measures; zero where the row has none."""
    value = row.get(key)
    return value if isinstance(value, int | float) else 0


def values_of(rows: Iterable[JsonObject], key: str) -> list[JsonValue]:
    """The distinct values that are there, in the order of their first appearance."""
    return [value for value in dict.fromkeys(row.get(key) for row in rows) if value is not None]


def has_repeats(rows: Sequence[JsonObject], keys: Sequence[str]) -> bool:
    """Whether two rows share one place in the chart."""
    return len({tuple(row.get(key) for key in keys) for row in rows}) < len(rows)


def combined(rows: Sequence[JsonObject], keys: Sequence[str], measure: Field) -> list[JsonObject]:
    """One row for each place: sums, or means of what cannot be added up."""
    groups: dict[tuple[JsonValue, ...], list[float]] = defaultdict(list)
    for row in rows:
        found = groups[tuple(row.get(key) for key in keys)]
        value = row.get(measure.key)
        if isinstance(value, int | float):
            found.append(value)
    fold = combining(measure)
    return [
        {**dict(zip(keys, place, strict=True)), measure.key: fold(found) if found else None}
        for place, found in groups.items()
    ]


def combining(measure: Field) -> Callable[[Sequence[float]], float]:
    return _mean if measure.meaning in AVERAGED else sum


def combining_word(measure: Field) -> str:
    return "averaged" if measure.meaning in AVERAGED else "summed"


def _mean(found: Sequence[float]) -> float:
    return sum(found) / len(found)


def counted(rows: Sequence[JsonObject], keys: Sequence[str], count_key: str) -> list[JsonObject]:
    """How many rows each place has."""
    groups: dict[tuple[JsonValue, ...], int] = defaultdict(int)
    for row in rows:
        groups[tuple(row.get(key) for key in keys)] += 1
    return [{**dict(zip(keys, place, strict=True)), count_key: n} for place, n in groups.items()]


def totals(rows: Iterable[JsonObject], key: str, measure_key: str | None) -> dict[JsonValue, float]:
    """The weight of each value of a field: the sum of a measure, or the number of rows."""
    weights: dict[JsonValue, float] = defaultdict(float)
    for row in rows:
        value = row.get(key)
        if value is None:
            continue
        weight = row.get(measure_key) if measure_key else 1
        weights[value] += weight if isinstance(weight, int | float) else 0
    return dict(weights)


@dataclass(frozen=True, slots=True)
class Frame:
    """A chart with its fields resolved and its rows made plain, not yet drawn."""

    chart_type: ChartType
    fields: Mapping[Channel, Field]
    rows: list[JsonObject]
    config: JsonObject
    size: Size
    notes: tuple[str, ...] = ()
    domains: Mapping[str, list[JsonValue]] = field(default_factory=dict)
    """By data key: the places of an axis that does not show all, the last one saying so."""
    words: ChartWords = WORDS[ChartLanguage.EN]

    def get(self, channel: Channel) -> Field | None:
        return self.fields.get(channel)

    def need(self, channel: Channel) -> Field:
        return self.fields[channel]

    def numbers(self, field: Field) -> list[float]:
        return numbers(self.rows, field.key)

    def values(self, field: Field) -> list[JsonValue]:
        return values_of(self.rows, field.key)

    def keys(self, *channels: Channel) -> list[str]:
        """The data keys of the fields in these channels, each once."""
        found = (self.fields[channel].key for channel in channels if channel in self.fields)
        return list(dict.fromkeys(found))

    def placed(self, channel: Channel, found: Field) -> "Frame":
        return replace(self, fields={**self.fields, channel: found})

    def noted(self, note: str) -> "Frame":
        return replace(self, notes=(*self.notes, note))

    def having(self, rows: list[JsonObject]) -> "Frame":
        return replace(self, rows=rows)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The part of a spec below data and facets: a mark with its encoding, or layers."""

    body: VegaSpec
    frame: Frame
    """With the rows and notes as drawing left them."""


def require_measure(frame: Frame, *channels: Channel) -> None:
    """The fields in these channels hold numbers."""
    for channel in channels:
        field = frame.need(channel)
        if not field.measures or not frame.numbers(field):
            raise ChartWithoutNumbers(field.title)


def require_rows(frame: Frame, *fields: Field) -> None:
    """Something is left to draw after rows without values were taken out."""
    if not frame.rows:
        names = ", ".join(field.title for field in fields)
        raise ChartWithoutRows(f"no row has a value for {names}")


PLACES_MAX = 68
FACETS_MAX = 20
COUNT_KEY = "_count"


def measured_axis(frame: Frame) -> Channel:
    """Which of the two axes measures; y if neither does."""
    x = frame.get(Channel.X)
    y = frame.get(Channel.Y)
    return Channel.X if x and x.measures and not (y and y.measures) else Channel.Y


def other_axis(channel: Channel) -> Channel:
    return Channel.X if channel is Channel.Y else Channel.Y


def with_measure(frame: Frame, channel: Channel) -> Frame:
    """A chart that measures: by the field in this channel, or else by counting rows."""
    field = frame.get(channel)
    if field is not None and field.measures:
        return once_each(frame, channel)
    keys = frame.keys(*(other for other in frame.fields if other is not channel))
    count = made_field(COUNT_KEY, frame.words.count)
    told = f"{field.title} holds no numbers; " if field else ""
    return (
        frame.having(counted(frame.rows, keys, count.key))
        .placed(channel, count)
        .noted(f"{told}rows are counted")
    )


def once_each(frame: Frame, channel: Channel) -> Frame:
    """At most one row for each place, so that nothing is drawn over something else."""
    measure = frame.need(channel)
    keys = [key for key in frame.keys(*frame.fields) if key != measure.key]
    if not has_repeats(frame.rows, keys):
        return frame
    return frame.having(combined(frame.rows, keys, measure)).noted(
        f"{measure.title} is {combining_word(measure)} where several rows share a place"
    )


def dropped_nulls(frame: Frame, channels: Iterable[Channel]) -> Frame:
    return frame.having(without_nulls(frame.rows, frame.keys(*channels)))


def trimmed(frame: Frame) -> Frame:
    """Axes with at most 68 places and at most 20 facets, the weightiest first."""
    for channel in (Channel.X, Channel.Y):
        frame = _trimmed_axis(frame, channel)
    for channel in (Channel.ROW, Channel.COLUMN):
        frame = _trimmed_facets(frame, channel)
    return frame


def _trimmed_axis(frame: Frame, channel: Channel) -> Frame:
    field = frame.get(channel)
    if field is None or not field.has_places or _is_in_time(frame, field):
        return frame
    if frame.chart_type is ChartType.WATERFALL:
        return frame  # without a step all that follow would be false
    kept, omitted = _heaviest(frame, field, PLACES_MAX)
    if not omitted:
        return frame
    label = frame.words.omitted.format(omitted)
    places = in_order(kept, field.meaning) if field.has_order else list(kept)
    note = f"{field.title}: the {len(kept)} largest are shown, {omitted} items omitted"
    rows = _rows_of(frame, field, kept)
    domains = {**frame.domains, field.key: [*places, f"… {label}"]}
    return replace(frame.having(rows).noted(note), domains=domains)


def _is_in_time(frame: Frame, field: Field) -> bool:
    """Time keeps all its places: a gap in it would be a lie."""
    return field.dated or field.meaning in IN_TIME or are_years(frame.values(field))


def _trimmed_facets(frame: Frame, channel: Channel) -> Frame:
    field = frame.get(channel)
    if field is None:
        return frame
    kept, omitted = _heaviest(frame, field, FACETS_MAX)
    if not omitted:
        return frame
    note = f"{field.title}: {len(kept)} panels are shown, {omitted} items omitted"
    return frame.having(_rows_of(frame, field, kept)).noted(note)


def _heaviest(frame: Frame, field: Field, most: int) -> tuple[list[JsonValue], int]:
    """The values that weigh most, heaviest first, and how many others there are."""
    weights = totals(frame.rows, field.key, _opposite(frame, field))
    order = sorted(weights, key=lambda value: -weights[value])
    return order[:most], max(0, len(order) - most)


def _opposite(frame: Frame, field: Field) -> str | None:
    found = (f for f in frame.fields.values() if f.measures and f.key != field.key)
    measure = next(found, None)
    return measure.key if measure else None


def _rows_of(frame: Frame, field: Field, kept: list[JsonValue]) -> list[VegaSpec]:
    keep = set(kept)
    return [row for row in frame.rows if row.get(field.key) in keep]
