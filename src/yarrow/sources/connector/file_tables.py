"""Views of DuckDB over files: one for each Parquet, CSV or JSON file."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

import duckdb
from msgspec import Struct

from yarrow.kit.sql_text import quote_name, quote_text
from yarrow.sources.model import SourceTable

UNREADABLE = "This file cannot be read as a table: check its format and encoding."
READERS: Final = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".csv.gz": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}


class FileTable(Struct, frozen=True):
    """A file by its path below the source, and the address that DuckDB opens."""

    path: str
    address: str
    schema: str = ""
    name: str = ""
    reader: str = ""


def find_ending(path: str) -> str:
    """The ending of a file that is a table, else an empty text."""
    return next((ending for ending in READERS if path.lower().endswith(ending)), "")


def name_tables(files: Iterable[FileTable]) -> list[FileTable]:
    """The files that are tables; the second of two equal names keeps its ending."""
    taken: set[tuple[str, str]] = set()
    tables: list[FileTable] = []
    for file in files:
        path = PurePosixPath(file.path)
        ending = find_ending(file.path)
        if not ending:
            continue
        schema = str(path.parent) if len(path.parts) > 1 else "main"
        stem = path.name[: -len(ending)]
        name = stem if (schema, stem.casefold()) not in taken else path.name
        taken.add((schema, name.casefold()))
        tables.append(FileTable(file.path, file.address, schema, name, READERS[ending]))
    return tables


def create_views(
    connection: duckdb.DuckDBPyConnection, tables: Sequence[FileTable]
) -> list[SourceTable]:
    """Create a view for each file; those that cannot be read are returned, without columns."""
    for schema in sorted({table.schema for table in tables}):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quote_name(schema)}")
    unreadable: list[SourceTable] = []
    for table in tables:
        try:
            connection.execute(_write_view_statement(table))
        except duckdb.Error:
            unreadable.append(SourceTable(table.schema, table.name, [], UNREADABLE))
    return unreadable


def _write_view_statement(table: FileTable) -> str:
    address = quote_text(_escape_globs(table.address))
    target = f"{quote_name(table.schema)}.{quote_name(table.name)}"
    return f"CREATE VIEW {target} AS SELECT * FROM {table.reader}({address})"  # noqa: S608


def _escape_globs(address: str) -> str:
    """DuckDB reads names with these characters as patterns of other files."""
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in address)
