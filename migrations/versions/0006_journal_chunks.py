"""The journal in chunks: a row a flush instead of a row an event, in partitions by time."""

from yarrow.db.sql_script import run_sql_beside

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
