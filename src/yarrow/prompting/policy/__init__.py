"""The rules of a prompt.

Layers are JSON as requests and sessions carry it; `read_policy` turns what is in force into
values.
"""

from yarrow.prompting.policy.layers import PolicyLayer, ResolvedPolicy, patched, resolve_policy
from yarrow.prompting.policy.model import (
    AssistantRewrite,
    BudgetPolicy,
    DeliveryPolicy,
    FloorRange,
    HistoryMode,
    PromptPolicy,
    SourceSelection,
    StructureMode,
    StructurePolicy,
    VisibilityMode,
    VisibilityPolicy,
)
from yarrow.prompting.policy.parse import read_policy

__all__ = [
    "AssistantRewrite",
    "BudgetPolicy",
    "DeliveryPolicy",
    "FloorRange",
    "HistoryMode",
    "PolicyLayer",
    "PromptPolicy",
    "ResolvedPolicy",
    "SourceSelection",
    "StructureMode",
    "StructurePolicy",
    "VisibilityMode",
    "VisibilityPolicy",
    "patched",
    "read_policy",
    "resolve_policy",
]
