"""Alembic's entry, in offline mode only: revisions become SQL that `yarrow.db.migrate` applies.

The product migrates by itself when it starts, or by `yarrow db upgrade`. From the root of the
repository, a new revision: `alembic -c migrations/alembic.ini revision --rev-id 0006 -m "..."`.
"""

from alembic import context

if context.is_offline_mode():
    context.configure(dialect_name="postgresql")
    # Without begin_transaction(): the caller has the transaction, and the lock in it.
    context.run_migrations()
else:
    raise SystemExit("use `yarrow db upgrade`, or --sql to see what it would do")
