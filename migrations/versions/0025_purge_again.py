"""Purge sessions of earlier versions again."""

from yarrow.db.sql_script import run_sql_beside

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
