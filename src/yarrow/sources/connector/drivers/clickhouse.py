"""ClickHouse over HTTP by clickhouse-connect, streamed as Arrow."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import clickhouse_connect
import pyarrow as pa
from clickhouse_connect.driver.exceptions import ClickHouseError

from yarrow.sources.connector.driver import (
    BatchStream,
    DriverError,
    LoginDenied,
    QueryTimedOut,
    SourceUnreachable,
)
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.connector.pinned_address import pin_address
from yarrow.sources.model import SourceAddress, SourceColumn, SourceTable

CONNECT_TIMEOUT_S = 10
MARGIN_S = 15
_COLUMNS = """
SELECT database, table, groupArray((name, type, comment)) FROM system.columns
WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') GROUP BY 1, 2
"""


def open_source(address: SourceAddress, limits: ConnectorLimits) -> "ClickHouseDriver":
    pin_address(address.host, address.ip, address.port)
    return ClickHouseDriver(address, limits)


class ClickHouseDriver:
    """`readonly = 2` forbids writes and DDL; it cannot be changed from within the session."""

    dialect = "clickhouse"

    def __init__(self, address: SourceAddress, limits: ConnectorLimits) -> None:
        self._address, self._limits = address, limits
        self._query_id = f"yarrow-{uuid4().hex}"
        self._client = self._open_client()

    def read_version(self) -> str:
        return f"ClickHouse {self._client.server_version}"

    def list_tables(self, limit: int) -> Iterator[SourceTable]:
        columns = {
            (database, table): [SourceColumn(*map(str, column)) for column in described]
            for database, table, described in self._fetch_rows(_COLUMNS)
        }
        listed = (
            "SELECT database, name, engine LIKE '%View', total_rows, comment FROM system.tables "  # noqa: S608
            "WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') "
            f"AND NOT is_temporary ORDER BY 1, 2 LIMIT {limit}"
        )
        for database, name, is_view, rows, comment in self._fetch_rows(listed):
            described = columns.get((database, name), [])
            yield SourceTable(database, name, described, comment, rows, bool(is_view))

    def query(self, sql: str) -> BatchStream:
        try:
            stream = self._client.query_arrow_stream(
                sql, settings={"query_id": self._query_id}, use_strings=True
            )
            batches = iter(stream.__enter__())
            first = next(batches, None)
            schema = first.schema if first is not None else self._client.query_arrow(sql).schema
        except (ClickHouseError, OSError) as error:
            raise _translate_error(error) from error
        return BatchStream(list(schema.names), schema, _iterate_batches(first, batches))

    def cancel(self) -> None:
        self._open_client().command(f"KILL QUERY WHERE query_id = '{self._query_id}'")

    def close(self) -> None:
        self._client.close()

    def _open_client(self) -> Any:  # noqa: ANN401
        address = self._address
        try:
            return clickhouse_connect.get_client(
                host=address.host,
                port=address.port,
                username=address.user or "default",
                password=address.password,
                database=address.database,
                secure=address.options.get("tls") == "true",
                connect_timeout=CONNECT_TIMEOUT_S,
                send_receive_timeout=int(self._limits.seconds) + MARGIN_S,
                settings={
                    "readonly": "2",
                    "max_execution_time": str(int(self._limits.seconds) or 1),
                    "cancel_http_readonly_queries_on_client_close": "1",
                },
            )
        except (ClickHouseError, OSError) as error:
            raise _translate_error(error, is_connecting=True) from error

    def _fetch_rows(self, sql: str) -> list[tuple[Any, ...]]:
        try:
            rows: list[tuple[Any, ...]] = list(self._client.query(sql).result_rows)
        except (ClickHouseError, OSError) as error:
            raise _translate_error(error) from error
        return rows


def _iterate_batches(
    first: pa.RecordBatch | None, rest: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    try:
        if first is not None:
            yield first
        yield from rest
    except (ClickHouseError, OSError, pa.ArrowInvalid) as error:
        raise _translate_error(error) from error


def _translate_error(error: Exception, *, is_connecting: bool = False) -> DriverError:
    message = str(error).splitlines()[0] if str(error) else type(error).__name__
    if "Code: 516" in message or "AUTHENTICATION_FAILED" in message:
        return LoginDenied(message)
    if "Code: 159" in message or "TIMEOUT_EXCEEDED" in message or "Code: 394" in message:
        return QueryTimedOut(message)
    if is_connecting or "Code: " not in message:
        return SourceUnreachable(message)
    return DriverError(message)
