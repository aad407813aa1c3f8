"""Let a turn be taken away without another one in its place."""

from yarrow.db.sql_script import run_sql_beside

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
