"""SQL of backups: a snapshot that several connections share, and what it holds."""

from yarrow.db import Tx

COUNTED = {
    "accounts": "auth.users",
    "sessions": "public.sessions",
    "messages": "public.messages",
    "runs": "public.runs",
    "tables": "public.datasets",
}
"""Tables whose rows a backup counts, by the name that its manifest uses."""


async def export_snapshot(tx: Tx) -> str:
    """The id of this transaction's snapshot; valid until the transaction ends."""
    return str(await tx.fetchval("SELECT pg_export_snapshot()"))


async def count_rows(tx: Tx) -> dict[str, int]:
    return {
        name: int(await tx.fetchval(f"SELECT count(*) FROM {table}"))  # noqa: S608
        for name, table in COUNTED.items()
    }


async def is_empty(tx: Tx) -> bool:
    """Whether the database has no tables yet, ours or another product's."""
    found = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM pg_tables "
        "WHERE schemaname NOT IN ('pg_catalog', 'information_schema'))"
    )
    return not found
