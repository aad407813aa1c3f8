"""Times of events in the journal."""

from yarrow.db.sql_script import run_sql_beside

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
