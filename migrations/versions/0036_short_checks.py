"""Write the longest CHECK constraints in fewer words."""

from yarrow.db.sql_script import run_sql_beside

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
