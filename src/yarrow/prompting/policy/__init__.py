"""The rules of a prompt.

Layers are JSON as requests and sessions carry it; `read_policy` turns what is in force into
values.
"""

from yarrow.prompting.policy.layers import PolicyLayer, ResolvedPolicy, patched, resolve_policy
from yarrow.prompting.policy.model import (
    FloorRange,
    HistoryMode,
    PromptPolicy,
    SourceSelection,
    VisibilityMode,
    VisibilityPolicy,
)
from yarrow.prompting.policy.reading import read_policy

__all__ = [
    "FloorRange",
    "HistoryMode",
    "PolicyLayer",
    "PromptPolicy",
    "ResolvedPolicy",
    "SourceSelection",
    "VisibilityMode",
    "VisibilityPolicy",
    "patched",
    "read_policy",
    "resolve_policy",
]
