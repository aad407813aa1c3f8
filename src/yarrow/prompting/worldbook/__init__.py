"""Worldbooks: lore entries that enter the prompt when their keys occur in the chat.

`parse_book` reads a file, `compile_book` builds its key index once, `scan_books` returns the
entries that a turn activates. Pure: macros, token counts and regexes are passed in as tools, and
randomness is seeded by the request.
"""

from yarrow.prompting.worldbook.candidates import name_entry_place
from yarrow.prompting.worldbook.compile import CompiledBook, compile_book
from yarrow.prompting.worldbook.model import (
    BookKind,
    BookSettings,
    BookSource,
    CharacterFilter,
    EntryDecorator,
    KeyLogic,
    LoreEntry,
    LorePosition,
    LoreWarning,
    LoreWarningCode,
    SegmentKind,
    Worldbook,
)
from yarrow.prompting.worldbook.parse import parse_book
from yarrow.prompting.worldbook.request import (
    ActivationMode,
    ActiveEntry,
    CutEntry,
    CutReason,
    FirstMatch,
    KeyScope,
    KeyType,
    LoreScan,
    ScanRequest,
    ScanTools,
)
from yarrow.prompting.worldbook.scan import scan_books
from yarrow.prompting.worldbook.timers import (
    LoreTimer,
    LoreTimerKey,
    TimerKind,
    timers_from_json,
    timers_to_json,
)

__all__ = [
    "ActivationMode",
    "ActiveEntry",
    "BookKind",
    "BookSettings",
    "BookSource",
    "CharacterFilter",
    "CompiledBook",
    "CutEntry",
    "CutReason",
    "EntryDecorator",
    "FirstMatch",
    "KeyLogic",
    "KeyScope",
    "KeyType",
    "LoreEntry",
    "LorePosition",
    "LoreScan",
    "LoreTimer",
    "LoreTimerKey",
    "LoreWarning",
    "LoreWarningCode",
    "ScanRequest",
    "ScanTools",
    "SegmentKind",
    "TimerKind",
    "Worldbook",
    "compile_book",
    "name_entry_place",
    "parse_book",
    "scan_books",
    "timers_from_json",
    "timers_to_json",
]
