"""A field that fills a channel: all that drawing needs to know about it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from yarrow.charting.model import (
    NUMERIC,
    Column,
    FieldKind,
    FieldMeaning,
    SemanticType,
    TableShape,
)
from yarrow.charting.semantics import KIND_OF, field_kind, guess_meaning

SPECIAL = str.maketrans(dict.fromkeys(".[]\\'\"\n\r\t\u2028\u2029", "_"))
"""Characters by which Vega means a path into an object, and those that end a line of its code."""
INHERITED = frozenset(
    {
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf"),
    }
)
"""Names that every object of JavaScript has already."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column as a chart sees it."""

    name: str
    key: str
    """Its name in the spec's rows, free of characters that Vega reads as a path."""
    kind: FieldKind
    title: str
    numeric: bool
    dated: bool = False
    """Its values are moments, also where it stands on an axis of separate places."""
    meaning: SemanticType | None = None
    unit: str | None = None
    domain: tuple[float, float] | None = None

    @property
    def measures(self) -> bool:
        return self.kind is FieldKind.QUANTITATIVE

    @property
    def is_time(self) -> bool:
        return self.kind is FieldKind.TEMPORAL

    @property
    def has_places(self) -> bool:
        """Its values stand side by side, each with a place of its own."""
        return self.kind in {FieldKind.NOMINAL, FieldKind.ORDINAL}

    @property
    def has_order(self) -> bool:
        """Its values have an order of their own, whatever the chart makes of them."""
        ordered = self.meaning is not None and KIND_OF[self.meaning] is FieldKind.ORDINAL
        return self.dated or self.numeric or ordered or self.kind is FieldKind.ORDINAL

    def as_kind(self, kind: FieldKind) -> "Field":
        """Read otherwise; a year that is measured is a number and no moment any more."""
        return replace(self, kind=kind, dated=self.dated and kind is not FieldKind.QUANTITATIVE)


def made_field(key: str, title: str, *, kind: FieldKind = FieldKind.QUANTITATIVE) -> Field:
    """A field that the table does not have: a count, a rank, a running sum."""
    numeric = kind is FieldKind.QUANTITATIVE
    return Field(key, key, kind, title, numeric=numeric)


def resolve_fields(
    names: tuple[str, ...],
    shape: TableShape,
    *,
    meanings: Mapping[str, FieldMeaning],
    display_names: Mapping[str, str],
) -> dict[str, Field]:
    """The named columns as fields; keys stay apart even where cleaned names would meet."""
    fields: dict[str, Field] = {}
    for name in names:
        column = shape.column(name)
        if column is None or name in fields:
            continue
        taken = {field.key for field in fields.values()}
        fields[name] = _field(column, _key(name, taken), shape.row_count, meanings.get(name))
    return {
        name: replace(field, title=_title(display_names.get(name) or name, field.unit))
        for name, field in fields.items()
    }


def _field(column: Column, key: str, row_count: int, told: FieldMeaning | None) -> Field:
    kind = field_kind(column, row_count=row_count, meaning=told)
    return Field(
        column.name,
        key,
        kind,
        column.name,
        numeric=column.dtype in NUMERIC,
        dated=kind is FieldKind.TEMPORAL,
        meaning=told.semantic_type if told else guess_meaning(column),
        unit=told.unit if told else None,
        domain=told.domain if told else None,
    )


def _key(name: str, taken: set[str]) -> str:
    # A leading underscore marks what drawings add to the rows.
    key = name.translate(SPECIAL).lstrip("_") or "field"
    while key in taken or key in INHERITED:
        key += "_"
    return key


def _title(name: str, unit: str | None) -> str:
    """On one line, and none that Vega would look up and find: it takes titles into its code."""
    name = " ".join(name.split())
    name += " " * (name in INHERITED)
    return f"{name} ({unit})" if unit and unit not in name else name
