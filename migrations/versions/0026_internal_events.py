"""Numbers of events without gaps."""

from yarrow.db.sql_script import run_sql_beside

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
