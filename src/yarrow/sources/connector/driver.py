"""The port of drivers: connect, list tables, stream a query as Arrow batches, cancel."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from msgspec import Struct, field

from yarrow.kit.notes import CodedNote
from yarrow.sources.connector.messages import ConnectorLimits
from yarrow.sources.model import SourceAddress, SourceKind, SourceTable

if TYPE_CHECKING:
    import pyarrow as pa


class DriverError(Exception):
    """A source failed; the text may be shown after redaction."""


class LoginDenied(DriverError):
    """The source refused the credentials."""


class SourceUnreachable(DriverError):
    """No connection, or a lost one."""


class QueryTimedOut(DriverError):
    """The source cancelled the query at its time limit."""


class DriverMissing(DriverError):
    """The library of the driver is not installed; the text is the name of the extra."""


class BatchStream(Struct):
    """The result of a query. `names` and the batches' columns are in the same order.

    `notes` may grow while batches are read.
    """

    names: Sequence[str]
    schema: "pa.Schema"
    batches: Iterator["pa.RecordBatch"]
    notes: list[CodedNote] = field(default_factory=list)


class SourceDriver(Protocol):
    """One open connection, whose session is read-only."""

    dialect: str
    """The dialect's name in sqlglot."""

    def read_version(self) -> str: ...

    def list_tables(self, limit: int) -> Iterator[SourceTable]: ...

    def query(self, sql: str) -> BatchStream: ...

    def cancel(self) -> None:
        """Cancel the running query at the source; called from another thread."""
        ...

    def close(self) -> None: ...


OpenDriver: TypeAlias = Callable[[SourceAddress, ConnectorLimits], SourceDriver]

DIALECTS: Final = {
    SourceKind.POSTGRESQL: "postgres",
    SourceKind.MYSQL: "mysql",
    SourceKind.CLICKHOUSE: "clickhouse",
    SourceKind.SQLITE: "sqlite",
    SourceKind.DUCKDB: "duckdb",
    SourceKind.FOLDER: "duckdb",
    SourceKind.S3: "duckdb",
    SourceKind.BIGQUERY: "bigquery",
    SourceKind.SNOWFLAKE: "snowflake",
}
EXTRAS: Final = {
    SourceKind.POSTGRESQL: "postgresql",
    SourceKind.MYSQL: "mysql",
    SourceKind.CLICKHOUSE: "clickhouse",
    SourceKind.SQLITE: "analyst",
    SourceKind.DUCKDB: "analyst",
    SourceKind.FOLDER: "analyst",
    SourceKind.S3: "s3",
    SourceKind.BIGQUERY: "bigquery",
    SourceKind.SNOWFLAKE: "snowflake",
}
"""The optional dependencies of pyproject.toml that a driver needs."""
_MODULES: Final = {
    SourceKind.POSTGRESQL: "postgresql",
    SourceKind.MYSQL: "mysql",
    SourceKind.CLICKHOUSE: "clickhouse",
    SourceKind.SQLITE: "sqlite",
    SourceKind.DUCKDB: "duckdb_file",
    SourceKind.FOLDER: "folder",
    SourceKind.S3: "object_store",
    SourceKind.BIGQUERY: "bigquery",
    SourceKind.SNOWFLAKE: "snowflake",
}


def load_driver(kind: SourceKind) -> ModuleType:
    """The driver's module; `DriverMissing` if a library of it is not installed."""
    try:
        return import_module(f"yarrow.sources.connector.drivers.{_MODULES[kind]}")
    except ModuleNotFoundError as missing:
        raise DriverMissing(EXTRAS[kind]) from missing


def open_driver(address: SourceAddress, limits: ConnectorLimits) -> SourceDriver:
    opener: OpenDriver = load_driver(address.kind).open_source
    return opener(address, limits)
