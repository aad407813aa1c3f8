"""Which tools a session offers to its models."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject
from yarrow.product_events.story_tools import SideEffect
from yarrow.stories.tools.model import StoryTool

NARRATOR = "narrator"
ANY_SLOT = "*"
"""In slot lists: all slots."""
MAX_CALLS = 10
MAX_STEPS = 5


class ToolPermissions(Struct, frozen=True):
    """The tool permissions of a session. Names in an allow list exclude all others of the slot."""

    enabled: bool = True
    max_calls_per_turn: int = MAX_CALLS
    max_steps_per_generation: int = MAX_STEPS
    allow_irreversible: bool = False
    slot_allow_list: Mapping[str, Sequence[str]] = {}
    slot_deny_list: Mapping[str, Sequence[str]] = {}

    def to_stored(self) -> JsonObject:
        stored: JsonObject = msgspec.to_builtins(self)
        return stored


def parse_permissions(stored: JsonObject) -> ToolPermissions:
    """Read stored permissions; what is missing has its default."""
    return msgspec.convert(stored, ToolPermissions)


def merge_permissions(present: ToolPermissions, patch: JsonObject) -> ToolPermissions:
    """Replace the fields of a patch; slot lists are merged by slot."""
    merged = present.to_stored() | patch
    for name in ("slot_allow_list", "slot_deny_list"):
        if isinstance(lists := patch.get(name), dict):
            merged[name] = {**getattr(present, name), **lists}
    return parse_permissions(merged)


class RefusalReason(StrEnum):
    """Why a tool is not offered."""

    DISABLED = "tools_disabled"
    IRREVERSIBLE = "irreversible_not_allowed"
    DENIED = "denied_for_slot"
    NOT_ALLOWED = "not_in_allow_list"


class ToolDecision(Struct, frozen=True):
    """Whether a slot may call a tool, and why not."""

    tool: StoryTool
    refusal: RefusalReason | None = None


def decide_tool(permissions: ToolPermissions, tool: StoryTool, slot: str) -> ToolDecision:
    """Decide whether a slot may call a tool."""
    return ToolDecision(tool, _find_refusal(permissions, tool, slot))


def _find_refusal(permissions: ToolPermissions, tool: StoryTool, slot: str) -> RefusalReason | None:
    allowed = _read_lists(permissions.slot_allow_list, slot)
    denied = _read_lists(permissions.slot_deny_list, slot) or ()
    if not permissions.enabled:
        return RefusalReason.DISABLED
    if tool.side_effect is SideEffect.IRREVERSIBLE and not permissions.allow_irreversible:
        return RefusalReason.IRREVERSIBLE
    if tool.name in denied:
        return RefusalReason.DENIED
    if allowed is not None and tool.name not in allowed:
        return RefusalReason.NOT_ALLOWED
    return None


def _read_lists(lists: Mapping[str, Sequence[str]], slot: str) -> Sequence[str] | None:
    """The names for a slot and for all slots; None if there is a list for neither."""
    found = [lists[key] for key in (slot, ANY_SLOT) if key in lists]
    return [name for names in found for name in names] if found else None
