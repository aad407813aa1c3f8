"""The catalogue of a source as batches of JSON, within limits.

Whoever owns a source decides how many tables, columns and comments it has. The server reads one
batch at a time, so none takes long to decode.
"""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from yarrow.sources.model import SourceCatalogue, SourceTable

MAX_BYTES = 16 * 1024 * 1024
MAX_TABLE_BYTES = 256 * 1024
"""Some five thousand columns."""
MAX_COMMENT_CHARS = 1_000
BATCH_BYTES = 128 * 1024
BATCH_TABLES = 500


def write_catalogue(tables: Iterable[SourceTable], *, limit: int) -> SourceCatalogue:
    """The first tables as JSON lists; truncated if not all fit, or one is too large alone."""
    batches: list[bytes] = []
    batch: list[bytes] = []
    count = size = batch_size = 0
    is_truncated = False
    for table in tables:
        encoded = msgspec.json.encode(_cut_comments(table))
        if count == limit or size + len(encoded) > MAX_BYTES:
            is_truncated = True
            break
        if len(encoded) > MAX_TABLE_BYTES:
            is_truncated = True
            continue
        if len(batch) == BATCH_TABLES or (batch and batch_size + len(encoded) > BATCH_BYTES):
            batches.append(_join_tables(batch))
            batch, batch_size = [], 0
        batch.append(encoded)
        count, size, batch_size = count + 1, size + len(encoded), batch_size + len(encoded)
    if batch:
        batches.append(_join_tables(batch))
    return SourceCatalogue(batches, count, is_truncated)


def _join_tables(tables: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(tables) + b"]"


def _cut_comments(table: SourceTable) -> SourceTable:
    columns = [
        replace(column, comment=column.comment[:MAX_COMMENT_CHARS])
        if len(column.comment) > MAX_COMMENT_CHARS
        else column
        for column in table.columns
    ]
    return replace(table, comment=table.comment[:MAX_COMMENT_CHARS], columns=columns)
