"""The tool port: a named function with a schema that an agent may call on the server."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from yarrow.clock import Clock
from yarrow.ids import AccountId
from yarrow.json_values import JsonObject


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """A tool as a model is told of it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ToolCaller:
    """On whose behalf, and when, a tool is called."""

    account_id: AccountId
    clock: Clock
    timezone: str
    """An IANA name: the client's, else the profile's."""


class ToolError(Exception):
    """The tool cannot do what was asked; the text is for the model to read and act on."""


class Tool(Protocol):
    """A tool of ours."""

    @property
    def description(self) -> ToolDescription: ...

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> str:
        """The answer as text; raises `ToolError` with a text the model can act on."""
        ...


Toolbox = Mapping[str, Tool]
