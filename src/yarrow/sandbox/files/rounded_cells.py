"""Note whole numbers of a text that are stored with fewer digits than they are written with."""

import duckdb

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox import duckdb_session
from yarrow.sandbox.files.scan import FileScan
from yarrow.sandbox.files.text_marks import may_have_long_numbers
from yarrow.sandbox.table_notes import Sentence, list_some

_EXACT_INT, _DIGITS = 2**53, 15
"""Whole numbers below it are exact in columns of floating type, and so are those of 15 digits."""


def note_rounded(scan: FileScan, database: duckdb.DuckDBPyConnection, path: str) -> list[CodedNote]:
    """A note of the columns of floating type with numbers that need more digits.

    The stored table is read only if the text has such numbers.
    """
    if scan.text is None or not may_have_long_numbers(scan.text):
        return []
    stored = f"read_parquet({quote_text(path)})"
    database.execute(f"FROM {stored} LIMIT 0")
    natives = duckdb_session.list_native_types(database)
    names = [name for name, native in natives.items() if native == "DOUBLE"]
    if not names:
        return []
    largest = ", ".join(f"max(abs({quote_name(name)}))" for name in names)
    row = database.execute(f"FROM {stored} SELECT {largest}").fetchone() or ()
    rounded = [name for name, most in zip(names, row, strict=True) if most and most >= _EXACT_INT]
    if not rounded:
        return []
    return [write_note(Sentence.ROUNDED, digits=_DIGITS, names=list_some(rounded))]
