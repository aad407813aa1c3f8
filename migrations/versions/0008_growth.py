"""What lists show is kept with the session, and each order they ask for has an index."""

from yarrow.db.sql_script import run_sql_beside

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
