"""Lock and read the variables of a branch in one statement."""

from yarrow.db.sql_script import run_sql_beside

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
