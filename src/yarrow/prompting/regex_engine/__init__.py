"""Regular expressions with JavaScript semantics: a port, and QuickJS as its implementation."""

from yarrow.prompting.regex_engine.port import (
    JsRegex,
    RegexEngine,
    RegexMatch,
    RegexTimedOut,
    parse_regex_literal,
)

__all__ = ["JsRegex", "RegexEngine", "RegexMatch", "RegexTimedOut", "parse_regex_literal"]
