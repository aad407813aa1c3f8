"""A parsed preset."""

from enum import StrEnum

from msgspec import Struct, field

from yarrow.prompting.model import PromptRole
from yarrow.prompting.preset.report import PresetReport

MAIN = "main"
JAILBREAK = "jailbreak"
NSFW = "nsfw"
DEFAULT_DEPTH = 4
DEFAULT_ORDER = 100
CONTINUE_NUDGE = "[Continue your last message without repeating its original content.]"


class PromptIntent(StrEnum):
    """What a prompt is for; an entry may be restricted to some intents."""

    NORMAL = "normal"
    CONTINUE = "continue"
    IMPERSONATE = "impersonate"
    SWIPE = "swipe"
    REGENERATE = "regenerate"
    QUIET = "quiet"


class PresetMarker(StrEnum):
    """An entry that is replaced by a text from elsewhere."""

    LORE_BEFORE = "worldInfoBefore"
    LORE_AFTER = "worldInfoAfter"
    DESCRIPTION = "charDescription"
    PERSONALITY = "charPersonality"
    SCENARIO = "scenario"
    PERSONA = "personaDescription"
    EXAMPLES = "dialogueExamples"
    HISTORY = "chatHistory"


class NamesBehavior(StrEnum):
    """Whether messages of the history are prefixed with the speaker's name."""

    OFF = "off"
    GROUPS = "groups"
    """Replies are, where more than one character speaks."""
    ALWAYS = "always"


class ChatPosition(Struct, frozen=True):
    """A position inside the history: depth 0 is after the last message."""

    depth: int = DEFAULT_DEPTH
    order: int = DEFAULT_ORDER


class PresetEntry(Struct, frozen=True):
    """One entry of the chosen track; without triggers it is used for every intent."""

    identifier: str
    role: PromptRole = PromptRole.SYSTEM
    content: str = ""
    marker: PresetMarker | None = None
    is_enabled: bool = True
    in_chat: ChatPosition | None = None
    triggers: frozenset[PromptIntent] = frozenset()
    has_unknown_triggers: bool = False
    """It names intents that do not exist here; with these alone it is never used."""
    forbids_overrides: bool = False

    def accepts_intent(self, intent: PromptIntent) -> bool:
        is_conditional = bool(self.triggers) or self.has_unknown_triggers
        return not is_conditional or intent in self.triggers


class PresetTexts(Struct, frozen=True):
    """Texts beside the entries; one that the file does not have is empty and not sent."""

    new_chat: str = ""
    new_example: str = ""
    continue_nudge: str = CONTINUE_NUDGE
    impersonation: str = ""
    assistant_prefill: str = ""
    assistant_impersonation: str = ""
    lore_format: str = "{0}"
    scenario_format: str = ""
    personality_format: str = ""


class SamplingParameters(Struct, frozen=True):
    """Generation parameters; None leaves the choice to the model."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    reasoning_effort: str | None = None


class Preset(Struct, frozen=True):
    """A preset as assembly uses it; `report` lists what of the file is not supported."""

    entries: tuple[PresetEntry, ...]
    report: PresetReport
    texts: PresetTexts = field(default_factory=PresetTexts)
    names: NamesBehavior = NamesBehavior.GROUPS
    context_tokens: int = 4095
    reply_tokens: int = 300
    sampling: SamplingParameters = field(default_factory=SamplingParameters)
