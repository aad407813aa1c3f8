"""PostgreSQL: connection pool, migrations, embedded server."""

from yarrow.db.pool import Database, Row, Tx, open_database

__all__ = ["Database", "Row", "Tx", "open_database"]
