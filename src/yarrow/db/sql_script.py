"""The body of a revision: the SQL file of the same name beside the version file."""

from pathlib import Path

from alembic import op


def run_sql_beside(version_file: str) -> None:
    """Emit the script as it is; `op.execute` would read `:name` and `%` in it."""
    script = Path(version_file).with_suffix(".sql")
    op.get_context().impl.static_output(script.read_text(encoding="utf-8"))
