"""Keep what turns wrote to global variables in the order of their commits."""

from yarrow.db.sql_script import run_sql_beside

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
