"""A PostgreSQL server in the data dir, started and stopped by Yarrow."""
