"""How many tokens a prompt may have."""

from dataclasses import dataclass
from enum import StrEnum

import msgspec

# Where neither the model nor a preset says anything.
DEFAULT_CONTEXT = 8192

LORE_PERCENT = 25
"""SillyTavern's own default: a quarter of the context."""


class TrimCause(StrEnum):
    """Why something was cut."""

    BUDGET_EXCEEDED = "budget_exceeded"
    GROUP_LIMIT_EXCEEDED = "group_limit_exceeded"
    PROVIDER_CONSTRAINT = "provider_constraint"
    POLICY_DISABLED = "policy_disabled"


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """What a request asks for; None leaves it to model and preset."""

    max_input_tokens: int | None = None
    reserved_completion_tokens: int | None = None
    lore_percent: int = LORE_PERCENT

    def lore_tokens(self, allowance: "Allowance") -> int:
        """How much of the context lore may fill."""
        return round((allowance.max_input + allowance.reserved) * self.lore_percent / 100)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What assembly has to know of the model; None where nobody said."""

    name: str = ""
    context_tokens: int | None = None
    max_output_tokens: int | None = None


class Allowance(msgspec.Struct, frozen=True):
    """Tokens for the prompt, and tokens kept free for the answer."""

    max_input: int
    reserved: int

    def available_for_reply(self, estimate: int) -> int:
        return max(0, self.max_input + self.reserved - estimate)


class TrimReason(msgspec.Struct, frozen=True):
    """One cut, with what it saved."""

    group: str
    reason: TrimCause
    detail: str
    pruned_token_count: int


class GroupUse(msgspec.Struct, frozen=True, gc=False):
    """How many tokens a group of texts wanted, got and lost."""

    group: str
    estimated_token_count: int
    token_count: int
    pruned_token_count: int


def allow(
    asked: BudgetPolicy,
    model: ModelFacts,
    *,
    preset_context: int | None,
    preset_reply: int | None,
) -> Allowance:
    """What a prompt may use: the request first, then the model, then the preset."""
    context = model.context_tokens or preset_context or DEFAULT_CONTEXT
    wanted = asked.reserved_completion_tokens or model.max_output_tokens or preset_reply or 0
    reserved = min(wanted, context)
    return Allowance(max_input=asked.max_input_tokens or context - reserved, reserved=reserved)
