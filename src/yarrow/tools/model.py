"""The tool port: a function with a name and a schema that a model may call."""

from collections.abc import Mapping
from typing import Protocol
from zoneinfo import ZoneInfo

from msgspec import Struct

from yarrow.clock import Clock
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.language.languages import Language
from yarrow.liuyao import DayBoundary


class ToolDescription(Struct, frozen=True):
    """A tool as described to the model; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: JsonObject


class ToolCaller(Struct, frozen=True):
    """The account, session, time and language of a tool call."""

    account_id: AccountId
    session_id: SessionId
    clock: Clock
    zone: ZoneInfo
    """The client's, else the profile's."""
    language: Language
    """The language of cards, nearest to the profile's."""
    day_boundary: DayBoundary
    gender: str = ""
    """Of the profile; empty if it says none."""


class ToolAnswer(Struct, frozen=True):
    """The result of a tool: text for the model, cards (as UI hints) for the user."""

    text: str
    card: JsonObject | None = None
    """Shown with the tool's message."""
    answer_card: JsonObject | None = None
    """Shown with the agent's answer instead."""


class ToolError(Exception):
    """The call failed; the text tells the model what to change."""


class Tool(Protocol):
    """A tool of the server."""

    @property
    def description(self) -> ToolDescription: ...

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        """Run the tool; raise `ToolError` with a text that the model can act on."""
        ...


Toolbox = Mapping[str, Tool]
