"""Worldbooks as values: books, entries and their settings."""

from enum import StrEnum

from msgspec import Struct

from yarrow.prompting.model import PromptRole


class BookKind(StrEnum):
    """Where a book comes from."""

    SESSION = "session_worldbook"
    CHARACTER = "character_book"


class BookSource(Struct, frozen=True):
    """The book of an entry; a card's own book has no id."""

    kind: BookKind
    id: str | None
    name: str

    @property
    def ref(self) -> str:
        """A key that is unique among the books of one scan."""
        return self.id or self.kind.value


class LorePosition(StrEnum):
    """Where an entry's content is placed; AN is the author's note, EM the example messages."""

    BEFORE = "before"
    AFTER = "after"
    AN_TOP = "an_top"
    AN_BOTTOM = "an_bottom"
    EM_TOP = "em_top"
    EM_BOTTOM = "em_bottom"
    AT_DEPTH = "at_depth"
    OUTLET = "outlet"


class KeyLogic(StrEnum):
    """The condition on the secondary keys, once a primary key matched."""

    AND_ANY = "and_any"
    NOT_ALL = "not_all"
    NOT_ANY = "not_any"
    AND_ALL = "and_all"


class SegmentKind(StrEnum):
    """The kinds of text that keys are searched in, in reading order."""

    MESSAGE = "message"
    PERSONA_DESCRIPTION = "persona_description"
    CHARACTER_DESCRIPTION = "character_description"
    CHARACTER_PERSONALITY = "character_personality"
    CHARACTER_DEPTH_PROMPT = "character_depth_prompt"
    SCENARIO = "scenario"
    CREATOR_NOTES = "creator_notes"
    INJECTION = "injection"
    RECURSION_BUFFER = "recursion_buffer"


class EntryDecorator(StrEnum):
    """A command in the first lines of a content."""

    ACTIVATE = "@@activate"
    DONT_ACTIVATE = "@@dont_activate"


class CharacterFilter(Struct, frozen=True):
    """The characters an entry is for, or with `excludes` the ones it is not for."""

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    excludes: bool = False


class LoreEntry(Struct, frozen=True):
    """One lore entry. None means that the book's setting applies.

    Timers store a digest over these fields: renaming one makes stored timers expire.
    """

    uid: int
    keys: tuple[str, ...] = ()
    secondary: tuple[str, ...] = ()
    selective: bool = True
    logic: KeyLogic = KeyLogic.AND_ANY
    constant: bool = False
    content: str = ""
    comment: str = ""
    position: LorePosition = LorePosition.BEFORE
    order: int = 100
    depth: int = 4
    role: PromptRole = PromptRole.SYSTEM
    outlet_name: str = ""
    disabled: bool = False
    scan_depth: int | None = None
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    sources: tuple[SegmentKind, ...] = ()
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    recursion_delay: int = 0
    probability: float = 100
    groups: tuple[str, ...] = ()
    group_override: bool = False
    group_weight: float = 100
    group_scoring: bool | None = None
    sticky: int = 0
    cooldown: int = 0
    delay: int = 0
    character_filter: CharacterFilter | None = None
    intents: tuple[str, ...] = ()
    ignore_budget: bool = False
    decorators: tuple[EntryDecorator, ...] = ()


class BookSettings(Struct, frozen=True):
    """How a book is scanned; a maximum of 0 means no limit."""

    scan_depth: int = 2
    case_sensitive: bool = False
    whole_words: bool = False
    recursive: bool = False
    max_recursion_steps: int = 0
    min_activations: int = 0
    min_activations_depth_max: int = 0
    group_scoring: bool = False


class LoreWarningCode(StrEnum):
    """Problems of a book that do not stop the scan."""

    FIELD_INVALID = "field_invalid"
    REGEX_INVALID = "regex_invalid"
    REGEX_TIMED_OUT = "regex_timed_out"


class LoreWarning(Struct, frozen=True):
    """One problem; without a uid it concerns the whole book."""

    code: LoreWarningCode
    source: BookSource
    uid: int | None
    detail: str


class Worldbook(Struct, frozen=True):
    """A parsed book, entries in file order."""

    source: BookSource
    entries: tuple[LoreEntry, ...]
    settings: BookSettings = BookSettings()
    warnings: tuple[LoreWarning, ...] = ()
