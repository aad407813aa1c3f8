"""Datasets: tables that users bring."""

from yarrow.db.sql_script import run_sql_beside

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
