"""Add the times of stories to the index of their titles."""

from yarrow.db.sql_script import run_sql_beside

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
