"""The port of a story's tools: what a tool is, what it may read, and how it stages effects."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from random import Random
from typing import Protocol, TypeAlias, TypeVar
from uuid import UUID

from msgspec import Struct, field

from yarrow.assets.model import AssetKind
from yarrow.ids import AccountId, AssetId, SessionId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.product_events.story_tools import SideEffect, StagedAssetChange, StagedWrite
from yarrow.prompting.model import CharacterCard
from yarrow.stories.model import StoryState
from yarrow.tools.arguments import Arguments, build_parameters, read_arguments
from yarrow.variables.model import ScopedVariables

BUILTIN_TYPE = "builtin"

A = TypeVar("A", bound=Arguments)


class StagedEffects(Struct):
    """What the tools of a reply have staged, in their order."""

    writes: list[StagedWrite] = field(default_factory=list)
    changes: list[StagedAssetChange] = field(default_factory=list)

    def cut(self, writes: int, changes: int) -> "StagedEffects":
        """Remove and return what was staged behind these counts."""
        removed = StagedEffects(self.writes[writes:], self.changes[changes:])
        del self.writes[writes:], self.changes[changes:]
        return removed

    def extend(self, writes: Sequence[StagedWrite], changes: Sequence[StagedAssetChange]) -> None:
        self.writes.extend(writes)
        self.changes.extend(changes)


class LibraryItem(Struct, frozen=True):
    """An asset with its staged changes applied; without content where a list shows it."""

    id: AssetId
    name: str
    content: JsonObject = field(default_factory=dict)


class LibraryReader(Protocol):
    """Reads the account's assets as they will be after the turn."""

    async def read_item(self, kind: AssetKind, asset_id: str) -> LibraryItem:
        """Raise `ToolError` if there is no such asset."""
        ...

    async def list_items(self, kind: AssetKind, search: str) -> Sequence[LibraryItem]: ...


SearchMemory: TypeAlias = Callable[[StoryState, str, int], Awaitable[Sequence[JsonObject]]]
"""Finds memories of a story that match a text; the number limits them."""


class ToolTurn(Struct, frozen=True):
    """What a tool may read, and where it stages its effects."""

    account_id: AccountId
    session_id: SessionId
    state: StoryState
    variables: ScopedVariables
    """With the writes of the prompt's macros."""
    card: CharacterCard | None
    library: LibraryReader
    search_memory: SearchMemory
    effects: StagedEffects
    now: Callable[[], datetime]
    """In the account's timezone."""
    dice: Random
    new_id: Callable[[], UUID]


class ToolOutput(Struct, frozen=True):
    """The result of a tool: JSON for the model, one line for people."""

    data: JsonValue
    message: str


CallStoryTool: TypeAlias = Callable[[JsonObject, ToolTurn], Awaitable[ToolOutput]]
"""Raises `ToolError` with a text that the model can act on; then nothing stays staged."""


class StoryTool(Struct, frozen=True):
    """A tool of a provider; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: JsonObject
    side_effect: SideEffect
    call: CallStoryTool


class ToolProvider(Protocol):
    """A source of tools."""

    @property
    def id(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def tools(self) -> Sequence[StoryTool]: ...


class FixedProvider(Struct, frozen=True):
    """Tools that ship with the server."""

    id: str
    tools: Sequence[StoryTool]
    type: str = BUILTIN_TYPE


def make_tool(
    name: str,
    description: str,
    arguments: type[A],
    call: Callable[[A, ToolTurn], Awaitable[ToolOutput]],
    *,
    side_effect: SideEffect = SideEffect.NONE,
) -> StoryTool:
    """A tool whose arguments are one class: the schema for the model and the validation."""

    async def call_checked(values: JsonObject, turn: ToolTurn) -> ToolOutput:
        return await call(read_arguments(arguments, values), turn)

    return StoryTool(name, description, build_parameters(arguments), side_effect, call_checked)
