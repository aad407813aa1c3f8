"""Build the pattern of a script, with its macros expanded as the script asks."""

import re
from collections.abc import Callable, Iterator

from yarrow.prompting.regex_engine.port import JsRegex, parse_regex_literal
from yarrow.prompting.regex_rules.model import PatternSubstitution, RegexRule

_EDGES = re.compile(r"\{\{|\}\}|(?<!\?)<(?:user|bot|char|charifnotgroup|group)>", re.IGNORECASE)
"""Braces and angle-bracket aliases; after `?` such an alias is the name of a group."""


def find_outermost_macros(text: str) -> Iterator[tuple[int, int]]:
    opened: list[int] = []
    for edge in _EDGES.finditer(text):
        match edge.group():
            case "{{":
                opened.append(edge.start())
            case "}}" if not opened:
                continue
            case "}}":
                start = opened.pop()
                if not opened:
                    yield start, edge.end()
            case _ if not opened:
                yield edge.span()


_ESCAPES = str.maketrans(
    {
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\f": "\\f",
        "\0": "\\0",
        **{sign: f"\\{sign}" for sign in ".^$*+?{}[]\\/|()"},
    }
)


def build_regex(rule: RegexRule, expand: Callable[[str], str]) -> JsRegex:
    """Build the regex; a bare pattern gets the flag `g`, `/pattern/flags` keeps its own flags."""
    match rule.substitution:
        case PatternSubstitution.NONE:
            find = rule.find
        case PatternSubstitution.RAW:
            find = expand(rule.find)
        case PatternSubstitution.ESCAPED:
            find = "".join(_escape_values(rule.find, expand))
    return parse_regex_literal(find) or JsRegex(find, "g")


def _escape_values(find: str, expand: Callable[[str], str]) -> Iterator[str]:
    """Escape the expanded values inside the pattern; an unknown macro stays as it is."""
    end_of_last = 0
    for start, end in find_outermost_macros(find):
        raw = find[start:end]
        value = expand(raw)
        yield find[end_of_last:start]
        yield raw if value == raw else value.translate(_ESCAPES)
        end_of_last = end
    yield find[end_of_last:]
