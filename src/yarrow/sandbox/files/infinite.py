"""Columns of numbers that begin with an infinity, which DuckDB's guess takes for texts or dates."""

import re
from collections.abc import Sequence

import duckdb

from yarrow.sandbox import duckdb_session

GUESSED_ROWS = 20_480
"""How many rows DuckDB guesses the types from."""

_INFINITY = re.compile(rb"[+-]?\binf(?:inity)?\b", re.IGNORECASE)
_MISTAKEN = frozenset(("VARCHAR", "DATE", "TIMESTAMP"))


def infinite_columns(
    head: bytes, reader: str, database: duckdb.DuckDBPyConnection
) -> Sequence[str]:
    """Those whose first values are all numbers, an infinity among them.

    `reader` lacks its closing bracket. A file whose beginning does not name an infinity costs
    nothing; one that cannot be read has none.
    """
    if _INFINITY.search(head) is None:
        return []
    try:
        database.execute(f"FROM {reader}) LIMIT 0")
        natives = duckdb_session.natives(database)
        names = [name for name, native in natives.items() if native in _MISTAKEN]
        return _all_numbers(names, reader, database)
    except duckdb.Error:
        return []


def _all_numbers(
    names: Sequence[str], reader: str, database: duckdb.DuckDBPyConnection
) -> Sequence[str]:
    if not names:
        return []
    asked = ", ".join(
        f"bool_or(isinf(TRY_CAST({column} AS DOUBLE))) "
        f"AND bool_and({column} IS NULL OR TRY_CAST({column} AS DOUBLE) IS NOT NULL)"
        for column in map(duckdb_session.quote_name, names)
    )
    rows = f"FROM {reader}, all_varchar = true) LIMIT {GUESSED_ROWS}"
    found = database.execute(f"FROM ({rows}) SELECT {asked}").fetchone() or ()
    return [name for name, is_number in zip(names, found, strict=True) if is_number]
