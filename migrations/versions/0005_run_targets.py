"""Runs that retry or replace a turn, one active run a branch, and requests that wait for it."""

from yarrow.db.sql_script import run_sql_beside

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
