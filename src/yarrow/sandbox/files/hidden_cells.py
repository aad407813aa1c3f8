"""Remove what cannot be seen in cells of text: `North ` and `North` would be two places.

Spaces around a text, characters without a width, and two ways to write one accented letter.
"""

from collections.abc import Mapping, Sequence

import duckdb
from msgspec import Struct, field

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox.files.scan import FileScan
from yarrow.sandbox.files.text_marks import may_have_hidden
from yarrow.sandbox.table_notes import Sentence, list_some

_WIDTHLESS = r"[\x{00AD}\x{200B}\x{200E}\x{200F}\x{2060}\x{FEFF}]"
"""Not the joiners, which change how letters look."""
_SPACES = r"[\x{00A0}\x{2000}-\x{200A}\x{202F}]"
"""Those that look like a plain one."""
_AROUND = r"^[\s\x{3000}]+|[\s\x{3000}]+$"


class ShownCells(Struct, frozen=True):
    """How columns of text are read without what is hidden in them, and which values that joins."""

    casts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[CodedNote, ...] = ()


def find_hidden(
    scan: FileScan, names: Sequence[str], database: duckdb.DuckDBPyConnection
) -> ShownCells:
    """The named columns of text that have such cells; the rows are read only if the file may."""
    if not names or scan.text is None or not may_have_hidden(scan.text):
        return ShownCells()
    hidden = {name: f"bool_or({_has_hidden(quote_name(name))})" for name in names}
    casts = {name: _write_shown(quote_name(name)) for name in _select(hidden, scan, database)}
    fewer = {
        name: f"count(DISTINCT {quote_name(name)}) FILTER ({sql} IS NOT NULL) "
        f"> count(DISTINCT {sql})"
        for name, sql in casts.items()
    }
    joined = _select(fewer, scan, database)
    notes = (write_note(Sentence.TRIMMED, names=list_some(joined)),) if joined else ()
    return ShownCells(casts, notes)


def _select(
    conditions: Mapping[str, str], scan: FileScan, database: duckdb.DuckDBPyConnection
) -> list[str]:
    """The names of the conditions that hold for the rows."""
    if not conditions:
        return []
    query = f"FROM {scan.relation} SELECT {', '.join(conditions.values())}"
    row = database.execute(query).fetchone() or ()
    return [name for name, holds in zip(conditions, row, strict=True) if holds]


def _has_hidden(column: str) -> str:
    """SQL: whether a text is not as it is seen; one pattern, because tables may be wide."""
    pattern = rf"{_WIDTHLESS}|{_SPACES}|^[\s\x{{3000}}]|[\s\x{{3000}}]$"
    return f"regexp_matches({column}, {quote_text(pattern)}) OR nfc_normalize({column}) <> {column}"


def _write_shown(column: str) -> str:
    """SQL: the text as it is seen; null if nothing of it is."""
    text = f"nfc_normalize({column})"
    for pattern, put in ((_WIDTHLESS, ""), (_SPACES, " "), (_AROUND, "")):
        text = f"regexp_replace({text}, {quote_text(pattern)}, {quote_text(put)}, 'g')"
    return f"CASE WHEN {_has_hidden(column)} THEN nullif({text}, '') ELSE {column} END"
