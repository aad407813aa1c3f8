"""Note numbers that are stored as empty: infinities, NaN and those too large, such as 1e400."""

import duckdb

from yarrow.kit.notes import CodedNote, write_note
from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sandbox.files.scan import FileScan
from yarrow.sandbox.files.text_marks import may_have_infinite
from yarrow.sandbox.table_notes import Sentence

_FLOATS = ("DOUBLE", "FLOAT")
"""Types of Parquet."""


def note_infinite(
    scan: FileScan, database: duckdb.DuckDBPyConnection, path: str, *, rows: int
) -> list[CodedNote]:
    """A note for each column whose stored `rows` have fewer numbers than those of the source.

    The source is read again, once, only if a column of floating type has empty cells and its bytes
    may be such numbers. There are no notes if they cannot be counted.
    """
    try:
        lost = _count_lost(scan, database, path, rows=rows)
    except duckdb.Error:
        return []
    counts = {name: count for name, count in lost.items() if count}
    return [write_note(Sentence.NOT_FINITE, name=n, count=count) for n, count in counts.items()]


def _count_lost(
    scan: FileScan, database: duckdb.DuckDBPyConnection, path: str, *, rows: int
) -> dict[str, int]:
    found = database.execute(
        f"FROM parquet_metadata({quote_text(path)}) SELECT path_in_schema, sum(stats_null_count) "
        f"WHERE type IN {_FLOATS} GROUP BY ALL HAVING sum(stats_null_count) > 0 "
        "ORDER BY min(column_id)"
    ).fetchall()
    nulls = {name: int(count) for name, count in found if name not in scan.casts}
    if not nulls or (scan.text is not None and not may_have_infinite(scan.text)):
        return {}
    counts = ", ".join(f"count({quote_name(name)})" for name in nulls)
    source = f"(FROM {scan.relation} SELECT {', '.join(map(quote_name, nulls))} LIMIT {rows})"
    filled = database.execute(f"FROM {source} SELECT {counts}").fetchone() or ()
    return {name: count - (rows - nulls[name]) for name, count in zip(nulls, filled, strict=True)}
