"""Parse regex scripts from SillyTavern's JSON, of any version and however damaged."""

from collections.abc import Sequence

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.regex_rules.model import PatternSubstitution, RegexRule, RulePlacement

_SUBSTITUTIONS = {
    0: PatternSubstitution.NONE,
    1: PatternSubstitution.RAW,
    2: PatternSubstitution.ESCAPED,
}
_LEGACY_SEND_AS = 4


def parse_rules(scripts: Sequence[JsonValue]) -> tuple[RegexRule, ...]:
    """Parse the scripts in order; items that are not objects are skipped."""
    return tuple(_parse_rule(script) for script in scripts if isinstance(script, dict))


def _parse_rule(script: JsonObject) -> RegexRule:
    placements = _parse_placements(script.get("placement"))
    is_display = RulePlacement.DISPLAY in placements
    if placements == {RulePlacement.DISPLAY}:
        placements = frozenset(RulePlacement)
    return RegexRule(
        id=_parse_text(script.get("id")),
        name=_parse_text(script.get("scriptName")),
        find=_parse_text(script.get("findRegex")),
        replace=_parse_text(script.get("replaceString")),
        trim_strings=_parse_texts(script.get("trimStrings")),
        placements=placements,
        disabled=bool(script.get("disabled")),
        # The legacy placement 0 is what these two switches express now.
        markdown_only=is_display or bool(script.get("markdownOnly")),
        prompt_only=is_display or bool(script.get("promptOnly")),
        run_on_edit=bool(script.get("runOnEdit")),
        substitution=_parse_substitution(script.get("substituteRegex")),
        min_depth=_parse_depth(script.get("minDepth")),
        max_depth=_parse_depth(script.get("maxDepth")),
    )


def _parse_placements(value: JsonValue) -> frozenset[RulePlacement]:
    numbers = [_parse_number(item) for item in (value if isinstance(value, list) else [value])]
    known = {placement.value: placement for placement in RulePlacement}
    known[_LEGACY_SEND_AS] = RulePlacement.SLASH
    return frozenset(known[number] for number in numbers if number in known)


def _parse_substitution(value: JsonValue) -> PatternSubstitution:
    number = _parse_number(value)
    return (
        PatternSubstitution.NONE
        if number is None
        else _SUBSTITUTIONS.get(number, PatternSubstitution.NONE)
    )


def _parse_depth(value: JsonValue) -> int | None:
    """Parse a depth bound; SillyTavern writes null, NaN or -1 for none."""
    number = _parse_number(value)
    return None if number is None or number < 0 else number


def _parse_number(value: JsonValue) -> int | None:
    """Parse a finite number, also one written as text."""
    if isinstance(value, str | int | float):
        try:
            return int(float(value))
        except (ValueError, OverflowError):
            return None
    return None


def _parse_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _parse_texts(value: JsonValue) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, str) and item)
