"""The library: assets with versions, what a session is bound to, variables, pages."""

from yarrow.db.sql_script import run_sql_beside

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
