"""A regex script, the context of a text, and the outcome of applying scripts to it."""

from collections.abc import Callable
from enum import IntEnum, StrEnum

from msgspec import Struct


class RulePlacement(IntEnum):
    """The kind of text a script is for, by SillyTavern's numbers."""

    DISPLAY = 0
    USER_INPUT = 1
    AI_OUTPUT = 2
    SLASH = 3
    WORLD_INFO = 5
    REASONING = 6


NEVER_RUN = frozenset({RulePlacement.DISPLAY, RulePlacement.SLASH, RulePlacement.REASONING})
"""Placements for SillyTavern's own client: such scripts are stored but never run here."""


class RuleChannel(StrEnum):
    """What the text is used for."""

    PERSIST = "persist"
    PROMPT = "prompt"
    DISPLAY = "display"
    EDIT = "edit"


class PatternSubstitution(StrEnum):
    """How macros inside the pattern are expanded."""

    NONE = "none"
    RAW = "raw"
    ESCAPED = "escaped"


class SkipReason(StrEnum):
    """Why a script for this kind of text did not change it."""

    CHANNEL_FILTERED = "channel_filtered"
    DEPTH_FILTERED = "depth_filtered"
    INVALID_REGEX = "invalid_regex"
    NO_MATCH = "no_match"
    RESERVED_NON_EXECUTABLE = "reserved_non_executable"
    TIMED_OUT = "timed_out"
    TOO_LONG = "too_long"


class RegexRule(Struct, frozen=True):
    """One script; a depth of None is no bound, depth 0 is the newest message."""

    id: str
    name: str
    find: str
    replace: str = ""
    trim_strings: tuple[str, ...] = ()
    placements: frozenset[RulePlacement] = frozenset()
    disabled: bool = False
    markdown_only: bool = False
    prompt_only: bool = False
    run_on_edit: bool = False
    substitution: PatternSubstitution = PatternSubstitution.NONE
    min_depth: int | None = None
    max_depth: int | None = None


def _return_text(text: str) -> str:
    return text


class RuleContext(Struct, frozen=True):
    """Where the text is used; `expand` expands macros of a script, never of the text."""

    placement: RulePlacement
    channel: RuleChannel = RuleChannel.PERSIST
    depth: int | None = None
    expand: Callable[[str], str] = _return_text


class SkippedRule(Struct, frozen=True):
    """A script that did nothing, and why."""

    name: str
    reason: SkipReason


class RuleOutcome(Struct, frozen=True):
    """The text after all scripts; `applied` names those that matched, in order."""

    text: str
    applied: tuple[str, ...] = ()
    skipped: tuple[SkippedRule, ...] = ()
