"""An index for the branches that begin after a turn."""

from yarrow.db.sql_script import run_sql_beside

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
