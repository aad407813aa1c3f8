"""The shape of a table whose rows are at hand."""

from collections.abc import Iterable, Sequence
from math import isfinite

from yarrow.charting.dates import canonical, is_whole_day, reads_as_dates
from yarrow.charting.model import Column, DType, TableShape
from yarrow.kit.json import JsonObject, JsonValue

SAMPLES = 50


def shape_of(rows: Sequence[JsonObject], *, name: str = "") -> TableShape:
    """Columns in the order they first appear, with the types their values show."""
    names = dict.fromkeys(key for row in rows for key in row)
    columns = (_column(key, [row.get(key) for row in rows]) for key in names)
    return TableShape(tuple(columns), len(rows), name)


def _column(name: str, values: list[JsonValue]) -> Column:
    present = [value for value in values if _is_there(value)]
    distinct = tuple(dict.fromkeys(map(_hashable, present)))
    return Column(
        name,
        _dtype(present),
        distinct=len(distinct),
        nulls=len(values) - len(present),
        samples=tuple(present[:: max(1, len(present) // SAMPLES)])[:SAMPLES],
    )


def _is_there(value: JsonValue) -> bool:
    """JSON has no word for what is not a number; such values count as missing."""
    return value is not None and not (isinstance(value, float) and not isfinite(value))


def _hashable(value: JsonValue) -> JsonValue:
    return str(value) if isinstance(value, list | dict) else value


def _dtype(values: Sequence[JsonValue]) -> DType:
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return DType.BOOLEAN
    if kinds == {int}:
        return DType.INTEGER
    if kinds and kinds <= {int, float}:
        return DType.NUMBER
    if kinds == {str} and reads_as_dates(values[:SAMPLES]):
        return DType.DATE if _whole_days(values[:SAMPLES]) else DType.DATETIME
    return DType.STRING


def _whole_days(values: Iterable[JsonValue]) -> bool:
    return all(is_whole_day(found) for value in values if (found := canonical(value)))
