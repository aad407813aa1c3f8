"""PostgreSQL by ADBC: results are streamed by COPY as Arrow batches.

Types that Arrow has no equal for are converted by a SELECT around the query, at the source: the
driver returns `money` in cents, flattens arrays of arrays and overflows on infinite dates.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import adbc_driver_manager
import adbc_driver_postgresql.dbapi as adbc
import msgspec
import pyarrow as pa

from yarrow.kit.notes import write_note
from yarrow.sandbox.table_notes import Sentence
from yarrow.sources.connector.driver import (
    BatchStream,
    DriverError,
    LoginDenied,
    QueryTimedOut,
    SourceUnreachable,
)
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.model import SourceAddress, SourceColumn, SourceTable

CONNECT_TIMEOUT_S = 10
BATCH_BYTES = 4 * 1024 * 1024
ROOT_CERTIFICATES = (
    *("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"),
    *("/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"),
)
"""Trusted authorities of the system: Debian and most others, macOS, Fedora, SUSE."""

_AS_IT_IS = frozenset(
    {
        *("bool", "int2", "int4", "int8", "float4", "float8", "numeric"),
        *("text", "varchar", "bpchar", "name", "time", "json", "jsonb", "uuid"),
    }
)
_CONVERTED: Mapping[str, str] = {
    "date": "CASE WHEN isfinite({0}) THEN {0} END",
    "timestamp": "CASE WHEN isfinite({0}) THEN {0} END",
    "timestamptz": "CASE WHEN isfinite({0}) THEN {0} END",
    "interval": "extract(epoch FROM {0})::float8",
    "money": "{0}::numeric",
    "oid": "{0}::int8",
    "bytea": "encode({0}, 'hex')",
}
_DENIED = (
    "authentication failed",
    "no pg_hba.conf entry",
    "no password supplied",
    'FATAL:  role "',
)
_TABLES = """
SELECT n.nspname, c.relname, c.relkind = 'v' OR c.relkind = 'm',
    CASE WHEN c.reltuples >= 0 AND c.relkind <> 'v' THEN c.reltuples::int8 END,
    coalesce(obj_description(c.oid, 'pg_class'), ''),
    (SELECT coalesce(json_agg(json_build_array(
        a.attname, format_type(a.atttypid, a.atttypmod),
        coalesce(col_description(c.oid, a.attnum), '')
        ) ORDER BY a.attnum), '[]'::json)
     FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
ORDER BY 1, 2 LIMIT {limit}
"""


def open_source(address: SourceAddress, limits: ConnectorLimits) -> "PostgresDriver":
    sslmode = address.options.get("sslmode", "prefer")
    parameters = {
        "host": address.host,
        "hostaddr": address.ip,
        "port": str(address.port),
        "dbname": address.database,
        "user": address.user,
        "password": address.password,
        "connect_timeout": str(CONNECT_TIMEOUT_S),
        "application_name": "yarrow",
        "sslmode": sslmode,
        "sslrootcert": find_root_certificates() if sslmode.startswith("verify-") else "",
        "passfile": "/dev/null",
        "gssencmode": "disable",
    }
    uri = " ".join(f"{name}={_quote_value(value)}" for name, value in parameters.items() if value)
    with _Translated(is_connecting=True):
        connection = adbc.connect(uri, autocommit=True)
    return PostgresDriver(connection, limits)


def find_root_certificates() -> str:
    """The system's file of authorities: libpq's own is in a home folder, which is not readable.

    Only for `verify-ca` and `verify-full`: with a file, `require` would verify as well.
    """
    present = (path for path in ROOT_CERTIFICATES if Path(path).is_file())
    return next(present, ROOT_CERTIFICATES[0])


class PostgresDriver:
    """A connection whose only transaction is read-only and has a time limit."""

    dialect = "postgres"

    def __init__(self, connection: Any, limits: ConnectorLimits) -> None:  # noqa: ANN401
        self._connection = connection
        self._cursor = connection.cursor()
        with _Translated():
            for statement in (
                "SET default_transaction_read_only = on",
                f"SET statement_timeout = {max(1, int(limits.seconds * 1000))}",
                "SET idle_in_transaction_session_timeout = '60s'",
                "BEGIN READ ONLY",
            ):
                self._cursor.execute(statement)
        options = {"adbc.postgresql.batch_size_hint_bytes": str(BATCH_BYTES)}
        self._cursor.adbc_statement.set_options(**options)

    def read_version(self) -> str:
        with _Translated():
            self._cursor.execute("SELECT split_part(version(), ' on ', 1)")
            return str(self._cursor.fetchone()[0])

    def list_tables(self, limit: int) -> Iterator[SourceTable]:
        with _Translated():
            self._cursor.execute(_TABLES.format(limit=limit))
            for schema, name, is_view, rows, comment, columns in self._cursor.fetchall():
                listed = msgspec.json.decode(columns, type=list[tuple[str, str, str]])
                described = [SourceColumn(*column) for column in listed]
                yield SourceTable(schema, name, described, comment, rows, is_view)

    def query(self, sql: str) -> BatchStream:
        with _Translated():
            schema = self._cursor.adbc_execute_schema(sql)
            names = list(schema.names)
            self._cursor.execute(_write_conversions(sql, schema))
            reader = self._cursor.fetch_record_batch()
        notes = [
            write_note(Sentence.INTERVAL, name=field.name)
            for field in schema
            if _read_type_name(field) == "interval"
        ]
        return BatchStream(names, reader.schema, _iterate_batches(reader), notes)

    def cancel(self) -> None:
        self._cursor.adbc_cancel()

    def close(self) -> None:
        with _Translated():
            self._cursor.close()
            self._connection.close()


def _iterate_batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    with _Translated():
        yield from reader


def _write_conversions(sql: str, schema: pa.Schema) -> str:
    """The query itself, or a SELECT around it that converts some of its columns."""
    types = [_read_type_name(field) for field in schema]
    if all(name in _AS_IT_IS for name in types):
        return sql
    expressions = [_write_column(f"c{at}", name) for at, name in enumerate(types)]
    aliases = ", ".join(f"c{at}" for at in range(len(types)))
    return f"SELECT {', '.join(expressions)} FROM ({sql}) AS q({aliases})"  # noqa: S608


def _write_column(column: str, type_name: str) -> str:
    if type_name in _AS_IT_IS:
        return column
    if type_name.startswith("_"):
        return f"to_jsonb({column})::text"
    return _CONVERTED.get(type_name, "{0}::text").format(column)


def _read_type_name(field: pa.Field) -> str:
    name: bytes = (field.metadata or {}).get(b"POSTGRESQL:type", b"")
    return name.decode()


def _quote_value(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


class _Translated:
    """Turns errors of the driver into ours; those of a stream have no SQLSTATE."""

    def __init__(self, *, is_connecting: bool = False) -> None:
        self._is_connecting = is_connecting

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, adbc_driver_manager.Error | pa.ArrowException | OSError):
            state = getattr(error, "sqlstate", None) or ""
            raise _translate_error(str(error), state, is_connecting=self._is_connecting) from error


def _translate_error(text: str, state: str, *, is_connecting: bool) -> DriverError:
    message = _shorten_error(text)
    if state.startswith("28") or any(words in text for words in _DENIED):
        return LoginDenied(message)
    if state == "57014" or "canceling statement" in text:
        return QueryTimedOut(message)
    if "ReadRecord failed" in text:
        return DriverError("a value is larger than the driver reads; shorten it in the query")
    is_away = is_connecting or state[:2] == "08" or state.startswith("57P")
    return SourceUnreachable(message) if is_away or "ERROR:" not in text else DriverError(message)


def _shorten_error(text: str) -> str:
    """The server's own sentence, without the driver's prefix and the repeated query."""
    _, _, sentence = text.partition("ERROR:")
    return (sentence or text).strip().splitlines()[0].strip()
