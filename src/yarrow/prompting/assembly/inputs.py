"""The input of an assembly. The same input gives the same prompt, byte for byte."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.kit.json import JsonMapping, JsonObject, JsonValue
from yarrow.prompting.choose_memories import MemoryEntry
from yarrow.prompting.macros import MacroLimits, MacroPhase
from yarrow.prompting.model import (
    CharacterCard,
    Persona,
    PromptMessage,
    PromptMode,
    PromptRole,
)
from yarrow.prompting.policy import PromptPolicy
from yarrow.prompting.preset import Preset, PromptIntent
from yarrow.prompting.preset.fields import as_text, as_whole
from yarrow.prompting.regex_engine.port import RegexEngine
from yarrow.prompting.regex_rules import RegexRule
from yarrow.prompting.tokens import CountTokens
from yarrow.prompting.worldbook import CompiledBook, LoreTimer, LoreTimerKey

_DEFAULT_DEPTH = 4

_NOTE_ROLES = {
    "0": PromptRole.SYSTEM,
    "1": PromptRole.USER,
    "2": PromptRole.ASSISTANT,
    **{role.value: role for role in PromptRole},
}


class AssetStamp(Struct, frozen=True):
    """The version of an asset that a prompt used; all fields are None if it used none."""

    id: str | None = None
    updated_at: int | None = None
    version: int | None = None


class AssetStamps(Struct, frozen=True):
    """The asset versions of one prompt; times are milliseconds."""

    preset: AssetStamp = msgspec.field(default_factory=AssetStamp)
    worldbook: AssetStamp = msgspec.field(default_factory=AssetStamp)
    regex_profile: AssetStamp = msgspec.field(default_factory=AssetStamp)
    character: AssetStamp = msgspec.field(default_factory=AssetStamp)


class HistoryTurn(PromptMessage, frozen=True, gc=False):
    """Stored messages that the model reads as one, with their ids."""

    turn_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    speaker: str | None = ""
    """The name, where a chat file told it; None for a narrator, who has none."""


class HistoryEntry(HistoryTurn, frozen=True, gc=False):
    """One stored message, mostly a turn by itself; the current input has no ids.

    `is_authored` marks a card's greeting: its macros are expanded, those of users and models never
    are. `number` counts the chat's messages from 0, hidden ones included.
    """

    turn_number: int | None = None
    is_authored: bool = False
    number: int | None = None

    @property
    def turn_id(self) -> str | None:
        return self.turn_ids[0] if self.turn_ids else None

    @property
    def message_id(self) -> str | None:
        return self.message_ids[0] if self.message_ids else None


class ModelFacts(Struct, frozen=True):
    """What assembly needs to know about the model; None if unknown."""

    name: str = ""
    context_tokens: int | None = None
    max_output_tokens: int | None = None


class NotePosition(StrEnum):
    """Where the author's note is placed."""

    IN_CHAT = "in_chat"
    BEFORE_MAIN = "before_main"
    AFTER_MAIN = "after_main"


class AuthorsNote(Struct, frozen=True):
    """A text near the end of the history, sent with every `interval`-th user message."""

    text: str = ""
    position: NotePosition = NotePosition.IN_CHAT
    depth: int = _DEFAULT_DEPTH
    role: PromptRole = PromptRole.SYSTEM
    interval: int = 1

    def is_due(self, user_messages: int) -> bool:
        return self.interval > 0 and user_messages % self.interval == 0


# Fields of a chat's metadata, and the fields of its card that they override.
_CHAT_OVERRIDES = {
    "scenario": "scenario",
    "mes_example": "examples",
    "system_prompt": "system_prompt",
}

# By SillyTavern's numbers and by name.
_NOTE_POSITIONS = {
    "0": NotePosition.AFTER_MAIN,
    "1": NotePosition.IN_CHAT,
    "2": NotePosition.BEFORE_MAIN,
    **{position.value: position for position in NotePosition},
}


def parse_authors_note(metadata: JsonObject) -> AuthorsNote:
    """Read the note of a session: a text, an object, or SillyTavern's `note_…` fields."""
    note = metadata.get("authorsNote", metadata.get("authors_note"))
    if isinstance(note, str):
        return AuthorsNote(text=note)
    if isinstance(note, dict):
        return _parse_note(note, "")
    return _parse_note(metadata, "note_")


