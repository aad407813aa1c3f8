"""The port for regular expressions with JavaScript semantics, used by lore keys and regex rules."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field


class JsRegex(Struct, frozen=True):
    """A pattern and its flags, as written between and after the slashes."""

    pattern: str
    flags: str = ""


class RegexMatch(Struct, frozen=True):
    """One match; offsets are Python characters, a group that did not participate is None."""

    start: int
    end: int
    groups: tuple[str | None, ...] = ()
    named: Mapping[str, str | None] = field(default_factory=dict)


class RegexTimedOut(Exception):
    """The pattern exceeded its time limit, or the assembly's time allowance is used up."""


class RegexEngine(Protocol):
    """An engine with a time limit per call and a time allowance per assembly."""

    def is_valid(self, regex: JsRegex) -> bool: ...

    def find_matches(self, regex: JsRegex, text: str) -> Sequence[RegexMatch]:
        """Return all matches under the `g` or `y` flag, else the first; raises `RegexTimedOut`."""
        ...


_JS_FLAGS = frozenset("dgimsuvy")
_FOREIGN_FLAGS = frozenset("xXUAJ")
"""Accepted as flags by SillyTavern, rejected by JavaScript: such a literal is an invalid regex."""


def parse_regex_literal(text: str) -> JsRegex | None:
    """Parse `/pattern/flags`; None if SillyTavern would use the text as a bare pattern.

    The last slash ends the pattern, so slashes inside it need no escape.
    """
    body, slash, flags = text.rstrip().rpartition("/")
    if not slash or len(body) < 2 or not body.startswith("/"):
        return None
    if not set(flags) <= _JS_FLAGS | _FOREIGN_FLAGS or len(set(flags)) < len(flags):
        return None
    return JsRegex(body[1:], flags)
