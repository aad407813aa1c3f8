"""Answers of POSTs that were sent with an Idempotency-Key."""

from yarrow.db.sql_script import run_sql_beside

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
