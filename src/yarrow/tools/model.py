"""The tool port: a named function with a schema that an agent may call on the server."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from zoneinfo import ZoneInfo

from yarrow.clock import Clock
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.kit.language import Language
from yarrow.liuyao import DayBoundary


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as a model is told of it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """On whose behalf, from where and when a tool is called."""

    account_id: AccountId
    session_id: SessionId
    clock: Clock
    zone: ZoneInfo
    """The client's, else the profile's."""
    language: Language
    """The language of cards, nearest to the profile's."""
    day_boundary: DayBoundary


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool says: `text` to the model, cards (as UI hints) to the user."""

    text: str
    card: JsonObject | None = None
    """Goes with the tool's own message."""
    answer_card: JsonObject | None = None
    """Goes with the agent's answer instead."""


class ToolError(Exception):
    """The tool cannot do what was asked; the text is for the model to read and act on."""


class Tool(Protocol):
    """A tool of ours."""

    @property
    def description(self) -> ToolDescription: ...

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        """The answer; raises `ToolError` with a text the model can act on."""
        ...


Toolbox = Mapping[str, Tool]
