"""Tool calls of a story's turn, with the effects that they stage until the turn commits."""

from enum import StrEnum

from msgspec import Struct

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.product_events.product import AgentProduct, StepProduct, StoredProduct

TOOL_CALL = "TOOL_CALL/"
"""Begins the key of a call in `MessageDetails.products`; the id of the execution follows."""


class SideEffect(StrEnum):
    """What a tool changes."""

    NONE = "none"
    SANDBOX = "sandbox"
    """Data of this server."""
    IRREVERSIBLE = "irreversible"


class ExecutionStatus(StrEnum):
    """What came of a tool call. Tools that ship end with one of the first three."""

    SUCCESS = "success"
    ERROR = "error"
    DENIED = "denied"
    """The tool was not run: not offered, wrong arguments, too many calls."""
    RUNNING = "running"
    QUEUED = "queued"
    TIMEOUT = "timeout"
    UNCERTAIN = "uncertain"
    BLOCKED = "blocked"


class StagedWrite(Struct, frozen=True, omit_defaults=True):
    """A variable that the turn sets or deletes when it is committed."""

    scope: str
    name: str
    value: JsonValue = None
    is_deleted: bool = False


class AssetOperation(StrEnum):
    """A change of the library. Entries are those of a worldbook."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    ADD_ENTRY = "add_entry"
    UPDATE_ENTRY = "update_entry"
    DELETE_ENTRY = "delete_entry"


class StagedAssetChange(Struct, frozen=True, omit_defaults=True):
    """A change of an asset that lands when the turn is committed."""

    operation: AssetOperation
    kind: str
    asset_id: str
    name: str | None = None
    fields: JsonObject = {}
    """The content of a new asset; the changed fields of an old one or of an entry."""
    entry: str = ""
    """The uid of the entry."""


class StoryToolStarted(AgentProduct, frozen=True, tag="story_tool_started"):
    """The model called a tool, which runs now."""

    execution_id: str
    tool_name: str
    provider_id: str
    provider_type: str
    side_effect: SideEffect | None = None
    """None: there is no such tool."""


class StoryToolFinished(
    StoredProduct, StepProduct, frozen=True, omit_defaults=True, tag="story_tool_finished"
):
    """A tool call ended; `result` is what the model reads.

    An attempt that takes the run over stages the effects from here instead of running the tool.
    """

    execution_id: str
    call_id: str
    tool_name: str
    provider_id: str
    provider_type: str
    side_effect: SideEffect | None
    arguments: str
    status: ExecutionStatus
    result: str
    message: str
    duration_ms: int
    attempt: int = 1
    """Counts the replies that the verifier rejected; the effects of their calls are dropped."""
    writes: tuple[StagedWrite, ...] = ()
    changes: tuple[StagedAssetChange, ...] = ()

    def to_stored(self) -> tuple[str, JsonObject]:
        stored: JsonObject = {"tool_name": self.tool_name, "status": self.status.value}
        return f"{TOOL_CALL}{self.execution_id}", stored
