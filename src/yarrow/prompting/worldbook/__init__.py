"""Worldbooks: pieces of lore that enter the prompt when the story touches on them.

`parse_book` reads a file, `compile_book` makes it ready once, `scan` says what a turn calls up.
Pure: macros, tokens and regexes arrive as tools, dice come from the request's seed.
"""

from yarrow.prompting.worldbook.candidates import place_of
from yarrow.prompting.worldbook.compile import CompiledBook, compile_book
from yarrow.prompting.worldbook.model import (
    BookKind,
    BookSettings,
    BookSource,
    CharacterFilter,
    Decorator,
    Entry,
    Logic,
    LoreWarning,
    LoreWarningCode,
    Position,
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
from yarrow.prompting.worldbook.scan import scan
from yarrow.prompting.worldbook.timers import (
    Effect,
    Timer,
    TimerKey,
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
    "Decorator",
    "Effect",
    "Entry",
    "FirstMatch",
    "KeyScope",
    "KeyType",
    "Logic",
    "LoreScan",
    "LoreWarning",
    "LoreWarningCode",
    "Position",
    "ScanRequest",
    "ScanTools",
    "SegmentKind",
    "Timer",
    "TimerKey",
    "Worldbook",
    "compile_book",
    "parse_book",
    "place_of",
    "scan",
    "timers_from_json",
    "timers_to_json",
]
