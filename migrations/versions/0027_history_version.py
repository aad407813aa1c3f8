"""The version of a session's history."""

from yarrow.db.sql_script import run_sql_beside

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
