"""PostgreSQL: the pool and its transactions, the embedded server, the migrations."""

from yarrow.db.pool import Database, Row, Tx, open_database

__all__ = ["Database", "Row", "Tx", "open_database"]
