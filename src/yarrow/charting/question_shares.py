"""Questions of the share that one value has of all: `share of Apple in revenue`."""

from collections.abc import Sequence
from typing import NamedTuple

from yarrow.charting.columns import TableShape
from yarrow.charting.filters.conditions import RowCondition, ValueCondition
from yarrow.charting.model import Aggregate
from yarrow.charting.notes import Note, UnappliedWords
from yarrow.charting.question_columns import NamedColumn
from yarrow.charting.question_text import MAX_CHARS
from yarrow.charting.suggest import WEDGES_MAX, assign_roles


class ReadShare(NamedTuple):
    """What is left of conditions and columns when a part is drawn beside the others."""

    conditions: tuple[RowCondition, ...]
    columns: list[NamedColumn]
    told: tuple[UnappliedWords, ...]


def read_share(
    conditions: Sequence[RowCondition],
    columns: Sequence[NamedColumn],
    aggregates: Sequence[Aggregate] | None,
    shape: TableShape,
) -> ReadShare:
    """Draw all values of the column of which one is asked for: only its rows would be 100 %.

    `aggregates` are None if the question asks for no share.
    """
    part = None if aggregates is None else _find_part(conditions, columns, aggregates, shape)
    if part is None:
        return ReadShare(tuple(conditions), [*columns], ())
    column = shape.column(part.column)
    drawn = [*columns]
    if column is not None and all(n.column is not column for n in columns):
        drawn.append(NamedColumn(column, MAX_CHARS, MAX_CHARS, is_grouping=True))
    words = ", ".join(dict.fromkeys(part.values))
    told = UnappliedWords(words, Note.PART_OF_WHOLE, {"column": part.column})
    return ReadShare(tuple(c for c in conditions if c is not part), drawn, (told,))


def _find_part(
    conditions: Sequence[RowCondition],
    columns: Sequence[NamedColumn],
    aggregates: Sequence[Aggregate],
    shape: TableShape,
) -> ValueCondition | None:
    """The condition that says of which values the share is meant; a chart of only them says 100 %.

    None if there are several, or another column by which the whole is divided, or if a pie
    has no wedge for each value.
    """
    chosen = [c for c in conditions if isinstance(c, ValueCondition) and not c.is_excluded]
    if len(chosen) != 1 or not set(aggregates) <= {Aggregate.SUM, Aggregate.COUNT}:
        return None
    part, measures = chosen[0], assign_roles(shape).measures
    column = shape.column(part.column)
    if column is None or column.distinct + bool(column.nulls) > WEDGES_MAX:
        return None
    own = [n for n in columns if n.column.name == part.column]
    others = [n for n in columns if n not in own and n.column not in measures]
    is_chosen_from = any(n.is_grouping for n in own) and not picks_one(part)
    return None if others or is_chosen_from else part


def picks_one(condition: RowCondition) -> bool:
    """Whether a condition leaves one value of its column."""
    if not isinstance(condition, ValueCondition) or condition.is_excluded:
        return False
    return len({value.lower() for value in condition.values}) == 1
