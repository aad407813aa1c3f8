"""Add indexes for the filters of lists of memories, and count an account's memories in steps."""

from yarrow.db.sql_script import run_sql_beside

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
