"""Sweep ended memory jobs and deleted sessions; list failed runs by an index."""

from yarrow.db.sql_script import run_sql_beside

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
