"""Group all rows of a table by the places of a chart, in DuckDB.

The groups are a temporary table with partial aggregates (sums and counts, not means), so that the
largest places can be chosen and small series merged without another pass over the rows.
"""

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.charting.aggregate import COUNTS, MERGEABLE, Measure, explain_measure, name_measure
from yarrow.charting.errors import ChartTooLarge
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import Aggregate, ChartReduction, ChartType, ReductionKind
from yarrow.charting.notes import Note
from yarrow.charting.reduce.expressions import FieldExpression, name_other
from yarrow.charting.reduce.source import ROW, ChartSource
from yarrow.charting.reduce.spellings import (
    compare_spellings,
    read_spellings,
    write_spellings,
)
from yarrow.charting.row_keys import RANK_KEY
from yarrow.charting.value_order import sort_values
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.kit.sql_text import quote_name, quote_text

MARKS_MAX = 20_000
ORDERED_ROWS = 200_000
"""Up to so many rows, groups are in the order of their first rows; else in that of their keys."""
STEPS_IN_ORDER = frozenset({ChartType.WATERFALL})
"""Charts whose places follow each other as in the table, however many rows it has."""

_GROUPS = "_groups"
_AT, _SIZE = "_at", "_size_of_group"
_PARTIALS = {
    Aggregate.SUM: ("sum({})",),
    Aggregate.MEAN: ("sum({})", "count({})"),
    Aggregate.MIN: ("min({})",),
    Aggregate.MAX: ("max({})",),
    Aggregate.COUNT: ("count({})",),
    Aggregate.MEDIAN: ("median({})",),
    Aggregate.DISTINCT: ("count(DISTINCT {})",),
    Aggregate.STDEV: ("stddev_samp({})",),
}
_MERGES = {
    Aggregate.SUM: "sum({0})",
    Aggregate.MEAN: "sum({0}) / nullif(sum({1}), 0)",
    Aggregate.MIN: "min({0})",
    Aggregate.MAX: "max({0})",
    Aggregate.COUNT: "sum({0})",
}


class KeyLimit(Struct, frozen=True):
    """How many values of a key are shown, the largest; others are left out, or merged as one."""

    key: ChartField
    most: int
    note: Note
    other: str | None = None
    """The name of the merged ones."""
    is_axis: bool = False
    """The axis tells in a last place how many are left out."""
    is_joined: bool = False
    """Places that a line joins are in the order of their first rows, not of their size."""

    @property
    def order_of_axis(self) -> str:
        return "first_row, place" if self.is_joined else "position"


