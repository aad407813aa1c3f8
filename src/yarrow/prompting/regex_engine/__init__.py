"""Regular expressions with JavaScript semantics: a port, and QuickJS behind it."""

from yarrow.prompting.regex_engine.port import (
    JsRegex,
    Regexes,
    RegexMatch,
    RegexTimedOut,
    parse_regex_literal,
)

__all__ = ["JsRegex", "RegexMatch", "RegexTimedOut", "Regexes", "parse_regex_literal"]
