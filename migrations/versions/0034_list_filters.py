"""Add what lists are filtered by to their indexes."""

from yarrow.db.sql_script import run_sql_beside

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
