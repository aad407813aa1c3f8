"""Columns that DuckDB reads as numbers although their text may mean something else.

`1E5` in a column of codes is no power of ten, and `1.234` in a file with decimal commas is a
thousand.
"""

import math
from collections.abc import Sequence

import duckdb
from msgspec import Struct, field

from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.files.cell_sql import all_cells, cell_text, is_match
from yarrow.sandbox.files.cells import CellFormat, number_expression
from yarrow.sandbox.files.header import is_code_name
from yarrow.sandbox.table_notes import Sentence

_POWER = r"[-+]?\d+[eE]\d+"
_DOTTED = r"[-+]?\d{1,3}\.\d{3}"


class NumberForms(Struct):
    """What was found, and how the columns are read."""

    codes: list[str] = field(default_factory=list)
    """Columns that stay text."""
    formats: list[CellFormat] = field(default_factory=list)
    notes: list[CodedNote] = field(default_factory=list)
    """About codes, and columns that are read as DuckDB reads them."""


def find_powers(
    relation: str, names: Sequence[str], database: duckdb.DuckDBPyConnection, forms: NumberForms
) -> None:
    """Add columns with cells such as 1E5; `relation` has them as text."""
    for name, example in _find_examples(relation, names, database, _POWER).items():
        if is_code_name(name):
            forms.codes.append(name)
            forms.notes.append(write_note(Sentence.MAY_BE_CODE, name=name, example=example))
        elif math.isfinite(float(example)):
            forms.notes.append(_note_number(name, example, str(float(example))))


def find_dotted(
    relation: str,
    names: Sequence[str],
    database: duckdb.DuckDBPyConnection,
    forms: NumberForms,
    *,
    is_thousands: bool,
) -> None:
    """Add columns whose cells all have one dot and three digits behind it."""
    for name, example in _find_examples(relation, names, database, _DOTTED, all_of=True).items():
        if is_thousands:
            expression = f"({number_expression(name, decimal=',', has_powers=False)})::BIGINT"
            dots = write_note(Sentence.DOT_THOUSANDS)
            note = _note_number(name, example, example.replace(".", ""), dots)
            forms.formats.append(CellFormat(name, expression, note))
        else:
            facts = {"name": name, "example": example, "value": str(float(example))}
            forms.notes.append(write_note(Sentence.DOT_DECIMALS, **facts))


def _note_number(name: str, example: str, value: str, *more: CodedNote) -> CodedNote:
    read = write_note(Sentence.NUMBER_READ, example=example, value=value)
    return write_note(Sentence.COLUMN_READ, name=name, parts=[read, *more])


def _find_examples(
    relation: str,
    names: Sequence[str],
    database: duckdb.DuckDBPyConnection,
    form: str,
    *,
    all_of: bool = False,
) -> dict[str, str]:
    """The first cell of a form in each column that has one, or that has no others."""
    if not names:
        return {}
    firsts = [
        f"first({cell_text(name)}) FILTER ({is_match(name, form)})"
        if not all_of
        else f"CASE WHEN {all_cells(is_match(name, form), name)} THEN first({cell_text(name)}) END"
        for name in names
    ]
    try:
        row = database.execute(f"FROM {relation} SELECT {', '.join(firsts)}").fetchone()
    except duckdb.Error:
        return {}  # explained when the rows are read
    return {name: cell for name, cell in zip(names, row or (), strict=True) if cell is not None}
