"""Tables that a run makes belong to a step of the run."""

from yarrow.db.sql_script import run_sql_beside

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
