"""Values of tables: workspaces, stored tables, filters and samples."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from yarrow.db import Database
from yarrow.ids import AccountId, RunId, TableId
from yarrow.kit.cache import LruCache
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue
from yarrow.kit.notes import CodedNote
from yarrow.sandbox.model import Column
from yarrow.sandbox.sandbox import Sandbox
from yarrow.sandbox.table_notes import decode_notes
from yarrow.tables.files import FileCache, FileStore, TableFiles, locate_table_file

DEFAULT_WORKSPACE = "default"
SAMPLE_SIZE = 1000
MAX_CACHED_NAMES = 10_000
FIRST_NUMBER = 2


def add_number(wanted: str, number: int) -> str:
    """The name with its number."""
    return f"{wanted}_{number}"


class FreeNames:
    """A cache of the next free number behind a table name, by workspace and requested name.

    A chart that is requested a thousand times makes a thousand tables of one name. Reading all of
    their names each time would make the thousandth chart slower than the first; a violation of the
    unique index tells when the cache is out of date.
    """

    def __init__(self, *, size: int = MAX_CACHED_NAMES) -> None:
        self._next: LruCache[tuple[str, str], int] = LruCache(size)

    def take(self, workspace: str, wanted: str) -> str | None:
        """A name that was not taken yet; None if the number is not cached."""
        key = (workspace, wanted)
        if (number := self._next.get(key)) is None:
            return None
        self._next.put(key, number + 1)
        return add_number(wanted, number)

    def record(self, workspace: str, wanted: str, name: str) -> None:
        """A table got this name; the next one gets the number after its own."""
        number = name.removeprefix(f"{wanted}_")
        following = int(number) + 1 if number.isdigit() else FIRST_NUMBER
        self._next.put((workspace, wanted), following)

    def forget(self, workspace: str) -> None:
        """Drop a workspace whose tables were removed: their names are free again."""
        for key in self._next:
            if key[0] == workspace:
                self._next.remove(key)


class Tables(Struct, frozen=True):
    """What verbs on tables need: metadata in the database, files in the sandbox, limits."""

    database: Database
    sandbox: Sandbox
    max_bytes: int
    """Largest upload."""
    scratch_bytes: int = 200 * 1024 * 1024
    """All scratch files of a workspace together."""
    names: FreeNames = field(default_factory=FreeNames)
    store: FileStore | None = None
    """Where several servers share the files of tables; without one they are in the folder only."""
    cache_bytes: int = 0
    cache: FileCache = field(default_factory=FileCache)

    @property
    def files(self) -> TableFiles:
        return TableFiles(self.sandbox.folder, self.store, self.cache_bytes, self.cache)


class Workspace(Struct, frozen=True):
    """A set of tables of one account; it is not created, only named."""

    account_id: AccountId
    name: str = DEFAULT_WORKSPACE

    @property
    def key(self) -> str:
        """Unique among the workspaces of all accounts."""
        return f"{self.account_id}/{self.name}"


class SourceType(StrEnum):
    """Where a table came from."""

    UPLOAD = "upload"
    DATA_LOADER = "data_loader"
    DERIVED = "derived"


class TableContents(Struct, frozen=True):
    """Metadata of a new table's rows."""

    columns: Sequence[Column]
    row_count: int
    sample: Sequence[JsonMapping]
    source_metadata: JsonObject | None = None


class StoredTable(Struct, frozen=True):
    """A table whose file is complete."""

    id: TableId
    name: str
    original_name: str
    source_filename: str | None
    source_type: SourceType
    columns: Sequence[Column]
    row_count: int
    bytes: int
    created_at: datetime
    sample: Sequence[JsonMapping]
    """A few of its first rows."""
    folder: Path
    counts: Sequence[Sequence[int]] | None = None
    """Per column, the number of non-null and of distinct values; None until counted.

    Empty for a column that was too expensive to count.
    """
    source_metadata: JsonObject | None = None
    """Of a table from a data source: the source, the query, when, and whether it was cut; of one
    from a file: `notes`, if reading it gave any."""

    @property
    def path(self) -> Path:
        """Its file; made when it is asked for, as paths take half of the time of a long list."""
        return locate_table_file(self.folder, self.id)

    @property
    def column_types(self) -> dict[str, str]:
        return {column.name: column.type for column in self.columns}

    @property
    def notes(self) -> list[CodedNote]:
        """The notes that its owner got when it was read or loaded."""
        return decode_notes(self.source_metadata or {})


class RunStep(Struct, frozen=True):
    """The step of a run that makes a table; only the run's present attempt may store it."""

    run_id: RunId
    attempt: int
    name: str


class TableOrigin(Struct, frozen=True):
    """The requested name of a new table, and its source."""

    name: str
    """As the user wrote it."""
    source_type: SourceType
    source_filename: str | None = None
    step: RunStep | None = None


class CreatedTable(Struct, frozen=True):
    """A new table, with notes for its owner."""

    table: StoredTable
    notes: Sequence[CodedNote] = ()


class ImportedRows(Struct, frozen=True):
    """A Parquet file that was written elsewhere, and the note of its origin."""

    columns: Sequence[Column]
    row_count: int
    source_metadata: JsonObject


class SampleMethod(StrEnum):
    """Which rows a sample takes."""

    RANDOM = "random"
    HEAD = "head"
    BOTTOM = "bottom"


class RangeFilter(Struct, frozen=True):
    """Between two bounds, both inclusive, either of which may be missing."""

    field: str
    low: JsonValue = None
    high: JsonValue = None
    include_nulls: bool = False


class InFilter(Struct, frozen=True):
    """One of these values; null matches rows without a value."""

    field: str
    values: Sequence[JsonValue]


class ContainsFilter(Struct, frozen=True):
    """The value contains the text, ignoring case."""

    field: str
    text: str


RowFilter: TypeAlias = RangeFilter | InFilter | ContainsFilter


class SampleRequest(Struct, frozen=True):
    """Rows and columns to sample. Unknown columns are ignored."""

    size: int = SAMPLE_SIZE
    method: SampleMethod = SampleMethod.HEAD
    offset: int = 0
    order_by: Sequence[str] = ()
    select: Sequence[str] = ()
    aggregates: Sequence[tuple[str | None, str]] = ()
    """Field and function; rows are grouped by the selected fields."""
    filters: Sequence[RowFilter] = ()


class TableSample(Struct, frozen=True):
    """Rows with `#rowId`, and the number of all rows that pass the filters."""

    rows: Sequence[JsonMapping]
    total_row_count: int
