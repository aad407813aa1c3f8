"""SillyTavern's regex scripts: which of them apply to a text, and their result."""

from yarrow.prompting.regex_rules.apply import apply_rules
from yarrow.prompting.regex_rules.model import (
    NEVER_RUN,
    PatternSubstitution,
    RegexRule,
    RuleChannel,
    RuleContext,
    RuleOutcome,
    RulePlacement,
    SkippedRule,
    SkipReason,
)
from yarrow.prompting.regex_rules.parse import parse_rules

__all__ = [
    "NEVER_RUN",
    "PatternSubstitution",
    "RegexRule",
    "RuleChannel",
    "RuleContext",
    "RuleOutcome",
    "RulePlacement",
    "SkipReason",
    "SkippedRule",
    "apply_rules",
    "parse_rules",
]
