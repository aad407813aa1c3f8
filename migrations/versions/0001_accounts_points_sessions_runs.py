"""The foundation: accounts, points, sessions, messages, and the engine's tables."""

from yarrow.db.sql_script import run_sql_beside

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
