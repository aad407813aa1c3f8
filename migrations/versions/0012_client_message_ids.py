"""Find a message by the id that its client gave it."""

from yarrow.db.sql_script import run_sql_beside

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
