"""Made: what a job says of a frame, taken for no more than it can be.

The job may have run foreign code, so what it says is checked for its shape. Whether the rows are
those of the file is between the code and its owner: both are seen by nobody else.
"""

from yarrow.sandbox.model import COLUMN_TYPES, Limits, Seen, TableResult
from yarrow.sandbox.protocol import Made

MOST_ROWS = 2**63 - 1


class Nonsense(Exception):
    """No honest job says this."""


def seen(made: Made, limits: Limits) -> Seen:
    """The first rows, which are within the limits and have the columns they say."""
    names = [column.name for column in made.columns]
    # Each row will be an object with all the names in it, which the answer had only once.
    named_chars = len(made.values) * sum(map(len, names))
    fits = (
        len(set(names)) == len(names)
        and named_chars <= limits.result_bytes
        and all(column.type in COLUMN_TYPES for column in made.columns)
        and len(made.values) <= min(limits.rows, made.row_count)
        and made.row_count <= MOST_ROWS
        and all(len(row) == len(names) for row in made.values)
    )
    if not fits:
        raise Nonsense
    rows = [dict(zip(names, row, strict=True)) for row in made.values]
    return Seen(TableResult(made.columns, rows, made.truncated, made.row_count), made.row_count)
