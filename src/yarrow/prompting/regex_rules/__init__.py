"""SillyTavern's regex scripts: which of them touch a text, and what they make of it."""

from yarrow.prompting.regex_rules.apply import apply_rules
from yarrow.prompting.regex_rules.model import (
    NEVER_RUN,
    Channel,
    Placement,
    RegexRule,
    RuleContext,
    RuleOutcome,
    Skipped,
    SkipReason,
    Substitution,
)
from yarrow.prompting.regex_rules.parse import parse_rules

__all__ = [
    "NEVER_RUN",
    "Channel",
    "Placement",
    "RegexRule",
    "RuleContext",
    "RuleOutcome",
    "SkipReason",
    "Skipped",
    "Substitution",
    "apply_rules",
    "parse_rules",
]
