"""The policy of a prompt: structure, delivery, budget, sources and visibility."""

from enum import StrEnum

from msgspec import Struct, field


class StructureMode(StrEnum):
    """Which roles the model's interface accepts, and in which order."""

    DEFAULT = "default"
    STRICT_ALTERNATING = "strict_alternating"
    NO_ASSISTANT = "no_assistant"
    FLATTENED = "flattened"


class AssistantRewrite(StrEnum):
    """What assistant messages become where none are allowed."""

    TO_SYSTEM = "to_system"
    TO_USER_TRANSCRIPT = "to_user_transcript"


class StructurePolicy(Struct, frozen=True):
    """The requested structure; None leaves merging to the mode."""

    mode: StructureMode = StructureMode.DEFAULT
    merge_adjacent_same_role: bool | None = None
    assistant_rewrite: AssistantRewrite = AssistantRewrite.TO_SYSTEM
    preserve_system_messages: bool = True


class DeliveryPolicy(Struct, frozen=True):
    """What the model's interface accepts."""

    allow_assistant_prefill: bool = True
    require_last_user: bool = False
    no_assistant: bool = False
    native_prefill: bool = False


LORE_PERCENT = 25
"""SillyTavern's default: a quarter of the context."""


class BudgetPolicy(Struct, frozen=True):
    """The requested token limits; None leaves them to model and preset."""

    max_input_tokens: int | None = None
    reserved_completion_tokens: int | None = None
    lore_percent: int = LORE_PERCENT


class HistoryMode(StrEnum):
    """How much of the history a prompt includes."""

    FULL = "full"
    WINDOWED = "windowed"


class VisibilityMode(StrEnum):
    """What applies to turns that no rule names."""

    ALLOW_ALL_EXCEPT_HIDDEN = "allow_all_except_hidden"
    DENY_ALL_EXCEPT_VISIBLE = "deny_all_except_visible"


class MemoryLayout(StrEnum):
    """How memories are put into a prompt."""

    BALANCED = "balanced"
    """One list, from each kind in turn."""
    DUAL_SUMMARY = "dual_summary"
    """A section each for facts, open loops, summaries of turns and summaries of many turns."""


class MemoryPolicy(Struct, frozen=True):
    """Which memories a prompt contains; a half-life lets old ones count less."""

    max_tokens: int = 500
    max_items: int = 24
    min_importance: float = 0.35
    layout: MemoryLayout = MemoryLayout.BALANCED
    half_life_days: float | None = None


class SourcePolicy(Struct, frozen=True):
    """Which sources a prompt may use; the window counts turns, the current one included."""

    history: HistoryMode = HistoryMode.FULL
    max_messages: int | None = None
    memory: bool = True
    worldbook: bool = True
    examples: bool = True
    memory_policy: MemoryPolicy = field(default_factory=MemoryPolicy)

    @property
    def window(self) -> int | None:
        return self.max_messages if self.history is HistoryMode.WINDOWED else None


class TurnRange(Struct, frozen=True):
    """Turns by number, both ends included."""

    first: int
    last: int


class VisibilityPolicy(Struct, frozen=True):
    """Which turns of the history a prompt may show."""

    mode: VisibilityMode = VisibilityMode.ALLOW_ALL_EXCEPT_HIDDEN
    hidden_turn_ranges: tuple[TurnRange, ...] = ()
    visible_turn_ranges: tuple[TurnRange, ...] = ()
    hidden_turn_ids: frozenset[str] = frozenset()
    visible_turn_ids: frozenset[str] = frozenset()


class PromptPolicy(Struct, frozen=True):
    """The complete policy of one prompt."""

    structure: StructurePolicy = field(default_factory=StructurePolicy)
    delivery: DeliveryPolicy = field(default_factory=DeliveryPolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    source_selection: SourcePolicy = field(default_factory=SourcePolicy)
    visibility: VisibilityPolicy = field(default_factory=VisibilityPolicy)
