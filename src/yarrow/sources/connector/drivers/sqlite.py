"""SQLite files, opened read-only; an authorizer denies everything but reading."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from yarrow.kit.notes import write_note
from yarrow.sandbox.table_notes import Sentence
from yarrow.sources.connector.driver import (
    BatchStream,
    DriverError,
    QueryTimedOut,
    SourceUnreachable,
)
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.connector.row_batches import MIXED, build_batches, infer_types
from yarrow.sources.model import SourceAddress, SourceColumn, SourceTable

STEPS = 10_000
"""Instructions of SQLite between two looks at the clock."""
_ALLOWED = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)
UNREAD_LOG = (
    "the file has rows in its write-ahead log (-wal), which are read only beside its -shm file; "
    "copy that too, or run PRAGMA wal_checkpoint on the file"
)
_DENIED_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit"})
_TABLES = (
    "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT ?"
)


def open_source(address: SourceAddress, limits: ConnectorLimits) -> "SqliteDriver":
    path = Path(address.database)
    if not path.is_file():
        raise SourceUnreachable("there is no such file")
    uri = f"file:{quote(str(path))}?mode=ro"
    try:
        connection = _open_connection(uri)
    except sqlite3.Error:
        # A file in WAL mode needs write access to the folder, unless it is opened as immutable:
        # then the rows in its log would be missing.
        if _has_log(path):
            raise SourceUnreachable(UNREAD_LOG) from None
        try:
            connection = _open_connection(f"{uri}&immutable=1")
        except sqlite3.Error as error:
            raise SourceUnreachable(str(error)) from error
    return SqliteDriver(connection, limits)


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


def _open_connection(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA query_only = ON")
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    connection.text_factory = _decode_text
    return connection


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


class SqliteDriver:
    dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection, limits: ConnectorLimits) -> None:
        self._connection = connection
        self._end = time.monotonic() + limits.seconds
        self._timed_out = False
        connection.set_progress_handler(self._is_late, STEPS)

    def read_version(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"

    def list_tables(self, limit: int) -> Iterator[SourceTable]:
        for name, kind in self._connection.execute(_TABLES, (limit,)).fetchall():
            quoted = name.replace('"', '""')
            info = self._connection.execute(f'PRAGMA table_xinfo("{quoted}")').fetchall()
            columns = [SourceColumn(str(row[1]), str(row[2]).lower()) for row in info]
            yield SourceTable("", name, columns, is_view=kind == "view")

    def query(self, sql: str) -> BatchStream:
        """Read twice, in one transaction: SQLite has a type for each value, not each column."""
        self._connection.execute("BEGIN")
        self._connection.set_authorizer(_authorize_action)
        cursor = self._execute_sql(sql)
        names = [column[0] for column in cursor.description]
        fields = infer_types(len(names), self._iterate_rows(cursor))
        schema, batches = build_batches(fields, self._iterate_rows(self._execute_sql(sql)))
        notes = [
            write_note(Sentence.SEVERAL_TYPES, name=name)
            for name, field in zip(names, schema, strict=True)
            if MIXED in (field.metadata or {})
        ]
        return BatchStream(names, schema, batches, notes)

    def cancel(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        self._connection.close()

    def _execute_sql(self, sql: str) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql)
        except sqlite3.Error as error:
            raise self._translate_error(error) from error

    def _iterate_rows(self, cursor: sqlite3.Cursor) -> Iterator[Sequence[object]]:
        try:
            yield from cursor
        except sqlite3.Error as error:
            raise self._translate_error(error) from error

    def _translate_error(self, error: sqlite3.Error) -> DriverError:
        return QueryTimedOut(str(error)) if self._timed_out else DriverError(str(error))

    def _is_late(self) -> int:
        self._timed_out = time.monotonic() > self._end
        return int(self._timed_out)


def _authorize_action(
    action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _DENIED_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    del first
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
