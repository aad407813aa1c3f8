"""Values shared by all steps of a prompt: messages, roles, mode, card and persona."""

from enum import StrEnum

from msgspec import Struct, field

from yarrow.kit.json import JsonObject


class PromptRole(StrEnum):
    """The role of a message for the model."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class PromptMessage(Struct, frozen=True, gc=False):
    """One message as the model gets it."""

    role: PromptRole
    content: str


class PromptMode(StrEnum):
    """How closely a prompt follows SillyTavern; decides where the memory summary is placed."""

    COMPAT_STRICT = "compat_strict"
    COMPAT_PLUS = "compat_plus"
    NATIVE = "native"


NAMELESS_USER = "User"
"""SillyTavern's name for a user without a persona."""


class DepthPrompt(Struct, frozen=True):
    """A character's note, inserted into the history at a depth."""

    text: str
    depth: int = 4
    role: PromptRole = PromptRole.SYSTEM


class CharacterCard(Struct, frozen=True):
    """A character card of any version; `book` is its own worldbook, not parsed yet."""

    name: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_message: str = ""
    alternate_greetings: tuple[str, ...] = ()
    examples: str = ""
    system_prompt: str = ""
    post_history: str = ""
    creator_notes: str = ""
    version: str = ""
    tags: tuple[str, ...] = ()
    depth_prompt: DepthPrompt | None = None
    book: JsonObject | None = None
    extensions: JsonObject = field(default_factory=dict)

    @property
    def greetings(self) -> tuple[str, ...]:
        """The first message and its alternates, without empty ones."""
        return tuple(text for text in (self.first_message, *self.alternate_greetings) if text)


class Persona(Struct, frozen=True):
    """Who the user is in the story."""

    name: str
    description: str = ""
