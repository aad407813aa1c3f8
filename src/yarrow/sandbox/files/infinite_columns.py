"""Find numeric columns that begin with an infinity: DuckDB detects those as text or dates."""

import re
from collections.abc import Sequence

import duckdb

from yarrow.kit.sql_text import quote_name
from yarrow.sandbox import duckdb_session

SAMPLED_ROWS = 20_480
"""Rows from which DuckDB detects the types."""

_INFINITY = re.compile(rb"[+-]?\binf(?:inity)?\b", re.IGNORECASE)
_MISDETECTED = frozenset(("VARCHAR", "DATE", "TIMESTAMP"))


def find_infinite_columns(
    head: bytes, reader: str, database: duckdb.DuckDBPyConnection
) -> Sequence[str]:
    """Columns whose first values are all numbers and include an infinity.

    `reader` is a `read_csv` call without its closing bracket. Without `inf` in the file's head no
    query runs; an unreadable file has no such columns.
    """
    if _INFINITY.search(head) is None:
        return []
    try:
        database.execute(f"FROM {reader}) LIMIT 0")
        natives = duckdb_session.list_native_types(database)
        names = [name for name, native in natives.items() if native in _MISDETECTED]
        return _find_numeric_columns(names, reader, database)
    except duckdb.Error:
        return []


def _find_numeric_columns(
    names: Sequence[str], reader: str, database: duckdb.DuckDBPyConnection
) -> Sequence[str]:
    if not names:
        return []
    checks = ", ".join(
        f"bool_or(isinf(TRY_CAST({column} AS DOUBLE))) "
        f"AND bool_and({column} IS NULL OR TRY_CAST({column} AS DOUBLE) IS NOT NULL)"
        for column in map(quote_name, names)
    )
    rows = f"FROM {reader}, all_varchar = true) LIMIT {SAMPLED_ROWS}"
    row = database.execute(f"FROM ({rows}) SELECT {checks}").fetchone() or ()
    return [name for name, is_number in zip(names, row, strict=True) if is_number]
