"""The input of the analyst's agents, as `RunInput.options` carries it."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from yarrow.charting import ChartLanguage
from yarrow.kit.json import JsonObject
from yarrow.runs.model import RunInput
from yarrow.sessions.model import Message, Role
from yarrow.tables.model import DEFAULT_WORKSPACE

MAX_ITERATIONS = 5
MAX_REPAIRS = 1
BUILDS_ON = "builds_on"
ROW_FILES = "rows_put_down"
_STORED_NAMES = {"row_files": ROW_FILES, "client_messages": "said_before"}
_NOT_INHERITED = ("images", ROW_FILES, BUILDS_ON, "client_steps")
"""Options that belong to one turn only."""


class ClientChart(Struct, frozen=True, omit_defaults=True):
    """A chart of the client, for a report about it."""

    chart_id: str
    chart_type: str = ""
    encodings: JsonObject = {}
    table_ref: str = ""
    code: str = ""
    rows: tuple[JsonObject, ...] = ()


class ClientMessage(Struct, frozen=True, omit_defaults=True):
    """A message of a conversation that the client stored itself; the role is a model's."""

    role: str
    content: str


class AnalystInput(Struct, frozen=True, omit_defaults=True, rename=_STORED_NAMES):
    """One question about the tables of a workspace.

    The names on disk are those of `_STORED_NAMES`.
    """

    workspace: str = DEFAULT_WORKSPACE
    tables: tuple[str, ...] = ()
    primary_tables: tuple[str, ...] = ()
    language: str = ""
    max_iterations: int = MAX_ITERATIONS
    max_repairs: int = MAX_REPAIRS
    completed_steps: int = 0
    """Charts of a conversation that another server began."""
    client_steps: int = 0
    """Charts of the conversation by the client's count; it counts if it is higher than ours."""
    row_files: dict[str, str] = {}
    """Tables that came as rows, each with the file that holds the rows until the run starts."""
    builds_on: str = ""
    """The run whose pause is answered; without it the turn follows the last one."""
    exploration_rules: str = ""
    coding_rules: str = ""
    focused_thread: tuple[Any, ...] = ()
    other_threads: tuple[Any, ...] = ()
    images: tuple[str, ...] = ()
    client_messages: tuple[ClientMessage, ...] = ()
    """History that the client sent, of another server or of the loader; ours is stored."""
    charts: tuple[ClientChart, ...] = ()
    row_limit: int = 2_000_000

    @property
    def chart_language(self) -> ChartLanguage:
        """The language of the words that charts add themselves."""
        return ChartLanguage(self.language or ChartLanguage.EN)


def read_input(run_input: RunInput, history: Sequence[Message] = ()) -> AnalystInput:
    """Read the options that the protocol's intake wrote.

    A turn that continues inherits what it leaves out from earlier turns, except for options that
    belong to one turn.
    """
    options: JsonObject = {}
    for message in history:
        if message.role is Role.USER:
            options |= message.details.options
    for name in _NOT_INHERITED:
        options.pop(name, None)
    return msgspec.convert({**options, **run_input.options}, AnalystInput)


def to_options(analyst_input: AnalystInput) -> JsonObject:
    """The input as `RunInput.options`."""
    return msgspec.to_builtins(analyst_input)  # type: ignore[no-any-return]
