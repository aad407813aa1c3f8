"""Count the unfinished runs of an account."""

from yarrow.db.sql_script import run_sql_beside

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
