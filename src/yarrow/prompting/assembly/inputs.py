"""Everything one prompt is made from. The same input gives the same prompt, byte for byte."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.macros import MacroLimits, Phase
from yarrow.prompting.model import Card, Persona, PromptMode, Role
from yarrow.prompting.policy import PromptPolicy
from yarrow.prompting.preset import Preset, PromptIntent
from yarrow.prompting.preset.fields import as_text, as_whole
from yarrow.prompting.regex_engine.port import Regexes
from yarrow.prompting.regex_rules import RegexRule
from yarrow.prompting.tokens import CountTokens
from yarrow.prompting.worldbook import CompiledBook, Timer, TimerKey


class AssetStamp(msgspec.Struct, frozen=True):
    """Which version of an asset a prompt used; all None where it used none."""

    id: str | None = None
    updated_at: int | None = None
    version: int | None = None


class AssetStamps(msgspec.Struct, frozen=True):
    """The assets of one prompt; times are milliseconds."""

    preset: AssetStamp = msgspec.field(default_factory=AssetStamp)
    worldbook: AssetStamp = msgspec.field(default_factory=AssetStamp)
    regex_profile: AssetStamp = msgspec.field(default_factory=AssetStamp)
    character: AssetStamp = msgspec.field(default_factory=AssetStamp)


class EntryRole(StrEnum):
    """Who wrote a stored entry; a narrator speaks for the assistant."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    NARRATOR = "narrator"


class HistoryEntry(msgspec.Struct, frozen=True, gc=False):
    """One stored message; without a floor it is the current input.

    What `is_authored` is a card's greeting: its macros run. A person's or a model's never do.
    `number` counts the chat's messages from nought, hidden ones too.
    """

    role: EntryRole
    content: str
    floor_id: str | None
    message_id: str | None = None
    floor_no: int | None = None
    is_authored: bool = False
    number: int | None = None


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What assembly has to know of the model; None where nobody said."""

    name: str = ""
    context_tokens: int | None = None
    max_output_tokens: int | None = None


_DEPTH = 4


class NotePlace(StrEnum):
    """Where a note stands."""

    IN_CHAT = "in_chat"
    BEFORE_MAIN = "before_main"
    AFTER_MAIN = "after_main"


@dataclass(frozen=True, slots=True)
class AuthorsNote:
    """A note; with an interval of n it is sent with every n-th message of the user."""

    text: str = ""
    place: NotePlace = NotePlace.IN_CHAT
    depth: int = _DEPTH
    role: Role = Role.SYSTEM
    interval: int = 1

    def is_due(self, user_messages: int) -> bool:
        return self.interval > 0 and user_messages % self.interval == 0


# SillyTavern's numbers.
_PLACES = {
    "0": NotePlace.AFTER_MAIN,
    "1": NotePlace.IN_CHAT,
    "2": NotePlace.BEFORE_MAIN,
    **{place.value: place for place in NotePlace},
}

_NOTE_ROLES = {
    "0": Role.SYSTEM,
    "1": Role.USER,
    "2": Role.ASSISTANT,
    **{role.value: role for role in Role},
}


def authors_note_of(metadata: JsonObject) -> AuthorsNote:
    """The note in a session's metadata: a text, an object, or SillyTavern's `note_…` fields."""
    said = metadata.get("authorsNote", metadata.get("authors_note"))
    if isinstance(said, str):
        return AuthorsNote(text=said)
    if isinstance(said, dict):
        return _note(said, "")
    return _note(metadata, "note_")


def _note(fields: JsonObject, prefix: str) -> AuthorsNote:
    texts = (as_text(fields.get(f"{prefix}{name}")) for name in ("prompt", "text", "content"))
    depth = as_whole(fields.get(f"{prefix}depth"))
    interval = as_whole(fields.get(f"{prefix}interval"))
    return AuthorsNote(
        text=next((text for text in texts if text), ""),
        place=_PLACES.get(_word(fields.get(f"{prefix}position")), NotePlace.IN_CHAT),
        depth=_DEPTH if depth is None else max(0, depth),
        role=_NOTE_ROLES.get(_word(fields.get(f"{prefix}role")), Role.SYSTEM),
        interval=1 if interval is None else interval,
    )


def _word(value: JsonValue) -> str:
    return str(value) if isinstance(value, int | str) else ""


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
