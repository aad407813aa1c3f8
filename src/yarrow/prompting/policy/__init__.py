"""Prompt policies: JSON layers of requests and sessions, resolved and parsed into values."""

from yarrow.prompting.policy.model import (
    AssistantRewrite,
    BudgetPolicy,
    DeliveryPolicy,
    HistoryMode,
    PromptPolicy,
    SourcePolicy,
    StructureMode,
    StructurePolicy,
    TurnRange,
    VisibilityMode,
    VisibilityPolicy,
)
from yarrow.prompting.policy.parse import (
    PolicyLayer,
    ResolvedPolicy,
    merge_patch,
    parse_policy,
    resolve_policy,
)

__all__ = [
    "AssistantRewrite",
    "BudgetPolicy",
    "DeliveryPolicy",
    "HistoryMode",
    "PolicyLayer",
    "PromptPolicy",
    "ResolvedPolicy",
    "SourcePolicy",
    "StructureMode",
    "StructurePolicy",
    "TurnRange",
    "VisibilityMode",
    "VisibilityPolicy",
    "merge_patch",
    "parse_policy",
    "resolve_policy",
]
