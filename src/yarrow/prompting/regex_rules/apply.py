"""Apply scripts to a text in order, each on the result of the previous one."""

from collections.abc import Sequence

from yarrow.prompting.regex_engine.port import RegexEngine, RegexMatch, RegexTimedOut
from yarrow.prompting.regex_rules.model import (
    NEVER_RUN,
    RegexRule,
    RuleChannel,
    RuleContext,
    RuleOutcome,
    SkippedRule,
    SkipReason,
)
from yarrow.prompting.regex_rules.pattern import build_regex
from yarrow.prompting.regex_rules.replacement import ReplacementTemplate, parse_replacement

_MAX_REPLACEMENT = 2_000_000
"""Characters that one script may insert; each piece also counts a fixed amount for its work."""


def apply_rules(
    rules: Sequence[RegexRule], text: str, context: RuleContext, regexes: RegexEngine
) -> RuleOutcome:
    """Apply the rules; disabled ones and those for other kinds of text are not in the outcome."""
    applied: list[str] = []
    skipped: list[SkippedRule] = []
    for rule in rules:
        if rule.disabled or context.placement not in rule.placements:
            continue
        outcome = _skip_reason(rule, context) or _run_rule(rule, text, context, regexes)
        if isinstance(outcome, SkipReason):
            skipped.append(SkippedRule(rule.name, outcome))
        else:
            text = outcome
            applied.append(rule.name)
    return RuleOutcome(text, tuple(applied), tuple(skipped))


def _skip_reason(rule: RegexRule, context: RuleContext) -> SkipReason | None:
    if context.placement in NEVER_RUN:
        return SkipReason.RESERVED_NON_EXECUTABLE
    if not _serves_channel(rule, context.channel):
        return SkipReason.CHANNEL_FILTERED
    if context.depth is not None and not _covers_depth(rule, context.depth):
        return SkipReason.DEPTH_FILTERED
    return None


def _serves_channel(rule: RegexRule, channel: RuleChannel) -> bool:
    plain = not rule.markdown_only and not rule.prompt_only
    match channel:
        case RuleChannel.PERSIST:
            return plain
        case RuleChannel.PROMPT:
            return rule.prompt_only
        case RuleChannel.DISPLAY:
            return rule.markdown_only
        case RuleChannel.EDIT:
            return plain and rule.run_on_edit


def _covers_depth(rule: RegexRule, depth: int) -> bool:
    if rule.min_depth is not None and depth < rule.min_depth:
        return False
    return rule.max_depth is None or depth <= rule.max_depth


def _run_rule(
    rule: RegexRule, text: str, context: RuleContext, regexes: RegexEngine
) -> str | SkipReason:
    regex = build_regex(rule, context.expand)
    if not rule.find or not regexes.is_valid(regex):
        return SkipReason.INVALID_REGEX
    if not text:
        return SkipReason.NO_MATCH
    try:
        matches = regexes.find_matches(regex, text)
    except RegexTimedOut:
        return SkipReason.TIMED_OUT
    if not matches:
        return SkipReason.NO_MATCH
    replacement = parse_replacement(rule.replace, rule.trim_strings, context.expand)
    # Under `y` the engine returns all adjacent matches; JavaScript replaces one without `g`.
    selected = matches if "g" in regex.flags else matches[:1]
    return _replace_matches(text, selected, replacement)


def _replace_matches(
    text: str, matches: Sequence[RegexMatch], replacement: ReplacementTemplate
) -> str | SkipReason:
    parts: list[str] = []
    done = size = 0
    overhead = 4 + len(replacement.trim_strings)
    for match in matches:
        parts.append(text[done : match.start])
        done = match.end
        for piece in replacement.render_pieces(match, text):
            size += len(piece) + overhead
            if size > _MAX_REPLACEMENT:
                return SkipReason.TOO_LONG
            parts.append(piece)
    return _join_surrogates("".join((*parts, text[done:])))


def _join_surrogates(text: str) -> str:
    """Join surrogate pairs whose halves came from different groups."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
