"""Decide which columns of percentages are stored as fractions."""

import duckdb

from yarrow.charting import looks_like_fraction


def are_fractions(
    name: str, expression: str, relation: str, database: duckdb.DuckDBPyConnection
) -> bool:
    """Whether charts of this table, or of one made from it, would take 0.5 % for a half."""
    query = f"FROM {relation} SELECT approx_quantile(abs({expression}), 0.9)"
    ((typical,),) = database.execute(query).fetchall()
    return typical is not None and looks_like_fraction(name, typical)