def _parse_note(fields: JsonObject, prefix: str) -> AuthorsNote:
    texts = (as_text(fields.get(f"{prefix}{name}")) for name in ("prompt", "text", "content"))
    depth = as_whole(fields.get(f"{prefix}depth"))
    interval = as_whole(fields.get(f"{prefix}interval"))
    return AuthorsNote(
        text=next((text for text in texts if text), ""),
        position=_NOTE_POSITIONS.get(
            _parse_word(fields.get(f"{prefix}position")), NotePosition.IN_CHAT
        ),
        depth=_DEFAULT_DEPTH if depth is None else max(0, depth),
        role=_NOTE_ROLES.get(_parse_word(fields.get(f"{prefix}role")), PromptRole.SYSTEM),
        interval=1 if interval is None else interval,
    )


def _parse_word(value: JsonValue) -> str:
    return str(value) if isinstance(value, int | str) else ""


def apply_chat_overrides(card: CharacterCard, metadata: JsonObject) -> CharacterCard:
    """Use the texts that a chat's metadata has instead of the card's, as SillyTavern does."""
    texts = {
        field: text
        for name, field in _CHAT_OVERRIDES.items()
        if (text := as_text(metadata.get(name))) and text.strip()
    }
    return replace(card, **texts) if texts else card


class RunKind(StrEnum):
    """The call that a prompt is assembled for."""

    DRY_RUN = "dry_run"
    RESPOND = "respond"
    REGENERATE = "regenerate"
    RETRY = "retry"


class AssemblyAssets(Struct, frozen=True):
    """Parsed and compiled assets; `stamps` are their versions."""

    preset: Preset | None = None
    card: CharacterCard | None = None
    persona: Persona | None = None
    books: Sequence[CompiledBook] = ()
    rules: Sequence[RegexRule] = ()
    stamps: AssetStamps = field(default_factory=AssetStamps)


class InputOrigin(StrEnum):
    """Where the text of a turn comes from: it decides which regex rules apply to it."""

    TYPED = "typed"
    EDITED = "edited"
    """Only rules with `runOnEdit` apply."""
    STORED = "stored"
    """The rules for storage were applied already."""


class CurrentInput(Struct, frozen=True):
    """The user's new message."""

    text: str
    origin: InputOrigin = InputOrigin.TYPED
    intent: PromptIntent = PromptIntent.NORMAL


class StoredVariables(Struct, frozen=True):
    """Variables before this turn; `stored` is the merged view of all scopes."""

    local: JsonMapping = field(default_factory=dict)
    shared: JsonMapping = field(default_factory=dict)
    stored: JsonMapping = field(default_factory=dict)


class ChatFacts(Struct, frozen=True):
    """Counts of the stored chat, hidden messages included; `swipe` counts from 1."""

    message_count: int
    swipe: int | None = None
    swipe_count: int | None = None


class SessionContext(Struct, frozen=True):
    """What a prompt uses of its session beside the assets."""

    note: AuthorsNote = field(default_factory=AuthorsNote)
    memory_summary: str | None = None
    """The text of the chosen memories; chosen by the assembly if there are `memories`."""
    memories: Sequence[MemoryEntry] = ()
    metadata: JsonObject = field(default_factory=dict)
    lore_timers: Mapping[LoreTimerKey, LoreTimer] = field(default_factory=dict)
    idle_since: datetime | None = None
    chat: ChatFacts | None = None


class PromptRuntime(Struct, frozen=True):
    """Time, seed, token counter and regex engine. `now` is aware, in the user's time zone."""

    now: datetime
    count: CountTokens
    regexes: RegexEngine
    seed: str = ""
    chat_id: str = ""
    phase: MacroPhase = MacroPhase.ASSEMBLE
    run_kind: RunKind = RunKind.RESPOND


class AssemblyInput(Struct, frozen=True):
    """Everything one prompt is made from; `history` is oldest first, without the message."""

    message: CurrentInput
    runtime: PromptRuntime
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
        """Counts of the chat; without them the history is the whole chat."""
        return self.session.chat or ChatFacts(len(self.history))

    @property
    def memory_summary(self) -> str | None:
        """The memory summary, unless the policy excludes it."""
        is_on = self.policy.source_selection.memory
        return (self.session.memory_summary or None) if is_on else None
