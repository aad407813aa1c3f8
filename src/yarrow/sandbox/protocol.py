"""What the server and the jobs say to each other: frames of JSON, and bytes behind some.

Nothing that comes out of a job is ever more than data: it is decoded into these shapes, its size
is counted before it is read, and no pickle is involved.
"""

from typing import Annotated, TypeAlias

import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.sandbox.model import Column, TableResult, WrittenTable

MAX_FRAME_BYTES = 64 * 1024 * 1024
MAX_FRAMES = 50
"""Of those a program made, as many are named."""

ROOM_FOLDER = "/job/kept"
"""Where a room for SQL has the tables that were brought, and puts what it makes."""

_Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Scalar: TypeAlias = bool | _Whole | float | str | None


class Start(msgspec.Struct, frozen=True, tag=True):
    """To the process that forks: a job. Its socket comes along as a descriptor."""

    job: int
    memory_mb: int
    cpu_s: int
    file_mb: int


class Files(msgspec.Struct, frozen=True):
    """The first frame on a job's socket: where it sees a file, and where we have it.

    Not for the process that forks: what that once read is in the memory of every later job.
    """

    readable: dict[str, str]
    writable: dict[str, str]


class Kill(msgspec.Struct, frozen=True, tag=True):
    """To the process that forks: end a job, whatever it does."""

    job: int


class OpenRoom(msgspec.Struct, frozen=True, tag=True):
    """The first order of a job that stays for more: what all of them may use."""

    memory_mb: int
    max_ms: int


class Bring(msgspec.Struct, frozen=True, tag=True):
    """A table for the room, under a name of ours; its bytes follow. Nothing is answered."""

    file: str
    size: int


class RunSql(msgspec.Struct, frozen=True, tag=True):
    """One statement over the job's tables."""

    tables: dict[str, str]
    """Table names and their files."""
    query: str
    parameters: list[JsonValue]
    max_rows: int
    max_bytes: int
    max_ms: int
    memory_mb: int
    numbered: bool = False
    """Tables have the column `#rowId`: the position of a row in its file, from 1."""
    count_query: str | None = None
    """A second query, of one number; it has the same parameters."""


class SendLines(msgspec.Struct, frozen=True, tag=True):
    """The one text column of a statement's result, sent as it is made."""

    tables: dict[str, str]
    query: str
    max_ms: int
    memory_mb: int


class KeepTable(msgspec.Struct, frozen=True, tag=True):
    """The result of one statement, written as a Parquet file; its first rows come back."""

    tables: dict[str, str]
    query: str
    parquet: str
    max_rows: int
    max_bytes: int
    max_ms: int
    memory_mb: int


class ReadFile(msgspec.Struct, frozen=True, tag=True):
    """Turn a file that somebody brought into Parquet."""

    source: str
    unpacked: str
    decoded: str
    target: str
    filename: str
    table_name: str
    sheet_name: str | None
    max_rows: int
    max_bytes: int
    memory_mb: int


class PreviewFile(msgspec.Struct, frozen=True, tag=True):
    """The sheets of a file and their first rows."""

    source: str
    unpacked: str
    decoded: str
    filename: str
    max_rows: int
    max_bytes: int
    memory_mb: int


class RunCode(msgspec.Struct, frozen=True, tag=True):
    """Python in the names of this job, which stay for the next piece of it."""

    code: str
    output_variable: str | None
    max_stdout: int
    max_output_bytes: int
    max_rows: int
    """Of the first rows that come back beside the Parquet, as `max_bytes` is."""
    max_bytes: int
    tables: dict[str, str] = {}
    """In a room: the tables, and the files they were brought as."""


Order: TypeAlias = (
    RunSql | SendLines | KeepTable | ReadFile | PreviewFile | RunCode | OpenRoom | Bring
)


class Rows(msgspec.Struct, frozen=True, tag=True):
    """The answer to a query."""

    result: TableResult


class Written(msgspec.Struct, frozen=True, tag=True):
    """A Parquet file is there."""

    table: WrittenTable


class Made(msgspec.Struct, frozen=True):
    """What a job says of the Parquet it wrote: foreign code may have had a hand in it."""

    columns: list[Column]
    values: list[list[Scalar]]
    """The first rows, each in the order of the columns."""
    truncated: bool
    row_count: int


class Kept(msgspec.Struct, frozen=True, tag=True):
    """The result of a query is a Parquet file now; from a room, its bytes follow."""

    made: Made
    output_bytes: int = 0


class Sheet(msgspec.Struct, frozen=True):
    """One sheet of a workbook, or the only table of another file."""

    name: str
    columns: list[Column]
    rows: list[JsonObject]
    row_count: int


class Sheets(msgspec.Struct, frozen=True, tag=True):
    """What a preview shows."""

    sheets: list[Sheet]


class Chunk(msgspec.Struct, frozen=True, tag=True):
    """So many bytes of a file follow; none mean the end."""

    size: int


class Ran(msgspec.Struct, frozen=True, tag=True):
    """What Python did. `output_bytes` of Parquet follow, if it made the frame asked for."""

    stdout: str
    error: str | None
    frames: list[str]
    made: Made | None
    output_bytes: int


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The order could not be carried out; the words may be anybody's."""

    error: str
    readable: bool = False
    """The words are ours, about the file, and meant for its owner."""


ELSEWHERE = Failed("this is for a process of its own")
"""What a room says of whatever it does not do, or could not."""

Answer: TypeAlias = Rows | Written | Kept | Sheets | Chunk | Ran | Failed
