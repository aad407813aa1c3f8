"""Everything one prompt is made from. The same input gives the same prompt, byte for byte."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.assembly.note import AuthorsNote
from yarrow.prompting.budget import ModelFacts
from yarrow.prompting.card import Card, Persona
from yarrow.prompting.history import HistoryEntry
from yarrow.prompting.macros import MacroLimits, Phase
from yarrow.prompting.mode import PromptMode
from yarrow.prompting.policy import PromptPolicy
from yarrow.prompting.preset import Preset, PromptIntent
from yarrow.prompting.regex_rules import RegexRule
from yarrow.prompting.regexes import Regexes
from yarrow.prompting.snapshot import AssetStamps
from yarrow.prompting.tokens import CountTokens
from yarrow.prompting.worldbook import CompiledBook, Timer, TimerKey


class RunKind(StrEnum):
    """Which call a prompt is made for."""

    DRY_RUN = "dry_run"
    RESPOND = "respond"
    REGENERATE = "regenerate"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Assets:
    """What authors wrote, read and compiled; `stamps` say which versions."""

    preset: Preset | None = None
    card: Card | None = None
    persona: Persona | None = None
    books: Sequence[CompiledBook] = ()
    rules: Sequence[RegexRule] = ()
    stamps: AssetStamps = field(default_factory=AssetStamps)


@dataclass(frozen=True, slots=True)
class CurrentInput:
    """What the user says now. A message that was stored has been through its rules already."""

    text: str
    is_stored: bool = False
    intent: PromptIntent = PromptIntent.NORMAL


@dataclass(frozen=True, slots=True)
class Variables:
    """Variables before this turn; `stored` is the merged view of all scopes."""

    local: Mapping[str, JsonValue] = field(default_factory=dict)
    shared: Mapping[str, JsonValue] = field(default_factory=dict)
    stored: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatFacts:
    """The chat as it is stored, hidden messages too. Swipes are the newest message's, from one."""

    message_count: int
    swipe: int | None = None
    swipe_count: int | None = None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What the session brings along beside its assets."""

    note: AuthorsNote = field(default_factory=AuthorsNote)
    memory_summary: str | None = None
    metadata: JsonObject = field(default_factory=dict)
    lore_timers: Mapping[TimerKey, Timer] = field(default_factory=dict)
    idle_since: datetime | None = None
    chat: ChatFacts | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Time, dice and machines. `now` is aware, in the zone the user sees."""

    now: datetime
    count: CountTokens
    regexes: Regexes
    seed: str = ""
    chat_id: str = ""
    phase: Phase = Phase.ASSEMBLE
    run_kind: RunKind = RunKind.RESPOND


@dataclass(frozen=True, slots=True)
class AssemblyInput:
    """One prompt's material; `history` is what is stored, oldest first, without the message."""

    message: CurrentInput
    surroundings: Surroundings
    assets: Assets = field(default_factory=Assets)
    history: Sequence[HistoryEntry] = ()
    variables: Variables = field(default_factory=Variables)
    session: SessionFacts = field(default_factory=SessionFacts)
    policy: PromptPolicy = field(default_factory=PromptPolicy)
    mode: PromptMode = PromptMode.COMPAT_STRICT
    model: ModelFacts = field(default_factory=ModelFacts)
    limits: MacroLimits = field(default_factory=MacroLimits)

    @property
    def chat(self) -> ChatFacts:
        """Where nothing else is said, the history is all of the chat."""
        return self.session.chat or ChatFacts(len(self.history))

    @property
    def memory_summary(self) -> str | None:
        """The memory this prompt may use."""
        is_on = self.policy.source_selection.memory
        return (self.session.memory_summary or None) if is_on else None
