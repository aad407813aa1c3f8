"""A folder of Parquet, CSV and JSON files: each is a table, its sub-folder the schema."""

from collections.abc import Iterator
from pathlib import Path

import duckdb

from yarrow.sources.connector.driver import SourceUnreachable
from yarrow.sources.connector.drivers.duckdb_file import DuckDbDriver, build_config, lock_database
from yarrow.sources.connector.file_tables import FileTable, create_views, find_ending, name_tables
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.model import SourceAddress

MAX_DEPTH = 8


def open_source(address: SourceAddress, limits: ConnectorLimits) -> DuckDbDriver:
    folder = Path(address.database).resolve()
    if not folder.is_dir():
        raise SourceUnreachable("there is no such folder")
    connection = duckdb.connect(config=build_config(limits))
    connection.execute("SET allowed_directories = [$folder]", {"folder": f"{folder}/"})
    tables = name_tables(_list_files(folder, limits.tables + 1))
    unreadable = create_views(connection, tables)
    lock_database(connection)
    return DuckDbDriver(connection, limits, unreadable)


def _list_files(folder: Path, limit: int) -> Iterator[FileTable]:
    """Files that are tables; links may lead out of the folder and are left out."""
    count = 0
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in relative.parts)
        if is_hidden or len(relative.parts) > MAX_DEPTH or count >= limit:
            continue
        if find_ending(path.name) and path.is_file() and path.resolve() == path:
            count += 1
            yield FileTable(str(relative), str(path))
