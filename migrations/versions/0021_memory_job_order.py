"""Indexes for claiming memory jobs in turn over accounts."""

from yarrow.db.sql_script import run_sql_beside

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
