"""Record the tool calls of stories, and which tools a session allows."""

from yarrow.db.sql_script import run_sql_beside

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
