"""Snowflake by ADBC. Not tested against the service.

The driver is written in Go and resolves names itself: always below `snowflakecomputing.com`. The
session has a time limit; that it only reads follows from the checked SELECT and the user's role.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pyarrow as pa

from yarrow.sources.connector.driver import (
    BatchStream,
    DriverError,
    DriverMissing,
    LoginDenied,
    QueryTimedOut,
    SourceUnreachable,
)
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.model import SourceAddress, SourceColumn, SourceTable

_TABLES = """
SELECT table_schema, table_name, table_type, row_count, comment FROM information_schema.tables
WHERE table_schema <> 'INFORMATION_SCHEMA' ORDER BY 1, 2 LIMIT {limit}
"""
_COLUMNS = """
SELECT table_schema, table_name, column_name, data_type, comment FROM information_schema.columns
WHERE table_schema <> 'INFORMATION_SCHEMA' ORDER BY ordinal_position
"""


def open_source(address: SourceAddress, limits: ConnectorLimits) -> "SnowflakeDriver":
    try:
        adbc = import_module("adbc_driver_snowflake.dbapi")
    except ModuleNotFoundError as missing:
        raise DriverMissing("snowflake") from missing
    database, _, schema = address.database.partition("/")
    options = {
        "username": address.user,
        "password": address.password,
        "adbc.snowflake.sql.account": address.host.removesuffix(".snowflakecomputing.com"),
        "adbc.snowflake.sql.db": database,
        "adbc.snowflake.sql.schema": schema,
        "adbc.snowflake.sql.warehouse": address.options.get("warehouse", ""),
        "adbc.snowflake.sql.role": address.options.get("role", ""),
        "adbc.snowflake.sql.client_option.login_timeout": "20s",
    }
    chosen = {name: value for name, value in options.items() if value}
    return SnowflakeDriver(adbc, chosen, limits)


class SnowflakeDriver:
    dialect = "snowflake"

    def __init__(self, adbc: Any, options: dict[str, str], limits: ConnectorLimits) -> None:  # noqa: ANN401
        self._errors = import_module("adbc_driver_manager").Error
        try:
            self._connection = adbc.connect(db_kwargs=options, autocommit=True)
        except self._errors as error:
            raise self._translate_error(error, is_connecting=True) from error
        self._cursor = self._connection.cursor()
        self._execute_sql(
            f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {int(limits.seconds) or 1}"
        )

    def read_version(self) -> str:
        self._execute_sql("SELECT current_version()")
        return f"Snowflake {self._cursor.fetchone()[0]}"

    def list_tables(self, limit: int) -> Iterator[SourceTable]:
        self._execute_sql(_COLUMNS)
        columns: dict[tuple[str, str], list[SourceColumn]] = {}
        for schema, table, name, kind, comment in self._cursor.fetchall():
            column = SourceColumn(name, kind, comment or "")
            columns.setdefault((schema, table), []).append(column)
        self._execute_sql(_TABLES.format(limit=limit))
        for schema, name, kind, rows, comment in self._cursor.fetchall():
            described = columns.get((schema, name), [])
            yield SourceTable(schema, name, described, comment or "", rows, "VIEW" in kind)

    def query(self, sql: str) -> BatchStream:
        self._execute_sql(sql)
        reader = self._cursor.fetch_record_batch()
        return BatchStream(list(reader.schema.names), reader.schema, self._iterate_batches(reader))

    def cancel(self) -> None:
        self._cursor.adbc_cancel()

    def close(self) -> None:
        self._connection.close()

    def _execute_sql(self, sql: str) -> None:
        try:
            self._cursor.execute(sql)
        except self._errors as error:
            raise self._translate_error(error) from error

    def _iterate_batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        try:
            yield from reader
        except (self._errors, OSError) as error:
            raise self._translate_error(error) from error

    def _translate_error(self, error: Exception, *, is_connecting: bool = False) -> DriverError:
        text = str(error).splitlines()[0]
        if "390100" in text or "Incorrect username or password" in text:
            return LoginDenied(text)
        if "000630" in text or "timeout" in text.lower():
            return QueryTimedOut(text)
        return SourceUnreachable(text) if is_connecting else DriverError(text)
