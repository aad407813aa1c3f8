"""Regular expressions with JavaScript semantics, as a port: lorebook keys and scripts need them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class JsRegex:
    """A pattern and its flags, as written between and after the slashes."""

    pattern: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class RegexMatch:
    """One match; offsets are Python characters, a group that took no part is None."""

    start: int
    end: int
    groups: tuple[str | None, ...] = ()
    named: Mapping[str, str | None] = field(default_factory=dict)


class RegexTimedOut(Exception):
    """The pattern took longer than its limit, or the assembly's allowance is used up."""


class Regexes(Protocol):
    """An engine with a time limit for each call and an allowance for a whole assembly."""

    def is_valid(self, regex: JsRegex) -> bool: ...

    def matches(self, regex: JsRegex, text: str) -> Sequence[RegexMatch]:
        """All matches under the `g` or `y` flag, else the first; raises `RegexTimedOut`."""
        ...
