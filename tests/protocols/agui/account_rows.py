"""What the database holds of an account, to see that a refused request changed nothing."""

from yarrow.db import Database

TABLES = {
    "sessions": "user_id",
    "runs": "account_id",
    "points_ledger": "user_id",
    "user_points": "user_id",
}


async def read_account_rows(database: Database, account: str) -> dict[str, list[str]]:
    """Every row of the account, as text."""
    found: dict[str, list[str]] = {}
    async with database.connection() as tx:
        for table, owner in TABLES.items():
            rows = await tx.fetch(
                f"SELECT t::text FROM {table} t WHERE {owner} = $1::text::uuid ORDER BY 1", account
            )
            found[table] = [row[0] for row in rows]
        rows = await tx.fetch(
            "SELECT m::text FROM messages m JOIN sessions s ON s.id = m.session_id"
            " WHERE s.user_id = $1::text::uuid ORDER BY 1",
            account,
        )
        found["messages"] = [row[0] for row in rows]
    return found
