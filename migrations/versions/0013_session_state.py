"""Session state: namespaces, present values, a snapshot with each reply."""

from yarrow.db.sql_script import run_sql_beside

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
