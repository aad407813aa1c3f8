"""What a run of the storyteller needs beside the text: `RunInput.options`."""

from enum import StrEnum

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject
from yarrow.prompting.assembly import InputOrigin
from yarrow.prompting.preset import PromptIntent
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.session_state_rules import StateWrite
from yarrow.stories.tools.permissions import ToolPermissions
from yarrow.stories.tools.replay_rules import ConfirmedEffects

PENDING = "pending/"
"""Begins the name of a branch whose first turn is not committed; no client can use a slash."""


class TurnKind(StrEnum):
    """The call that a turn answers."""

    RESPOND = "respond"
    REGENERATE = "regenerate"
    RETRY = "retry"
    EDIT = "edit"


class RejectionStrategy(StrEnum):
    """What happens to a reply that the verifier rejects."""

    WARN = "warn"
    """It is stored, with the verdict."""
    BLOCK = "block"
    """The turn fails."""
    RETRY = "retry"
    """The reply is generated again; the turn fails after the last attempt."""


class TurnModules(Struct, frozen=True, omit_defaults=True):
    """The modules that a turn uses beside the narrator."""

    has_director: bool = False
    has_verifier: bool = False
    when_rejected: RejectionStrategy = RejectionStrategy.WARN
    max_retries: int = 1
    consolidates: bool = False
    """The memory model is asked what to remember."""

    @property
    def holds_reply(self) -> bool:
        """Whether the reply is a draft until the verifier accepts it."""
        return self.has_verifier and self.when_rejected is not RejectionStrategy.WARN


class TurnInput(Struct, frozen=True, omit_defaults=True):
    """The options of a turn, stored with its run so that any worker can make it."""

    kind: TurnKind = TurnKind.RESPOND
    branch: str = MAIN_BRANCH
    intent: PromptIntent = PromptIntent.NORMAL
    policy: JsonObject = {}
    """The request's layer of the prompt policy."""
    sampling: JsonObject = {}
    """The request's generation parameters, by the names of `sampling.py`."""
    origin: InputOrigin = InputOrigin.TYPED

    modules: TurnModules = TurnModules()
    source_turn: str = ""
    source_message: str = ""
    """Of an edit: the turn and the message that were edited."""

    state_writes: tuple[StateWrite, ...] = ()
    """Of session state, staged until the commit."""
    tools: ToolPermissions | None = None
    """Which tools are offered; None: none."""
    confirmed_executions: tuple[str, ...] = ()
    confirmed_mutations: tuple[str, ...] = ()
    """Recorded effects of the replaced turn that may happen again."""

    @property
    def confirmed(self) -> ConfirmedEffects:
        return ConfirmedEffects(self.confirmed_executions, self.confirmed_mutations)

    def to_options(self) -> JsonObject:
        options: JsonObject = msgspec.to_builtins(self)
        return options


def parse_turn_input(options: JsonObject) -> TurnInput:
    """Read the options of a run; those of a run without any are the defaults."""
    return msgspec.convert(options, TurnInput)
