"""The values of tables: where they belong, what they hold, what is asked of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from yarrow.db import Database
from yarrow.ids import AccountId, TableId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sandbox.model import Column
from yarrow.sandbox.sandbox import Sandbox
from yarrow.tables.free_names import FreeNames

DEFAULT_WORKSPACE = "default"
SAMPLE_SIZE = 1000


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where tables are: what is known of them, and who may open their files."""

    database: Database
    sandbox: Sandbox
    max_bytes: int
    """Of a file that becomes a table."""
    scratch_bytes: int = 200 * 1024 * 1024
    """Of all scratch files of a workspace together."""
    names: FreeNames = field(default_factory=FreeNames)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A set of tables of one account; it exists as soon as it is named."""

    account_id: AccountId
    name: str = DEFAULT_WORKSPACE

    @property
    def key(self) -> str:
        """What no other workspace is called, of any account."""
        return f"{self.account_id}/{self.name}"


class SourceType(StrEnum):
    """Where a table came from."""

    UPLOAD = "upload"
    DATA_LOADER = "data_loader"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class Contents:
    """What is noted of a new table's rows."""

    columns: Sequence[Column]
    row_count: int
    sample: Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is whole."""

    id: TableId
    name: str
    original_name: str
    source_filename: str | None
    source_type: SourceType
    columns: Sequence[Column]
    row_count: int
    bytes: int
    created_at: datetime
    sample: Sequence[JsonObject]
    """Its first rows, a few."""
    path: Path
    counts: Sequence[Sequence[int]] | None = None
    """For each column, how many values it has and how many different ones; None until asked.

    Empty for a column that was too much to count.
    """

    @property
    def column_types(self) -> dict[str, str]:
        return {column.name: column.type for column in self.columns}


@dataclass(frozen=True, slots=True)
class Origin:
    """What a new table is to be called and where it comes from."""

    name: str
    """As the user wrote it."""
    source_type: SourceType
    source_filename: str | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """A table that has just come to be, and what its owner should know about it."""

    table: Table
    notes: Sequence[str] = ()


class SampleMethod(StrEnum):
    """Which rows a sample takes."""

    RANDOM = "random"
    HEAD = "head"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class RangeFilter:
    """Between two bounds, both inclusive, either of which may be missing."""

    field: str
    low: JsonValue = None
    high: JsonValue = None
    include_nulls: bool = False


@dataclass(frozen=True, slots=True)
class InFilter:
    """One of these values; null among them means rows without one."""

    field: str
    values: Sequence[JsonValue]


@dataclass(frozen=True, slots=True)
class ContainsFilter:
    """The text is part of the value, in any case."""

    field: str
    text: str


RowFilter: TypeAlias = RangeFilter | InFilter | ContainsFilter


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """Which rows and columns of a table are wanted. Unknown columns are left out."""

    size: int = SAMPLE_SIZE
    method: SampleMethod = SampleMethod.HEAD
    offset: int = 0
    order_by: Sequence[str] = ()
    select: Sequence[str] = ()
    aggregates: Sequence[tuple[str | None, str]] = ()
    """Field and function; the selected fields are what is grouped by."""
    filters: Sequence[RowFilter] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows with `#rowId`, and how many there are in all that pass the filters."""

    rows: Sequence[JsonObject]
    total_row_count: int
