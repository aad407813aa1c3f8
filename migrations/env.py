"""Alembic's entry: apply the revisions on the connection that the runner has opened."""

from alembic import context
from sqlalchemy import Connection, text

# Any fixed number does; this one spells "yarrow" in bytes.
LOCK_KEY = int.from_bytes(b"yarrow", "big")


def run(connection: Connection) -> None:
    context.configure(connection=connection, transaction_per_migration=False)
    with context.begin_transaction():
        # The revision is read after the lock: whoever had to wait finds nothing left to do.
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
        context.run_migrations()


run(context.config.attributes["connection"])
