"""Dates that are stored as text: the order of day and month, and texts that are no dates."""

from collections.abc import Mapping

from msgspec.structs import replace

from yarrow.charting.dates import AMERICAN, MONTHS, normalise_date
from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import DType
from yarrow.charting.notes import Note
from yarrow.charting.reduce.expressions import SPELLINGS_MAX
from yarrow.charting.reduce.source import ChartSource
from yarrow.kit.sql_text import quote_name, quote_text


def read_date_orders(
    fields: Mapping[str, ChartField], source: ChartSource
) -> dict[str, ChartField]:
    """The fields, with whether days stand first in their texts, by all rows of the table."""
    return {name: _read_order(field, source) for name, field in fields.items()}


def _read_order(field: ChartField, source: ChartSource) -> ChartField:
    if not _is_text_of_dates(field):
        return field
    first, second = (
        f"max(TRY_CAST(regexp_extract(trim({quote_name(field.name)}), "
        f"{quote_text(f'^{AMERICAN.pattern}$')}, {part}) AS INTEGER))"
        for part in (1, 2)
    )
    ((largest, other),) = source.run(f"SELECT {first}, {second} FROM {source.relation}")
    if not isinstance(largest, int) or not isinstance(other, int):
        return field
    return replace(
        field,
        days_first=largest > MONTHS,
        is_order_open=(largest > MONTHS) is (other > MONTHS),
    )


def note_text_dates(frame: ChartFrame, source: ChartSource) -> ChartFrame:
    """Notes of texts whose order is a guess, and of rows whose text is no date."""
    fields = {field.name: field for field in frame.fields.values() if _is_text_of_dates(field)}
    for field in fields.values():
        column = quote_name(field.name)
        found = source.run(
            f"SELECT {column}, count(*) FROM {source.relation} WHERE trim({column}) <> '' "
            f"GROUP BY 1 ORDER BY 1 LIMIT {SPELLINGS_MAX}"
        )
        counts = {str(text): int(str(count)) for text, count in found}
        days = {t: normalise_date(t, days_first=bool(field.days_first)) for t in counts}
        unread = [text for text, day in days.items() if day is None]
        if unread and len(unread) < len(days):
            count = sum(counts[text] for text in unread)
            frame = frame.with_note(
                Note.NO_DATES, field=field.title, count=count, example=unread[0]
            )
        others = (t for t in days if normalise_date(t, days_first=not field.days_first) != days[t])
        if field.is_order_open and (example := next(others, None)) is not None:
            frame = frame.with_note(
                Note.DATE_ORDER_GUESSED, field=field.title, example=example, date=days[example]
            )
    return frame


def _is_text_of_dates(field: ChartField) -> bool:
    return field.dated and field.dtype is DType.STRING
