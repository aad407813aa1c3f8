"""Everything one prompt is made from. The same input gives the same prompt, byte for byte."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.macros import MacroLimits, MacroPhase
from yarrow.prompting.model import CharacterCard, Persona, PromptMode, PromptRole
from yarrow.prompting.policy import PromptPolicy
from yarrow.prompting.preset import Preset, PromptIntent
from yarrow.prompting.preset.fields import as_text, as_whole
from yarrow.prompting.regex_engine.port import RegexEngine
from yarrow.prompting.regex_rules import RegexRule
from yarrow.prompting.tokens import CountTokens
from yarrow.prompting.worldbook import CompiledBook, LoreTimer, LoreTimerKey


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


_DEFAULT_DEPTH = 4


class NotePosition(StrEnum):
    """Where a note stands."""

    IN_CHAT = "in_chat"
    BEFORE_MAIN = "before_main"
    AFTER_MAIN = "after_main"


@dataclass(frozen=True, slots=True)
class AuthorsNote:
    """A note; with an interval of n it is sent with every n-th message of the user."""

    text: str = ""
    place: NotePosition = NotePosition.IN_CHAT
    depth: int = _DEFAULT_DEPTH
    role: PromptRole = PromptRole.SYSTEM
    interval: int = 1

    def is_due(self, user_messages: int) -> bool:
        return self.interval > 0 and user_messages % self.interval == 0


# SillyTavern's numbers.
_NOTE_POSITIONS = {
    "0": NotePosition.AFTER_MAIN,
    "1": NotePosition.IN_CHAT,
    "2": NotePosition.BEFORE_MAIN,
    **{place.value: place for place in NotePosition},
}

_NOTE_ROLES = {
    "0": PromptRole.SYSTEM,
    "1": PromptRole.USER,
    "2": PromptRole.ASSISTANT,
    **{role.value: role for role in PromptRole},
}


def parse_authors_note(metadata: JsonObject) -> AuthorsNote:
    """The note in a session's metadata: a text, an object, or SillyTavern's `note_…` fields."""
    said = metadata.get("authorsNote", metadata.get("authors_note"))
    if isinstance(said, str):
        return AuthorsNote(text=said)
    if isinstance(said, dict):
        return _parse_note(said, "")
    return _parse_note(metadata, "note_")


def _parse_note(fields: JsonObject, prefix: str) -> AuthorsNote:
    texts = (as_text(fields.get(f"{prefix}{name}")) for name in ("prompt", "text", "content"))
    depth = as_whole(fields.get(f"{prefix}depth"))
    interval = as_whole(fields.get(f"{prefix}interval"))
    return AuthorsNote(
        text=next((text for text in texts if text), ""),
        place=_NOTE_POSITIONS.get(
            _parse_word(fields.get(f"{prefix}position")), NotePosition.IN_CHAT
        ),
        depth=_DEFAULT_DEPTH if depth is None else max(0, depth),
        role=_NOTE_ROLES.get(_parse_word(fields.get(f"{prefix}role")), PromptRole.SYSTEM),
        interval=1 if interval is None else interval,
    )


def _parse_word(value: JsonValue) -> str:
    return str(value) if isinstance(value, int | str) else ""


class RunKind(StrEnum):
    """Which call a prompt is made for."""

    DRY_RUN = "dry_run"
    RESPOND = "respond"
    REGENERATE = "regenerate"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class AssemblyAssets:
    """What authors wrote, read and compiled; `stamps` say which versions."""

    preset: Preset | None = None
    card: CharacterCard | None = None
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
class StoredVariables:
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
class SessionContext:
    """What the session brings along beside its assets."""

    note: AuthorsNote = field(default_factory=AuthorsNote)
    memory_summary: str | None = None
    metadata: JsonObject = field(default_factory=dict)
    lore_timers: Mapping[LoreTimerKey, LoreTimer] = field(default_factory=dict)
    idle_since: datetime | None = None
    chat: ChatFacts | None = None


@dataclass(frozen=True, slots=True)
class PromptRuntime:
    """Time, dice and machines. `now` is aware, in the zone the user sees."""

    now: datetime
    count: CountTokens
    regexes: RegexEngine
    seed: str = ""
    chat_id: str = ""
    phase: MacroPhase = MacroPhase.ASSEMBLE
    run_kind: RunKind = RunKind.RESPOND


@dataclass(frozen=True, slots=True)
class AssemblyInput:
    """One prompt's material; `history` is what is stored, oldest first, without the message."""

    message: CurrentInput
    surroundings: PromptRuntime
    assets: AssemblyAssets = field(default_factory=AssemblyAssets)
    history: Sequence[HistoryEntry] = ()
    variables: StoredVariables = field(default_factory=StoredVariables)
    session: SessionContext = field(default_factory=SessionContext)
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
