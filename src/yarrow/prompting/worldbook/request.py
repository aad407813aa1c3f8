"""The request and the result of a scan."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct

from yarrow.prompting.regex_engine.port import RegexEngine
from yarrow.prompting.tokens import CountTokens
from yarrow.prompting.worldbook.model import BookSource, LoreEntry, LoreWarning, SegmentKind
from yarrow.prompting.worldbook.timers import LoreTimer, LoreTimerKey


class ScanRequest(Struct, frozen=True):
    """The texts of one turn and the state that lore depends on.

    Messages are newest first, the current input at 0. `chat_length` counts the chat's messages
    including the current input; timers are measured in it. Without a budget there is no limit.
    """

    messages: Sequence[str]
    sources: Mapping[SegmentKind, str] = msgspec.field(default_factory=dict)
    intent: str = "normal"
    character_name: str = ""
    character_tags: Sequence[str] = ()
    chat_length: int = 0
    timers: Mapping[LoreTimerKey, LoreTimer] = msgspec.field(default_factory=dict)
    budget_tokens: int | None = None
    seed: str = ""


class ScanTools(Struct, frozen=True):
    """Dependencies of a scan: `peek(text, place)` expands macros without side effects."""

    peek: Callable[[str, str], str]
    count: CountTokens
    regexes: RegexEngine


class ActivationMode(StrEnum):
    """Why an entry is active."""

    CONSTANT = "constant"
    TRIGGERED = "triggered"
    STICKY = "sticky"


class KeyScope(StrEnum):
    """Which of an entry's two key lists a key is in."""

    PRIMARY = "primary"
    SECONDARY = "secondary"


class KeyType(StrEnum):
    """How a key was searched."""

    PLAIN = "plain"
    REGEX = "regex"


class FirstMatch(Struct, frozen=True, gc=False):
    """The earliest hit. Offsets are UTF-16 units of its text; the key is as written."""

    source_kind: SegmentKind
    message_index_from_latest: int | None
    matched_key: str
    matched_key_scope: KeyScope
    matched_key_type: KeyType
    char_start: int
    char_end: int
    excerpt: str


class ActiveEntry(Struct, frozen=True, gc=False):
    """An entry that belongs in the prompt."""

    entry: LoreEntry
    source: BookSource
    mode: ActivationMode
    recursion_level: int
    first_match: FirstMatch | None
    tokens: int


class CutReason(StrEnum):
    """Why an entry that matched is not in the prompt."""

    BUDGET = "budget"
    NO_PLACE = "no_place"
    PROBABILITY = "probability"
    GROUP = "group"
    COOLDOWN = "cooldown"
    DELAY = "delay"
    RECURSION_DELAY = "recursion_delay"
    CHARACTER_FILTER = "character_filter"
    INTENT = "intent"
    DECORATOR = "decorator"


class CutEntry(Struct, frozen=True):
    """An entry that matched but is not in the prompt; `match` is what it would be there."""

    match: ActiveEntry
    reason: CutReason
    detail: str


class LoreScan(Struct, frozen=True):
    """The result: active entries in text order, and the timers that a live turn stores."""

    active: tuple[ActiveEntry, ...]
    cut: tuple[CutEntry, ...]
    timers: Mapping[LoreTimerKey, LoreTimer]
    warnings: tuple[LoreWarning, ...]
