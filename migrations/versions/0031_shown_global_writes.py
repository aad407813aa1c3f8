"""Store what replies wrote to global variables, for explanations."""

from yarrow.db.sql_script import run_sql_beside

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
