"""What a run of the analyst is asked, as `RunInput.options` carries it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from yarrow.charting import ChartLanguage
from yarrow.kit.json import JsonObject
from yarrow.runs.model import RunInput
from yarrow.sessions.model import Message, Role
from yarrow.tables.model import DEFAULT_WORKSPACE

MAX_ITERATIONS = 5
MAX_REPAIRS = 1
BUILDS_ON = "builds_on"
"""The option with the run whose pause is answered; a turn without it follows the one before."""
OF_ONE_TURN = ("images", "rows_put_down", BUILDS_ON)
"""What a turn does not hand on."""


class ChartGiven(msgspec.Struct, frozen=True, omit_defaults=True):
    """A chart the client has, for a report about it."""

    chart_id: str
    chart_type: str = ""
    encodings: JsonObject = {}
    table_ref: str = ""
    code: str = ""
    rows: tuple[JsonObject, ...] = ()


class SaidBefore(msgspec.Struct, frozen=True, omit_defaults=True):
    """A message of a conversation that the client kept itself; the role is a model's."""

    role: str
    content: str


class AnalystInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question about the tables of a workspace."""

    workspace: str = DEFAULT_WORKSPACE
    tables: tuple[str, ...] = ()
    primary_tables: tuple[str, ...] = ()
    language: str = ""
    max_iterations: int = MAX_ITERATIONS
    max_repairs: int = MAX_REPAIRS
    completed_steps: int = 0
    """Charts of a conversation that another server began."""
    rows_put_down: dict[str, str] = {}
    """Tables that came with their rows, and the files that hold these until the run begins."""
    builds_on: str = ""
    """The run whose pause is answered; see `chart/path.py`."""
    exploration_rules: str = ""
    coding_rules: str = ""
    focused_thread: tuple[Any, ...] = ()
    other_threads: tuple[Any, ...] = ()
    images: tuple[str, ...] = ()
    said_before: tuple[SaidBefore, ...] = ()
    """A trajectory that another server made; ours is the session's history."""
    charts: tuple[ChartGiven, ...] = ()
    row_limit: int = 2_000_000

    @property
    def chart_language(self) -> ChartLanguage:
        """In which of the languages that charts know their own words are written."""
        return ChartLanguage.of(self.language)


def read_input(given: RunInput, history: Sequence[Message] = ()) -> AnalystInput:
    """The options that the protocol's intake wrote.

    A turn that goes on need not repeat them: what it leaves out is as it was before, but for
    pictures, which belong to their question.
    """
    options: JsonObject = {}
    for message in history:
        if message.role is Role.USER:
            options |= message.details.options
    for name in OF_ONE_TURN:
        options.pop(name, None)
    return msgspec.convert({**options, **given.options}, AnalystInput)


def as_options(given: AnalystInput) -> JsonObject:
    """The same, to be kept with the run."""
    return msgspec.to_builtins(given)  # type: ignore[no-any-return]
