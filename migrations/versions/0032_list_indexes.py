"""Add indexes for lists of assets, memory jobs and tool calls."""

from yarrow.db.sql_script import run_sql_beside

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
