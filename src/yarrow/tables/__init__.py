"""Uploaded and derived tables: rows as Parquet files, metadata in PostgreSQL."""
