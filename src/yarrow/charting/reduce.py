"""Fewer rows where more would hide what they say: repeats combined, the long tail left out."""

from collections.abc import Iterable
from dataclasses import replace

from yarrow.charting.dates import are_years
from yarrow.charting.fields import Field, made_field
from yarrow.charting.frame import Frame
from yarrow.charting.model import Channel, ChartType
from yarrow.charting.orders import in_order
from yarrow.charting.rows import (
    combined,
    combining_word,
    counted,
    has_repeats,
    totals,
    without_nulls,
)
from yarrow.charting.semantics import IN_TIME
from yarrow.kit.json import JsonObject, JsonValue

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


def _rows_of(frame: Frame, field: Field, kept: list[JsonValue]) -> list[JsonObject]:
    keep = set(kept)
    return [row for row in frame.rows if row.get(field.key) in keep]
