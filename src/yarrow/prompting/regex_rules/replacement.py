"""What a script puts in the place of a match."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from yarrow.prompting.macros import has_macros
from yarrow.prompting.regex_engine.port import RegexMatch

_MAX_TRIM_STRINGS = 64
_WHOLE_MATCH = re.compile(r"\{\{match\}\}", re.IGNORECASE)
_REFERENCE = re.compile(r"\$(?:(?P<number>[0-9]+)|<(?P<name>[^>]+)>)")
"""SillyTavern's own, not JavaScript's: `$$` and `$&` mean nothing and stay."""

_MARK = re.compile("\ufdd0([0-9]{1,9})\ufdd1")
"""Two characters that Unicode keeps for internal use: they hold a reference's place."""


@dataclass(frozen=True, slots=True)
class MatchReference:
    """A part of the match: a group by number or by name; number 0 is the whole match."""

    number: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class ReplacementTemplate:
    """A replacement text, read once: literal parts and references by turns."""

    parts: tuple[str | MatchReference, ...]
    trim_strings: tuple[str, ...] = ()

    def pieces(self, match: RegexMatch, text: str) -> Iterator[str]:
        """What stands in the place of one match, piece by piece: together they may be endless."""
        for part in self.parts:
            yield part if isinstance(part, str) else self._trimmed(_group_text(part, match, text))

    def _trimmed(self, inserted: str) -> str:
        for trim in self.trim_strings:
            inserted = inserted.replace(trim, "")
        return inserted


def parse_replacement(
    template: str, trim_strings: Sequence[str], expand: Callable[[str], str]
) -> ReplacementTemplate:
    """References are found before macros are expanded, so that no value can bring one along.

    What they insert is never expanded: it is chat text, and chat text does not execute.
    """
    references: list[MatchReference] = []

    def put_mark(found: re.Match[str]) -> str:
        references.append(_parse_reference(found))
        return f"\ufdd0{len(references) - 1}\ufdd1"

    marked = _REFERENCE.sub(put_mark, _WHOLE_MATCH.sub("$0", template))
    # Splitting by a pattern with one group gives literals and the group's values by turns.
    pieces = _MARK.split(expand(marked) if has_macros(marked) else marked)
    parts = [
        references[int(piece)] if n % 2 and int(piece) < len(references) else piece
        for n, piece in enumerate(pieces)
    ]
    trims = [
        expand(trim) if has_macros(trim) else trim for trim in trim_strings[:_MAX_TRIM_STRINGS]
    ]
    return ReplacementTemplate(tuple(parts), tuple(trim for trim in trims if trim))


def _parse_reference(found: re.Match[str]) -> MatchReference:
    if found["name"] is not None:
        return MatchReference(name=found["name"])
    # Ten digits name no group that could exist, and int() would be slow on a million.
    return MatchReference(number=int(found["number"][:10]))


def _group_text(reference: MatchReference, match: RegexMatch, text: str) -> str:
    """A group that took no part, or does not exist, is empty."""
    if reference.name:
        return match.named.get(reference.name) or ""
    if reference.number == 0:
        return text[match.start : match.end]
    if reference.number > len(match.groups):
        return ""
    return match.groups[reference.number - 1] or ""
