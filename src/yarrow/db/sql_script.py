"""Version files are thin: the schema of a revision is the SQL file of the same name beside it."""

from pathlib import Path

from alembic import op
from alembic.util import CommandError
from sqlalchemy.util import await_only


def run_sql_beside(version_file: str) -> None:
    """Send the whole script at once, in the transaction of the migration.

    SQLAlchemy prepares what it executes, and PostgreSQL prepares one statement at a time, so
    the script goes to asyncpg directly.
    """
    script = Path(version_file).with_suffix(".sql")
    raw = op.get_bind().connection.driver_connection
    assert raw is not None
    # SQLAlchemy begins on its first statement; env.py has asked for the lock by now.
    assert raw.is_in_transaction()
    await_only(raw.execute(script.read_text(encoding="utf-8")))
    if not raw.is_in_transaction():
        raise CommandError(f"{script.name} must not end its transaction")
