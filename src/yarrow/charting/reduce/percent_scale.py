"""Decide the scale of percentages once for each column, from all rows of the table."""

from collections.abc import Mapping

from msgspec.structs import replace

from yarrow.charting.aggregate import COUNTS
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import ChartChannel, ChartType, PercentScale
from yarrow.charting.notes import Note
from yarrow.charting.percentages import (
    FRACTION_LIMITS,
    PERCENT_UNIT,
    choose_scale,
    looks_like_fraction,
)
from yarrow.charting.reduce.source import EXACT_ROWS, ChartSource
from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name

METRICS_MAX, METRICS_TOLD = 1000, 4
_NOTES = {
    PercentScale.FRACTION: Note.FRACTIONS_GUESSED,
    PercentScale.PERCENT: Note.PERCENT_GUESSED,
}


def read_scales(fields: Mapping[str, ChartField], source: ChartSource) -> dict[str, ChartField]:
    """The fields, with the scale of those that hold percentages."""
    return {name: _read_scale(field, source) for name, field in fields.items()}


def _read_scale(field: ChartField, source: ChartSource) -> ChartField:
    if field.meaning is None or field.meaning not in FRACTION_LIMITS or not field.numeric:
        return field
    if field.unit == PERCENT_UNIT:
        return replace(field, scale=PercentScale.PERCENT)
    if field.domain is not None:
        high = field.domain[1]
        scale = choose_scale(field.meaning, median=high, typical=high, largest=0)
        return replace(field, scale=scale)
    quantiles = (
        f"{_write_quantile(field.name, 0.5, source)}, {_write_quantile(field.name, 0.9, source)}"
    )
    ((median, typical),) = source.run(f"SELECT {quantiles} FROM {source.relation}")
    largest = (
        0.0
        if field.is_registered
        else max(_measure_magnitude(field.low), _measure_magnitude(field.high))
    )
    scale = choose_scale(
        field.meaning,
        median=_measure_magnitude(median),
        typical=_measure_magnitude(typical),
        largest=largest,
    )
    return replace(field, scale=scale, is_scale_guessed=scale is not None)


def _write_quantile(name: str, share: float, source: ChartSource) -> str:
    function = "quantile_cont" if source.row_count <= EXACT_ROWS else "approx_quantile"
    return f"{function}(abs({quote_name(name)}), {share})"


def _measure_magnitude(value: JsonValue) -> float:
    return abs(value) if isinstance(value, int | float) else 0.0


def find_fraction_metrics(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """The frame with the metrics of cards that are fractions, as `conversion_rate` beside
    `revenue`: each is decided by its own rows."""
    value, metric = frame.get(ChartChannel.VALUE), frame.get(ChartChannel.METRIC)
    if frame.chart_type is not ChartType.KPI_CARD or value is None or metric is None:
        return frame
    if value.meaning is not None or not value.numeric or value.aggregate in COUNTS:
        return frame
    rows = source.run(
        f"SELECT {quote_name(metric.name)}::VARCHAR, {_write_quantile(value.name, 0.9, source)} "
        f"FROM {source.relation} GROUP BY 1 LIMIT {METRICS_MAX}"
    )
    names = (
        str(name)
        for name, typical in rows
        if looks_like_fraction(str(name), _measure_magnitude(typical))
    )
    return replace(frame, fraction_metrics=frozenset(names))


def note_scales(frame: ChartFrame) -> ChartFrame:
    """Notes of scales that are guesses."""
    fields = {field.name: field for field in frame.fields.values() if field.measures}
    for field in fields.values():
        if field.scale is not None and field.is_scale_guessed:
            frame = frame.with_note(_NOTES[field.scale], field=field.title)
    if frame.fraction_metrics:
        listed = ", ".join(sorted(frame.fraction_metrics)[:METRICS_TOLD])
        frame = frame.with_note(Note.FRACTIONS_GUESSED, field=listed)
    return frame
