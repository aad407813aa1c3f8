"""SQL of data sources and their catalogues."""

from collections.abc import Sequence
from uuid import UUID

import asyncpg
import msgspec

from yarrow.db import Row, Tx
from yarrow.db.patterns import escape_like
from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject
from yarrow.sources.errors import SourceExists
from yarrow.sources.model import (
    SourceCatalogue,
    SourceColumn,
    SourceKind,
    SourceTable,
    StoredSource,
)

_SOURCE = "id, name, kind, address, secret, created_at, catalogue_at, table_count, is_truncated"
_TABLE = "schema_name, name, is_view, comment, row_estimate, columns"
_INSERT_TABLES = """
INSERT INTO source_tables
    (source_id, schema_name, name, is_view, comment, row_estimate, columns, words)
SELECT $1, schema_name, name, is_view, comment, row_estimate, columns, words
FROM jsonb_to_recordset($2) AS new (schema_name text, name text, is_view boolean, comment text,
    row_estimate bigint, columns jsonb, words text)
ON CONFLICT DO NOTHING
"""


async def lock_sources(tx: Tx, account_id: AccountId) -> None:
    """Block other transactions of the account that add a source: their number is limited."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 5))", str(account_id))


async def count_sources(tx: Tx, account_id: AccountId) -> int:
    count: int = await tx.fetchval(
        "SELECT count(*) FROM data_sources WHERE account_id = $1", account_id
    )
    return count


async def insert_source(tx: Tx, account_id: AccountId, source: StoredSource) -> None:
    """Raises `SourceExists` if the account has one of this name."""
    try:
        await tx.execute(
            "INSERT INTO data_sources (id, account_id, name, kind, address, secret) "
            "VALUES ($1, $2, $3, $4, $5, $6)",
            source.id,
            account_id,
            source.name,
            source.kind,
            source.address,
            source.secret,
        )
    except asyncpg.UniqueViolationError:
        raise SourceExists(source.name) from None


async def list_sources(tx: Tx, account_id: AccountId) -> list[StoredSource]:
    """By name."""
    rows = await tx.fetch(
        f"SELECT {_SOURCE} FROM data_sources WHERE account_id = $1 ORDER BY name",  # noqa: S608
        account_id,
    )
    return [_build_source(row) for row in rows]


async def find_source(tx: Tx, account_id: AccountId, name: str) -> StoredSource | None:
    row = await tx.fetchrow(
        f"SELECT {_SOURCE} FROM data_sources WHERE account_id = $1 AND name = $2",  # noqa: S608
        account_id,
        name,
    )
    return None if row is None else _build_source(row)


async def delete_source(tx: Tx, account_id: AccountId, name: str) -> bool:
    status = await tx.execute(
        "DELETE FROM data_sources WHERE account_id = $1 AND name = $2", account_id, name
    )
    return bool(status != "DELETE 0")


async def replace_catalogue(tx: Tx, source_id: UUID, catalogue: SourceCatalogue) -> bool:
    """Store the tables of a source in place of the old ones; False if the source is gone."""
    status = await tx.execute(
        "UPDATE data_sources SET catalogue_at = now(), table_count = $2, is_truncated = $3 "
        "WHERE id = $1",
        source_id,
        catalogue.table_count,
        catalogue.is_truncated,
    )
    if status == "UPDATE 0":
        return False
    await tx.execute("DELETE FROM source_tables WHERE source_id = $1", source_id)
    for batch in catalogue.batches:
        tables = msgspec.json.decode(batch, type=list[SourceTable])
        await tx.execute(_INSERT_TABLES, source_id, [_encode_table(table) for table in tables])
    return True


async def list_tables(
    tx: Tx,
    source_id: UUID,
    *,
    words: Sequence[str] = (),
    limit: int | None = None,
    offset: int = 0,
) -> list[SourceTable]:
    """The tables in whose names, comments and columns all words occur, by schema and name."""
    rows = await tx.fetch(
        f"SELECT {_TABLE} FROM source_tables "  # noqa: S608
        "WHERE source_id = $1 AND words LIKE ALL ($2) "
        "ORDER BY schema_name, name LIMIT $3 OFFSET $4",
        source_id,
        [f"%{escape_like(word.lower())}%" for word in words],
        limit,
        offset,
    )
    return [_build_table(row) for row in rows]


async def find_table(tx: Tx, source_id: UUID, key: str) -> SourceTable | None:
    """The table of this key; of a bare name, if only one schema has it."""
    rows = await tx.fetch(
        f"SELECT {_TABLE} FROM source_tables WHERE source_id = $1 "  # noqa: S608
        "AND (name = $2 OR schema_name || '.' || name = $2) LIMIT 3",
        source_id,
        key,
    )
    tables = [_build_table(row) for row in rows]
    exact = next((table for table in tables if table.key == key), None)
    return tables[0] if exact is None and len(tables) == 1 else exact


def _encode_table(table: SourceTable) -> JsonObject:
    columns = [[column.name, column.type, column.comment] for column in table.columns]
    noted = (text for name, _, comment in columns for text in (name, comment) if text)
    return {
        "schema_name": _remove_nul(table.schema),
        "name": _remove_nul(table.name),
        "is_view": table.is_view,
        "comment": _remove_nul(table.comment),
        "row_estimate": table.row_estimate,
        "columns": [[_remove_nul(text) for text in column] for column in columns],
        "words": _remove_nul("\n".join((table.key, table.comment, *noted)).lower()),
    }


def _remove_nul(text: str) -> str:
    """PostgreSQL stores no NUL."""
    return text.replace("\0", "")


def _build_source(row: Row) -> StoredSource:
    return StoredSource(
        id=row["id"],
        name=row["name"],
        kind=SourceKind(row["kind"]),
        address=row["address"],
        secret=row["secret"],
        created_at=row["created_at"],
        catalogue_at=row["catalogue_at"],
        table_count=row["table_count"],
        is_truncated=row["is_truncated"],
    )


def _build_table(row: Row) -> SourceTable:
    return SourceTable(
        schema=row["schema_name"],
        name=row["name"],
        columns=[SourceColumn(*column) for column in row["columns"]],
        comment=row["comment"],
        row_estimate=row["row_estimate"],
        is_view=row["is_view"],
    )
