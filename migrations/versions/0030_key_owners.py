"""Give reservations of idempotency keys an owner, and waiting requests a trace."""

from yarrow.db.sql_script import run_sql_beside

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
