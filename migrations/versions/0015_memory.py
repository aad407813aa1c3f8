"""Memories of stories, their edges, and jobs that write them after a turn."""

from yarrow.db.sql_script import run_sql_beside

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
