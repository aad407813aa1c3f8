"""Data sources of accounts and their catalogues; the origin of tables."""

from yarrow.db.sql_script import run_sql_beside

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
