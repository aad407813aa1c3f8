"""DuckDB files, opened read-only and without access to anything else."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from yarrow.sources.connector.driver import (
    BatchStream,
    DriverError,
    QueryTimedOut,
    SourceUnreachable,
)
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.model import SourceAddress, SourceColumn, SourceTable

BATCH_ROWS = 50_000
_TABLES = """
SELECT schema_name, table_name, comment, estimated_size, false FROM duckdb_tables()
WHERE database_name = current_database() AND NOT internal
UNION ALL
SELECT schema_name, view_name, comment, NULL, true FROM duckdb_views()
WHERE database_name = current_database() AND NOT internal
ORDER BY 1, 2 LIMIT ?
"""
_COLUMNS = """
SELECT schema_name, table_name, list([column_name, data_type, coalesce(comment, '')]
    ORDER BY column_index)
FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal GROUP BY 1, 2
"""


def open_source(address: SourceAddress, limits: ConnectorLimits) -> "DuckDbDriver":
    path = Path(address.database)
    if not path.is_file():
        raise SourceUnreachable("there is no such file")
    try:
        connection = duckdb.connect(str(path), read_only=True, config=build_config(limits))
    except duckdb.Error as error:
        raise SourceUnreachable(shorten_error(error)) from error
    lock_database(connection)
    return DuckDbDriver(connection, limits)


def build_config(limits: ConnectorLimits) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "threads": 2,
        "memory_limit": f"{limits.memory_bytes // 2 // 1024 // 1024}MB",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,
    }


def lock_database(connection: duckdb.DuckDBPyConnection) -> None:
    """No file, no network, no other database; and no way to change that."""
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def shorten_error(error: Exception) -> str:
    return str(error).splitlines()[0]


class DuckDbDriver:
    dialect = "duckdb"

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        limits: ConnectorLimits,
        unreadable: Sequence[SourceTable] = (),
    ) -> None:
        """`unreadable` tables are listed after those that have columns."""
        self._connection = connection
        self._unreadable = unreadable
        self._timed_out = False
        self._timer = threading.Timer(limits.seconds, self._interrupt_query)
        self._timer.daemon = True
        self._timer.start()

    def read_version(self) -> str:
        return f"DuckDB {duckdb.__version__}"

    def list_tables(self, limit: int) -> Iterator[SourceTable]:
        columns = {
            (schema, table): [SourceColumn(*column) for column in described]
            for schema, table, described in self._connection.execute(_COLUMNS).fetchall()
        }
        for row in self._connection.execute(_TABLES, [limit]).fetchall():
            schema, name, comment, size, is_view = row
            described = columns.get((schema, name), [])
            yield SourceTable(schema, name, described, comment or "", size, bool(is_view))
        yield from self._unreadable

    def query(self, sql: str) -> BatchStream:
        try:
            reader: pa.RecordBatchReader = self._connection.sql(sql).to_arrow_reader(BATCH_ROWS)
        except duckdb.Error as error:
            raise self._translate_error(error) from error
        return BatchStream(list(reader.schema.names), reader.schema, self._iterate_batches(reader))

    def cancel(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        self._timer.cancel()
        self._connection.close()

    def _iterate_batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        try:
            yield from reader
        except (duckdb.Error, OSError, RuntimeError) as error:
            raise self._translate_error(error) from error

    def _translate_error(self, error: Exception) -> DriverError:
        return (
            QueryTimedOut(shorten_error(error))
            if self._timed_out
            else DriverError(shorten_error(error))
        )

    def _interrupt_query(self) -> None:
        self._timed_out = True
        self._connection.interrupt()
