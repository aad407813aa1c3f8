"""The largest and the smallest value of a chart in words: its answer, and its text for readers who
do not see it."""

from collections.abc import Mapping, Sequence
from typing import Final

from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import ChartType
from yarrow.charting.notes import Note
from yarrow.charting.number_formats import is_fraction
from yarrow.charting.row_keys import COUNT_KEY
from yarrow.kit.json import JsonValue

_SINGLE_SERIES: Final = frozenset(
    {
        *(ChartType.BAR, ChartType.LOLLIPOP, ChartType.PIE, ChartType.ROSE),
        *(ChartType.LINE, ChartType.AREA, ChartType.KPI_CARD),
    }
)
NAMES_MAX: Final = 3
"""How many places with the same value are named."""
_QUARTER_STARTS: Final = frozenset({"01", "04", "07", "10"})


def write_extremes(frame: ChartFrame) -> str:
    """One sentence without its full stop; empty unless the chart has one measure of single places.

    The smallest value is mentioned only if no place is left out.
    """
    fields = {field.key: field for field in frame.fields.values()}.values()
    measures = [field for field in fields if field.measures]
    places = [field for field in fields if not field.measures]
    if frame.chart_type not in _SINGLE_SERIES or len(measures) != 1 or len(places) > 1:
        return ""
    measure = measures[0]
    if not places:
        numbers = frame.numbers(measure)
        if len(numbers) != 1:
            return ""
        value = write_number(numbers[0], measure)
        return frame.words.note(Note.ONE_VALUE, measure=measure.title, value=value)
    values = _read_values(frame, places[0], measure)
    return _describe_extremes(frame, places[0], measure, values) if values else ""


def _read_values(
    frame: ChartFrame, place: ChartField, measure: ChartField
) -> Mapping[JsonValue, float]:
    """The number of each place, without that of gathered ones; none if a place has several."""
    gathered = frame.others.get(place.key)
    values: dict[JsonValue, float] = {}
    for row in frame.rows:
        name, number = row.get(place.key), row.get(measure.key)
        if not isinstance(number, int | float) or name == gathered:
            continue
        if name in values:
            return {}
        values[name] = number
    return values


def _describe_extremes(
    frame: ChartFrame, place: ChartField, measure: ChartField, values: Mapping[JsonValue, float]
) -> str:
    words, low, high = frame.words, min(values.values()), max(values.values())
    names = _name_places(list(values), place)
    largest = [names[at] for at, number in enumerate(values.values()) if number == high]
    smallest = [names[at] for at, number in enumerate(values.values()) if number == low]
    is_cut = place.key in frame.domains or place.key in frame.others
    is_whole = not is_cut and not frame.has_dropped_places
    title = words.count.lower() if measure.key == COUNT_KEY else measure.title
    facts = {"measure": title, "value": write_number(high, measure), "place": _join_names(largest)}
    if low == high and len(values) > 1 and is_whole:
        return words.note(Note.ALL_EQUAL, **facts)
    if low == high or not is_whole:
        return words.note(Note.LARGEST, **facts)
    facts |= {"low": write_number(low, measure), "low_place": _join_names(smallest)}
    return words.note(Note.EXTREMES, **facts)


def _join_names(names: Sequence[str]) -> str:
    more = len(names) - NAMES_MAX
    return ", ".join(names[:NAMES_MAX]) + (f" (+{more})" if more > 0 else "")


def _name_places(values: Sequence[JsonValue], place: ChartField) -> list[str]:
    """The places as texts; days that all begin a year, a quarter or a month as such."""
    texts = [str(value) for value in values]
    if not place.dated or len(texts) < 2 or not all(text[7:] == "-01" for text in texts):
        return texts
    months = {text[5:7] for text in texts}
    if months == {"01"}:
        return [text[:4] for text in texts]
    if months <= _QUARTER_STARTS:
        return [f"{text[:4]}-Q{int(text[5:7]) // 3 + 1}" for text in texts]
    return [text[:7] for text in texts]


def write_number(number: float, measure: ChartField) -> str:
    """Two decimals from 1 on, else four digits that count; without zeros at the end.

    A fraction as percent.
    """
    if is_fraction(measure):
        return f"{_format_number(number * 100)}%"
    return _format_number(number)


def _format_number(number: float) -> str:
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}"
    if not 1 <= abs(number) < 1e15:
        return f"{number:.4g}"
    return f"{number:,.2f}".rstrip("0").rstrip(".")
