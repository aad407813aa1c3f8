"""Runs that end their answer early at the user's request, and the runs of a story's turn."""

from yarrow.db.sql_script import run_sql_beside

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
