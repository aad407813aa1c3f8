"""Rows as a chart needs them: only its fields, dates in one form, one row for each place.

A spec carries its rows, so each step makes flat rows of the few fields a chart shows and never
copies deeply.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import isfinite

from yarrow.charting.dates import canonical, has_days_first, is_whole_day, labels
from yarrow.charting.fields import Field
from yarrow.charting.model import FieldKind, SemanticType
from yarrow.charting.semantics import AVERAGED
from yarrow.kit.json import JsonObject, JsonValue

SECONDS_BELOW = 1e11
"""A timestamp below it counts seconds, above it milliseconds (the year 5138, or 1973)."""

NAMELESS = "–"


def project(rows: Sequence[JsonObject], fields: Sequence[Field]) -> list[JsonObject]:
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
    return [value for row in rows if (value := row.get(key)) is not None]


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
