"""Tell that rows of a chart may be totals of other rows, which it would count twice."""

from collections.abc import Sequence

from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import DType
from yarrow.charting.notes import Note
from yarrow.charting.reduce.source import COUNTED_ROWS, ROW, ChartSource
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.language.total_words import TOTAL_PATTERN, names_total

TOTALS_TOLD = 3
COLUMNS_MAX = 20
EDGE_ROWS = 1000
"""Of a large table only its first and last rows are searched: totals of all stand there."""


def note_totals(frame: ChartFrame, source: ChartSource, *, table_rows: int) -> ChartFrame:
    """Notes of places that are called totals, and of rows that a column calls so that is not
    drawn."""
    fields = {field.key: field for field in frame.fields.values() if field.is_discrete}
    for field in fields.values():
        values = [value for value in frame.values(field) if isinstance(value, str)]
        totals = [value for value in values if names_total(value)]
        if totals and len(totals) < len(values):
            frame = frame.with_note(
                Note.TOTALS_DRAWN, field=field.title, values=_format_totals(totals)
            )
    drawn = {field.name for field in frame.fields.values()}
    texts = [n for n, dtype in source.columns.items() if dtype is DType.STRING and n not in drawn]
    for column, hidden in _find_hidden(texts[:COLUMNS_MAX], source, table_rows):
        frame = frame.with_note(Note.TOTALS_COUNTED, column=column, values=_format_totals(hidden))
    return frame


def _find_hidden(
    columns: Sequence[str], source: ChartSource, table_rows: int
) -> list[tuple[str, list[str]]]:
    """The totals that some of the rows have in these columns, but not all."""
    if not columns:
        return []
    facts = ", ".join(
        f"list(DISTINCT {name}) FILTER (WHERE {is_total}), count(*) FILTER (WHERE NOT {is_total})"
        for name in map(quote_name, columns)
        if (is_total := f"regexp_full_match(rtrim(trim({name}), ':： '), {_PATTERN})")
    )
    (row,) = source.run(f"SELECT {facts} FROM {source.relation}{_limit_rows(table_rows)}")
    found = zip(columns, row[::2], row[1::2], strict=True)
    return [
        (column, sorted(map(str, totals)))
        for column, totals, others in found
        if isinstance(totals, list) and totals and others
    ]


_PATTERN = quote_text(f"(?i){TOTAL_PATTERN}")


def _limit_rows(table_rows: int) -> str:
    if table_rows <= COUNTED_ROWS:
        return ""
    return f" WHERE {ROW} < {EDGE_ROWS} OR {ROW} >= {table_rows - EDGE_ROWS}"


def _format_totals(totals: Sequence[str]) -> str:
    more = [f"+{len(totals) - TOTALS_TOLD}"] if len(totals) > TOTALS_TOLD else []
    return ", ".join([*totals[:TOTALS_TOLD], *more])
