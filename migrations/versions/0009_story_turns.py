"""The turns of a storyteller: state after each reply, the prompt it was made from, its branch."""

from yarrow.db.sql_script import run_sql_beside

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
