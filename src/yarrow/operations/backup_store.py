"""SQL of backups: a snapshot that several connections share, and what it holds."""

from yarrow.db import Tx
from yarrow.ids import TableId
from yarrow.operations.stored_files import StoredRows

COUNTED = {
    "accounts": "auth.users",
    "sessions": "public.sessions",
    "messages": "public.messages",
    "runs": "public.runs",
    "tables": "public.datasets",
}
"""Tables whose rows a backup counts, by the name that its manifest uses."""
UPLOADS = "SELECT path FROM attachments WHERE bytes IS NOT NULL"
TABLES = "SELECT id FROM datasets WHERE live"


async def export_snapshot(tx: Tx) -> str:
    """The id of this transaction's snapshot; valid until the transaction ends."""
    return str(await tx.fetchval("SELECT pg_export_snapshot()"))


async def count_rows(tx: Tx) -> dict[str, int]:
    return {
        name: int(await tx.fetchval(f"SELECT count(*) FROM {table}"))  # noqa: S608
        for name, table in COUNTED.items()
    }


async def read_stored_rows(tx: Tx) -> StoredRows:
    """All rows that have a file."""
    uploads, tables = [[row[0] for row in await tx.fetch(query)] for query in (UPLOADS, TABLES)]
    return StoredRows(frozenset(uploads), frozenset(map(TableId, tables)))


async def is_empty(tx: Tx) -> bool:
    """Whether the database has no tables yet, ours or another product's."""
    found = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM pg_tables "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema'))"
    )
    return not found
