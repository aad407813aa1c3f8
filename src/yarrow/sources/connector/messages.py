"""Messages between the server and the connector; neither imports the other."""

from enum import StrEnum

from msgspec import Struct

from yarrow.kit.json import JsonObject
from yarrow.kit.notes import CodedNote
from yarrow.sources.model import SourceAddress

READY = b"ready\n"


class ConnectorVerb(StrEnum):
    PING = "ping"
    CATALOGUE = "catalogue"
    QUERY = "query"


class ConnectorStatus(StrEnum):
    DONE = "done"
    DENIED = "denied"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    NO_DRIVER = "no driver"


class ConnectorLimits(Struct, frozen=True):
    rows: int
    bytes: int
    seconds: float
    tables: int
    memory_bytes: int


class ConnectorRequest(Struct, frozen=True):
    """Sent through a pipe: credentials are neither arguments nor variables of the process."""

    verb: ConnectorVerb
    address: SourceAddress
    limits: ConnectorLimits
    sql: str = ""
    selection: JsonObject | None = None
    output: int = -1
    """The file descriptor that Parquet is written to."""


class ConnectorColumn(Struct, frozen=True):
    name: str
    type: str


class ConnectorResponse(Struct, frozen=True):
    """The catalogue follows as the frame's body: each line is a JSON list of tables."""

    status: ConnectorStatus
    message: str = ""
    version: str = ""
    sql: str = ""
    """The query as it was sent to the source."""
    columns: list[ConnectorColumn] = []
    rows: int = 0
    """Of a result, or tables of a catalogue."""
    cut: str = ""
    """Why there are fewer rows than the query has; empty if there are not."""
    notes: list[CodedNote] = []
    is_truncated: bool = False
