"""Data sources of accounts: databases, files and object stores that tables are loaded from."""