class Grouping(Struct):
    """The groups of one chart."""

    source: ChartSource
    frame: ChartFrame
    keys: Sequence[FieldExpression]
    measures: Sequence[Measure]
    notes: list[str] = field(default_factory=list)
    joins: list[str] = field(default_factory=list)
    merged: dict[str, str] = field(default_factory=dict)
    """By key: the expression of a value, or of the label of the merged ones."""
    others: dict[str, str] = field(default_factory=dict)
    """By key: that label."""
    domains: dict[str, list[JsonValue]] = field(default_factory=dict)
    has_repeats: bool = False
    where: list[str] = field(default_factory=list)
    """Conditions of the rows that are grouped."""

    def create(self, filled: Sequence[ChartField] = ()) -> None:
        """One pass over the rows; those without a value of a `filled` field are left out."""
        keys = [f"{key.sql} AS {quote_name(key.field.key)}" for key in self.keys]
        is_ordered = (
            self.source.row_count <= ORDERED_ROWS or self.frame.chart_type in STEPS_IN_ORDER
        )
        first = f"min({ROW})" if is_ordered else "0"
        parts = [*keys, *self._list_partials(), f"count(*) AS {_SIZE}", f"{first} AS {_AT}"]
        self.where = [f"{quote_name(each.name)} IS NOT NULL" for each in filled]
        condition = f" WHERE {' AND '.join(self.where)}" if self.where else ""
        by = f" GROUP BY {', '.join(key.sql for key in self.keys)}" if self.keys else ""
        self.source.run(
            f"CREATE OR REPLACE TEMP TABLE {_GROUPS} AS SELECT {', '.join(parts)} "
            f"FROM {self.source.relation}{condition}{by}"
        )
        ((most, rows),) = self.source.run(f"SELECT max({_SIZE}), sum({_SIZE}) FROM {_GROUPS}")
        self.has_repeats = isinstance(most, int) and most > 1
        left_out = self.source.row_count - int(str(rows or 0))
        if left_out and filled:
            names = ", ".join(each.title for each in filled)
            self.notes.append(
                self.frame.words.note(Note.NULLS_LEFT_OUT, count=left_out, fields=names)
            )

    def drop_not_positive(self, measure: Measure) -> int:
        """Drop groups without a value above zero; how many."""
        value = self._write_value(measure)
        ((count,),) = self.source.run(
            f"SELECT count(*) FROM {_GROUPS} WHERE NOT coalesce({value} > 0, false)"
        )
        if count:
            self.source.run(f"DELETE FROM {_GROUPS} WHERE NOT coalesce({value} > 0, false)")
        return int(str(count))

    def limit(self, limit: KeyLimit) -> None:
        """Show the largest values of a key only, if there are more."""
        key = quote_name(limit.key.key)
        ((total,),) = self.source.run(
            f"SELECT count(*) FROM (SELECT DISTINCT {key} FROM {_GROUPS})"
        )
        count = int(str(total))
        if count <= limit.most:
            return
        can_merge = all(measure.aggregate in MERGEABLE for measure in self.measures)
        is_merged = limit.other is not None and can_merge
        shown = limit.most - 1 if limit.note is Note.SERIES_MERGED and not limit.is_axis else 0
        shown = shown if is_merged else limit.most
        top = f"_top{len(self.joins)}"
        self.source.run(
            f"CREATE OR REPLACE TEMP TABLE {top} AS SELECT {key} AS place, "
            f"row_number() OVER (ORDER BY {self._weigh_key()} DESC NULLS LAST, min({_AT}), {key}) "
            f"AS position, min({_AT}) AS first_row "
            f"FROM {_GROUPS} GROUP BY {key} QUALIFY position <= {shown}"
        )
        omitted = count - shown
        other = self._label_others(limit, top, omitted)
        on = f"{top} ON {_GROUPS}.{key} IS NOT DISTINCT FROM {top}.place"
        if is_merged and other is not None:
            self.others[limit.key.key] = other
            self.joins.append(f"LEFT JOIN {on}")
            self.merged[limit.key.key] = (
                f"CASE WHEN {top}.position IS NULL THEN {quote_text(other)} "
                f"ELSE {_GROUPS}.{key}::VARCHAR END"
            )
        else:
            self.joins.append(f"JOIN {on}")
        note = limit.note if is_merged or limit.other is None else Note.SERIES_OMITTED
        self.notes.append(
            self.frame.words.note(
                note,
                field=limit.key.title,
                shown=shown,
                omitted=omitted,
                other=other,
            )
        )
        if limit.is_axis:
            rows = self.source.run(f"SELECT place FROM {top} ORDER BY {limit.order_of_axis}")
            places = [place for (place,) in rows]
            ordered = sort_values(places, limit.key.meaning) if limit.key.has_order else places
            label = self.frame.words.omitted.format(omitted)
            self.domains[limit.key.key] = [*ordered, f"… {label}"]

    def _label_others(self, limit: KeyLimit, top: str, omitted: int) -> str | None:
        """The label of the merged values; with their number if a value has the same name."""
        if limit.other is None:
            return None
        kept = f"(SELECT place AS name FROM {top})"
        return name_other(self.source, kept, limit.other, omitted)

    def fetch(self, *, rank_by: Sequence[str] | None = None) -> ChartFrame:
        """The frame with its rows; with `rank_by`, ranks within equal values of these keys."""
        keys = [key.field.key for key in self.keys]
        selected = [
            f"{self.merged.get(key, f'{_GROUPS}.{quote_name(key)}')} AS {quote_name(key)}"
            for key in keys
        ]
        is_merging = bool(self.merged)
        values = [
            f"{self._write_merge(measure) if is_merging else self._write_value(measure)} "
            f"AS {quote_name(measure.field.key)}"
            for measure in self.measures
        ]
        by = f" GROUP BY {', '.join(map(str, range(1, len(keys) + 1)))}" if is_merging else ""
        at = f"min({_AT})" if is_merging else _AT
        ranked = [RANK_KEY] if rank_by is not None else []
        order = ", ".join([at, *map(str, range(1, len(keys) + 1))])
        rows = self.source.run(
            f"SELECT {', '.join([*selected, *values, *ranked])} "
            f"FROM {self._write_ranked_source(rank_by)} "
            f"{' '.join(self.joins)}{by} ORDER BY {order} LIMIT {MARKS_MAX + 1}"
        )
        if len(rows) > MARKS_MAX:
            raise ChartTooLarge(MARKS_MAX)
        names = [*keys, *(measure.field.key for measure in self.measures), *ranked]
        return self._build_frame([dict(zip(names, row, strict=True)) for row in rows])

    def _note_spellings(self, rows: Sequence[JsonObject]) -> None:
        """Compare the texts of each key; if some are left out or merged, those of all groups."""
        for key in (each.field for each in self.keys if each.sql == quote_name(each.field.name)):
            if self.joins:
                found = read_spellings(key, self.source, _GROUPS)
            else:
                found = compare_spellings(key, (row[key.key] for row in rows))
            if found:
                values = write_spellings(found)
                self.notes.append(
                    self.frame.words.note(Note.SPELLED, field=key.title, values=values)
                )

    def _build_frame(self, rows: list[JsonObject]) -> ChartFrame:
        self._note_spellings(rows)
        frame, words = self.frame, self.frame.words
        fields = dict(frame.fields)
        notes = [*frame.notes, *self.notes]
        is_aggregated = self.has_repeats or bool(self.merged)
        for measure in self.measures:
            is_named = is_aggregated or measure.field.aggregate is not None
            shown = name_measure(measure, words) if is_named else measure.field
            for channel, channel_field in frame.fields.items():
                if channel_field.key == measure.field.key:
                    fields[channel] = shown
            if is_named and measure.column is not None:
                notes.append(explain_measure(measure, words))
                if is_aggregated and (count := self._count_nulls(measure)):
                    title = measure.field.title
                    notes.append(words.note(Note.NULLS_LEFT_OUT, count=count, fields=title))
            if empty := sum(row[measure.field.key] is None for row in rows):
                title = measure.field.title
                notes.append(words.note(Note.NO_VALUE, field=title, count=empty, total=len(rows)))
        reduction = ChartReduction(table_rows=self.source.row_count)
        if is_aggregated:
            reduction = replace(
                reduction,
                kind=ReductionKind.AGGREGATED,
                by=tuple(key.field.name for key in self.keys),
                aggregates={m.column or m.field.key: str(m.aggregate) for m in self.measures},
            )
        return replace(
            frame,
            fields=fields,
            rows=rows,
            notes=tuple(dict.fromkeys(notes)),
            domains={**frame.domains, **self.domains},
            others=self.others,
            reduction=reduction,
        )

    def _count_nulls(self, measure: Measure) -> int:
        """The grouped rows without a value, which an aggregate other than a count leaves out."""
        if not measure.field.nulls or measure.aggregate in COUNTS:
            return 0
        where = " AND ".join([*self.where, f"{quote_name(measure.field.name)} IS NULL"])
        ((count,),) = self.source.run(f"SELECT count(*) FROM {self.source.relation} WHERE {where}")
        return int(str(count))

    def _list_partials(self) -> list[str]:
        return [
            f"{part.format(self._quote_column(measure))} AS {name}"
            for measure in self.measures
            for part, name in zip(
                _PARTIALS[measure.aggregate], self._list_partial_names(measure), strict=True
            )
        ]

    def _quote_column(self, measure: Measure) -> str:
        return "*" if measure.column is None else quote_name(measure.column)

    def _list_partial_names(self, measure: Measure) -> list[str]:
        count = len(_PARTIALS[measure.aggregate])
        return [quote_name(f"{measure.field.key}:{part}") for part in range(count)]

    def _write_value(self, measure: Measure) -> str:
        """The aggregate of one group."""
        names = self._list_partial_names(measure)
        if measure.aggregate is Aggregate.MEAN and self.has_repeats:
            return f"{names[0]} / nullif({names[1]}, 0)"
        return names[0]

    def _write_merge(self, measure: Measure) -> str:
        """The aggregate of several groups."""
        names = self._list_partial_names(measure)
        return _MERGES[measure.aggregate].format(*names)

    def _weigh_key(self) -> str:
        """By what the largest places are chosen: the first measure, else the number of rows."""
        if not self.measures:
            return f"sum({_SIZE})"
        first = self.measures[0]
        return (
            self._write_merge(first)
            if first.aggregate in MERGEABLE
            else f"max({self._write_value(first)})"
        )

    def _write_ranked_source(self, within: Sequence[str] | None) -> str:
        """The groups; with ranks among all of them, also those that are not shown."""
        if within is None:
            return _GROUPS
        keys = ", ".join(quote_name(key) for key in within)
        ranks = (
            f"row_number() OVER (PARTITION BY {keys} "
            f"ORDER BY {self._write_value(self.measures[0])} DESC NULLS LAST, {_AT})"
        )
        return f"(SELECT *, {ranks} AS {RANK_KEY} FROM {_GROUPS}) AS {_GROUPS}"
