"""Model profiles, their bindings to slots, and the configuration of slots."""

from yarrow.db.sql_script import run_sql_beside

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
