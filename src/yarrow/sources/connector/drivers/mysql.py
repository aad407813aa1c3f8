"""MySQL and MariaDB by PyMySQL, with a cursor that streams."""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pyarrow as pa
import pymysql
from pymysql.constants import CLIENT, FIELD_TYPE, FLAG
from pymysql.converters import conversions
from pymysql.cursors import SSCursor

from yarrow.sources.connector.driver import (
    BatchStream,
    DriverError,
    LoginDenied,
    QueryTimedOut,
    SourceUnreachable,
)
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.connector.pinned_address import pin_address
from yarrow.sources.connector.row_batches import DeclaredType, build_batches, infer_declared
from yarrow.sources.model import SourceAddress, SourceColumn, SourceTable

BINARY_CHARSET = 63
CONNECT_TIMEOUT_S = 10
READ_TIMEOUT_MARGIN_S = 10
_DENIED = frozenset({1044, 1045, 1049, 1698, 3118})
_TIMED_OUT = frozenset({1317, 1969, 3024})
_AWAY = frozenset({2002, 2003, 2006, 2013, 2055})
_TABLES = """
SELECT t.table_schema, t.table_name, t.table_type LIKE '%%VIEW%%', t.table_rows, t.table_comment
FROM information_schema.tables t
WHERE t.table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
ORDER BY 1, 2 LIMIT %s
"""
_COLUMNS = """
SELECT c.table_schema, c.table_name, c.column_name, c.column_type, c.column_comment
FROM information_schema.columns c
WHERE c.table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
ORDER BY c.ordinal_position
"""


def open_source(address: SourceAddress, limits: ConnectorLimits) -> "MySqlDriver":
    pin_address(address.host, address.ip, address.port)
    return MySqlDriver(address, limits)


def _open_connection(address: SourceAddress, seconds: float) -> "pymysql.Connection[SSCursor]":
    context = ssl.create_default_context() if address.options.get("tls") == "true" else None
    try:
        return pymysql.connect(
            host=address.host,
            port=address.port,
            user=address.user,
            password=address.password,
            database=address.database,
            charset="utf8mb4",
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=int(seconds) + READ_TIMEOUT_MARGIN_S,
            ssl=context,
            local_infile=False,
            client_flag=CLIENT.MULTI_RESULTS,
            conv={**conversions, FIELD_TYPE.BIT: int.from_bytes},
            autocommit=True,
            cursorclass=SSCursor,
        )
    except pymysql.MySQLError as error:
        raise _translate_error(error, is_connecting=True) from error


class MySqlDriver:
    """A session that is read-only and has a time limit for each statement."""

    dialect = "mysql"

    def __init__(self, address: SourceAddress, limits: ConnectorLimits) -> None:
        self._address, self._limits = address, limits
        self._connection = _open_connection(address, limits.seconds)
        self._version = str(self._fetch_rows("SELECT version()")[0][0])
        is_mariadb = "mariadb" in self._version.lower()
        limit = (
            f"SET SESSION max_statement_time = {limits.seconds:.3f}"
            if is_mariadb
            else f"SET SESSION max_execution_time = {int(limits.seconds * 1000)}"
        )
        for statement in ("SET SESSION TRANSACTION READ ONLY", "SET time_zone = '+00:00'", limit):
            self._fetch_rows(statement)
        self._fetch_rows("START TRANSACTION READ ONLY")

    def read_version(self) -> str:
        return self._version if "mariadb" in self._version.lower() else f"MySQL {self._version}"

    def list_tables(self, limit: int) -> Iterator[SourceTable]:
        columns: dict[tuple[str, str], list[SourceColumn]] = {}
        for schema, table, *described in self._fetch_rows(_COLUMNS):
            column = SourceColumn(*map(str, described))
            columns.setdefault((str(schema), str(table)), []).append(column)
        for schema, name, is_view, rows, comment in self._fetch_rows(_TABLES, (limit,)):
            key = (str(schema), str(name))
            estimate = int(str(rows)) if rows is not None else None
            text = "" if is_view else str(comment)
            yield SourceTable(*key, columns.get(key, []), text, estimate, bool(is_view))

    def query(self, sql: str) -> BatchStream:
        cursor = self._connection.cursor()
        try:
            cursor.execute(sql)
        except pymysql.MySQLError as error:
            raise _translate_error(error) from error
        description = cursor.description or ()
        names = [str(column[0]) for column in description]
        declared = [
            DeclaredType(
                field.type_code,
                length=field.length,
                scale=field.scale,
                is_unsigned=bool(field.flags & FLAG.UNSIGNED),
                is_binary=field.charsetnr == BINARY_CHARSET,
            )
            for field in cursor._result.fields
        ]
        columns = [pa.field(str(at), infer_declared(kind)) for at, kind in enumerate(declared)]
        schema, batches = build_batches(columns, _iterate_rows(cursor))
        return BatchStream(names, schema, batches)

    def cancel(self) -> None:
        """A second connection kills the query: the first is busy with its rows."""
        other = _open_connection(self._address, CONNECT_TIMEOUT_S)
        with suppress(pymysql.MySQLError), other.cursor() as cursor:
            cursor.execute(f"KILL QUERY {self._connection.thread_id()}")

    def close(self) -> None:
        self._connection.close()

    def _fetch_rows(self, sql: str, arguments: Sequence[object] = ()) -> Sequence[Sequence[object]]:
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(sql, tuple(arguments) or None)
                rows: Sequence[Sequence[object]] = cursor.fetchall()
        except pymysql.MySQLError as error:
            raise _translate_error(error) from error
        return rows


def _iterate_rows(cursor: SSCursor) -> Iterator[Sequence[object]]:
    try:
        while (row := cursor.fetchone()) is not None:
            yield row
    except pymysql.MySQLError as error:
        raise _translate_error(error) from error


def _translate_error(error: Exception, *, is_connecting: bool = False) -> DriverError:
    code = error.args[0] if error.args else 0
    message = str(error.args[1]) if len(error.args) > 1 else str(error)
    if code in _DENIED:
        return LoginDenied(message)
    if code in _TIMED_OUT:
        return QueryTimedOut(message)
    if is_connecting or code in _AWAY:
        return SourceUnreachable(message)
    return DriverError(message)
