"""What the columns of a table could do in a chart."""

from collections.abc import Mapping
from dataclasses import dataclass

from yarrow.charting.model import Column, DType, FieldKind, FieldMeaning, SemanticType, TableShape
from yarrow.charting.semantics import IN_TIME, field_kind, guess_meaning

PLACES_MAX = 68
ON_EARTH = frozenset({SemanticType.LATITUDE, SemanticType.LONGITUDE})
LABELS = frozenset({SemanticType.ID, SemanticType.ADDRESS, SemanticType.ZIP_CODE})
DEGREES = frozenset({DType.INTEGER, DType.NUMBER})
FURTHEST = {SemanticType.LATITUDE: 90, SemanticType.LONGITUDE: 180}


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns by what they are good for, each list with the better ones first."""

    times: tuple[Column, ...]
    measures: tuple[Column, ...]
    places: tuple[Column, ...]
    longitude: Column | None
    latitude: Column | None


def roles_of(shape: TableShape, meanings: Mapping[str, FieldMeaning] | None = None) -> Roles:
    """Columns without a value, and those that only number the rows, have no role."""
    told = meanings or {}
    filled = [column for column in shape.columns if column.distinct > 0]
    means = {c.name: meaning_of(c, told) for c in filled}
    kinds = {
        c.name: field_kind(c, row_count=shape.row_count, meaning=told.get(c.name)) for c in filled
    }
    times = [c for c in filled if _is_time(c, kinds[c.name], means[c.name])]
    measures = [
        c
        for c in filled
        if kinds[c.name] is FieldKind.QUANTITATIVE and means[c.name] not in ON_EARTH
    ]
    places = [c for c in filled if c not in times and _is_place(c, kinds[c.name], means[c.name])]
    return Roles(
        tuple(times),
        tuple(sorted(measures, key=lambda c: means[c.name] is None)),
        tuple(sorted(places, key=lambda c: c.distinct > 20)),
        longitude=_meaning(filled, means, SemanticType.LONGITUDE),
        latitude=_meaning(filled, means, SemanticType.LATITUDE),
    )


def meaning_of(column: Column, told: Mapping[str, FieldMeaning]) -> SemanticType | None:
    registered = told.get(column.name)
    return registered.semantic_type if registered else guess_meaning(column)


def _is_time(column: Column, kind: FieldKind, meaning: SemanticType | None) -> bool:
    return column.distinct > 1 and (kind is FieldKind.TEMPORAL or meaning in IN_TIME)


def _is_place(column: Column, kind: FieldKind, meaning: SemanticType | None) -> bool:
    discrete = kind in {FieldKind.NOMINAL, FieldKind.ORDINAL}
    return discrete and meaning not in LABELS and 1 < column.distinct <= PLACES_MAX


def _meaning(
    columns: list[Column], means: Mapping[str, SemanticType | None], wanted: SemanticType
) -> Column | None:
    named = (c for c in columns if means[c.name] is wanted and c.dtype in DEGREES)
    return next((c for c in named if all(abs(v) <= FURTHEST[wanted] for v in c.samples)), None)
