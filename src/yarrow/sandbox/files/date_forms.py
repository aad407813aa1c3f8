"""Columns that DuckDB detects as dates or times although some of their cells say more or less.

It checks the form of a cell in the first two thousand lines only. Below, it reads `2024-01-05 10:00
PM` as ten in the morning, and drops offsets and times; `infinity` is a date to it in any line.
"""

from collections.abc import Iterator, Mapping

import duckdb
from msgspec import Struct, field

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_text
from yarrow.sandbox.duckdb_session import ZONED
from yarrow.sandbox.files.cell_sql import all_cells, cell_text, is_blank, is_match
from yarrow.sandbox.table_notes import Sentence

DATED = frozenset(("DATE", "TIMESTAMP", ZONED))
_DAY = r"\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}"
_MOMENT = rf"{_DAY}(?:[ T]+\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?)?"
_OFFSET = r"[+-]\d{2}(?::?\d{2})?|Z|[A-Z]{3,4}|[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)+"
_UTC = rf"{_MOMENT} ?(?:UTC|Z)"
_ZONED_MOMENT = rf"{_MOMENT} ?(?:{_OFFSET})?"
_FACTS = 5
_CLOCKS = ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%I:%M:%S%p", "%I:%M%p")


class DateForms(Struct):
    """Types by column that differ from those which DuckDB detects, and what the owner is told."""

    types: dict[str, str] = field(default_factory=dict)
    notes: list[CodedNote] = field(default_factory=list)


def check_dates(
    cells: str, natives: Mapping[str, str], database: duckdb.DuckDBPyConnection
) -> DateForms:
    """Check all cells of the columns with a type of `DATED`; `cells` is a relation of text."""
    forms = DateForms()
    facts = ", ".join(fact for name in natives for fact in _list_facts(name))
    if not facts:
        return forms
    try:
        row = database.execute(f"FROM {cells} SELECT {facts}").fetchone() or ()
    except duckdb.Error:
        return forms  # explained when the rows are read
    for at, (name, native) in enumerate(natives.items()):
        days, plain, in_utc, zoned, bare = row[at * _FACTS : (at + 1) * _FACTS]
        is_plain = plain or in_utc
        if not (days if native == "DATE" else is_plain or zoned):
            forms.types[name] = "VARCHAR"
            forms.notes.append(write_note(Sentence.MIXED_DATES, name=name))
        elif native == ZONED or (native == "TIMESTAMP" and not is_plain):
            forms.types[name] = ZONED
            if bare:
                forms.notes.append(write_note(Sentence.WITHOUT_OFFSET, name=name, count=bare))
    return forms


def _list_facts(name: str) -> Iterator[str]:
    for form in (_DAY, _MOMENT, _UTC, _ZONED_MOMENT):
        yield all_cells(is_match(name, form), name)
    yield f"count(*) FILTER (NOT {is_blank(name)} AND {is_match(name, _MOMENT)})"


def write_date_expression(name: str, *, day_first: bool, has_time: bool, has_century: bool) -> str:
    year = "%Y" if has_century else "%y"
    day = f"%d/%m/{year}" if day_first else f"%m/%d/{year}"
    formats = [day, *((f"{day} {clock}" for clock in _CLOCKS) if has_time else ())]
    listed = ", ".join(quote_text(text) for text in formats)
    text = f"replace(regexp_replace({cell_text(name)}, '[.-]', '/', 'g'), 'T', ' ')"
    kind = "TIMESTAMP" if has_time else "DATE"
    return f"CASE WHEN {is_blank(name)} THEN NULL ELSE try_strptime({text}, [{listed}])::{kind} END"
