"""Scripts run over a text, one after the other, each on what the one before left."""

from collections.abc import Sequence

from yarrow.prompting.regex_engine.port import Regexes, RegexMatch, RegexTimedOut
from yarrow.prompting.regex_rules.model import (
    NEVER_RUN,
    Channel,
    RegexRule,
    RuleContext,
    RuleOutcome,
    Skipped,
    SkipReason,
)
from yarrow.prompting.regex_rules.pattern import regex_of
from yarrow.prompting.regex_rules.replacement import Replacement, read_replacement

_LARGEST_REPLACEMENT = 2_000_000
"""Characters that one script may put in; a piece counts even when it is empty, for its work."""


def apply_rules(
    rules: Sequence[RegexRule], text: str, context: RuleContext, regexes: Regexes
) -> RuleOutcome:
    """Scripts for other kinds of text, and disabled ones, are not mentioned in the outcome."""
    applied: list[str] = []
    skipped: list[Skipped] = []
    for rule in rules:
        if rule.disabled or context.placement not in rule.placements:
            continue
        outcome = _why_not_here(rule, context) or _run(rule, text, context, regexes)
        if isinstance(outcome, SkipReason):
            skipped.append(Skipped(rule.name, outcome))
        else:
            text = outcome
            applied.append(rule.name)
    return RuleOutcome(text, tuple(applied), tuple(skipped))


def _why_not_here(rule: RegexRule, context: RuleContext) -> SkipReason | None:
    if context.placement in NEVER_RUN:
        return SkipReason.RESERVED_NON_EXECUTABLE
    if not _serves_channel(rule, context.channel):
        return SkipReason.CHANNEL_FILTERED
    if context.depth is not None and not _covers_depth(rule, context.depth):
        return SkipReason.DEPTH_FILTERED
    return None


def _serves_channel(rule: RegexRule, channel: Channel) -> bool:
    plain = not rule.markdown_only and not rule.prompt_only
    match channel:
        case Channel.PERSIST:
            return plain
        case Channel.PROMPT:
            return rule.prompt_only
        case Channel.DISPLAY:
            return rule.markdown_only
        case Channel.EDIT:
            return plain and rule.run_on_edit


def _covers_depth(rule: RegexRule, depth: int) -> bool:
    if rule.min_depth is not None and depth < rule.min_depth:
        return False
    return rule.max_depth is None or depth <= rule.max_depth


def _run(rule: RegexRule, text: str, context: RuleContext, regexes: Regexes) -> str | SkipReason:
    regex = regex_of(rule, context.expand)
    if not rule.find or not regexes.is_valid(regex):
        return SkipReason.INVALID_REGEX
    if not text:
        return SkipReason.NO_MATCH
    try:
        matches = regexes.matches(regex, text)
    except RegexTimedOut:
        return SkipReason.TIMED_OUT
    if not matches:
        return SkipReason.NO_MATCH
    replacement = read_replacement(rule.replace, rule.trim_strings, context.expand)
    # Under `y` the engine finds all neighbours; JavaScript's replace takes one without `g`.
    wanted = matches if "g" in regex.flags else matches[:1]
    return _replaced(text, wanted, replacement)


def _replaced(
    text: str, matches: Sequence[RegexMatch], replacement: Replacement
) -> str | SkipReason:
    kept: list[str] = []
    done = size = 0
    overhead = 4 + len(replacement.trim_strings)
    for match in matches:
        kept.append(text[done : match.start])
        done = match.end
        for piece in replacement.pieces(match, text):
            size += len(piece) + overhead
            if size > _LARGEST_REPLACEMENT:
                return SkipReason.TOO_LONG
            kept.append(piece)
    return _with_pairs_joined("".join((*kept, text[done:])))


def _with_pairs_joined(text: str) -> str:
    """Halves of a surrogate pair that groups brought apart are one character again."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
