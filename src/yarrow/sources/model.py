"""Values of data sources: addresses, catalogues, queries and what they return."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from msgspec import Struct, field

from yarrow.kit.json import JsonObject
from yarrow.kit.secret_repr import format_without_secret


class SourceKind(StrEnum):
    """The kinds of sources; each is the scheme of its addresses."""

    POSTGRESQL = "postgresql"
    MYSQL = "mysql"
    CLICKHOUSE = "clickhouse"
    SQLITE = "sqlite"
    DUCKDB = "duckdb"
    FOLDER = "file"
    S3 = "s3"
    BIGQUERY = "bigquery"
    SNOWFLAKE = "snowflake"


FILE_KINDS = frozenset({SourceKind.SQLITE, SourceKind.DUCKDB, SourceKind.FOLDER})
"""Kinds that read files of this machine."""


class SourceAddress(Struct, frozen=True):
    """Where a source is and how to log in. `text` has no credentials and may be shown."""

    kind: SourceKind
    text: str
    host: str = ""
    port: int = 0
    database: str = ""
    """The database, the path of a file or folder, or bucket and prefix."""
    user: str = ""
    password: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    ip: str = ""
    """The checked address of the host, to which the connector connects; see `AllowedHosts`."""

    def __repr__(self) -> str:
        return format_without_secret(self, "password")


class SourceColumn(Struct, frozen=True):
    """A column of a table at a source, with its type as the source names it."""

    name: str
    type: str
    comment: str = ""


class SourceTable(Struct, frozen=True):
    """A table or view at a source."""

    schema: str
    name: str
    columns: Sequence[SourceColumn] = ()
    comment: str = ""
    row_estimate: int | None = None
    is_view: bool = False

    @property
    def key(self) -> str:
        """Unique in its source."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


class StoredSource(Struct, frozen=True):
    """A source of an account; `secret` is its encrypted address."""

    id: UUID
    name: str
    kind: SourceKind
    address: str
    """Without credentials."""
    secret: bytes
    created_at: datetime
    catalogue_at: datetime | None = None
    """When the catalogue was fetched."""
    table_count: int = 0
    is_truncated: bool = False
    """The source has more tables than are kept."""

    def __repr__(self) -> str:
        return format_without_secret(self, "secret")


class SourceCatalogue(Struct, frozen=True):
    """The tables of a source, as it lists them."""

    batches: Sequence[bytes]
    """JSON lists of tables, each small enough to be decoded in the event loop."""
    table_count: int
    is_truncated: bool = False


class SourceQuery(Struct, frozen=True):
    """A query at a source: a SELECT, or a table with what is wanted of it."""

    sql: str = ""
    selection: JsonObject | None = None
    """`table_key`, `columns`, `filters`, `group_by`, `aggregates`, `order_by`."""
    row_limit: int | None = None
    table_name: str = ""


class SourceState(Struct, frozen=True):
    """The answer of a source to a test of its connection."""

    version: str
    milliseconds: int
