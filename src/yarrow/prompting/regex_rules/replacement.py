"""Parse and render the replacement text of a script."""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from yarrow.prompting.macros import has_macros
from yarrow.prompting.regex_engine.port import RegexMatch

_MAX_TRIM_STRINGS = 64
_WHOLE_MATCH = re.compile(r"\{\{match\}\}", re.IGNORECASE)
_REFERENCE = re.compile(r"\$(?:(?P<number>[0-9]+)|<(?P<name>[^>]+)>)")
"""SillyTavern's syntax, not JavaScript's: `$$` and `$&` have no meaning and stay."""

_MARK = re.compile("\ufdd0([0-9]{1,9})\ufdd1")
"""A placeholder between two Unicode noncharacters; it holds a reference while macros expand."""


class MatchReference(Struct, frozen=True):
    """A group by number or by name; number 0 is the whole match."""

    number: int = 0
    name: str = ""


class ReplacementTemplate(Struct, frozen=True):
    """A parsed replacement text: literal parts and references."""

    parts: tuple[str | MatchReference, ...]
    trim_strings: tuple[str, ...] = ()

    def render_pieces(self, match: RegexMatch, text: str) -> Iterator[str]:
        """Yield the replacement of one match in pieces, so that the caller can stop at a limit."""
        for part in self.parts:
            yield (
                part
                if isinstance(part, str)
                else self._trim_inserted(_find_group_text(part, match, text))
            )

    def _trim_inserted(self, inserted: str) -> str:
        for trim in self.trim_strings:
            inserted = inserted.replace(trim, "")
        return inserted


def parse_replacement(
    template: str, trim_strings: Sequence[str], expand: Callable[[str], str]
) -> ReplacementTemplate:
    """Parse references before macros are expanded, so that no macro value can add one.

    Inserted groups are never expanded: they are chat text, and chat text does not execute.
    """
    references: list[MatchReference] = []

    def insert_mark(match: re.Match[str]) -> str:
        references.append(_parse_reference(match))
        return f"\ufdd0{len(references) - 1}\ufdd1"

    marked = _REFERENCE.sub(insert_mark, _WHOLE_MATCH.sub("$0", template))
    # re.split with one group alternates literals and the group's values.
    pieces = _MARK.split(expand(marked) if has_macros(marked) else marked)
    parts = [
        references[int(piece)] if index % 2 and int(piece) < len(references) else piece
        for index, piece in enumerate(pieces)
    ]
    trims = [
        expand(trim) if has_macros(trim) else trim for trim in trim_strings[:_MAX_TRIM_STRINGS]
    ]
    return ReplacementTemplate(tuple(parts), tuple(trim for trim in trims if trim))


def _parse_reference(match: re.Match[str]) -> MatchReference:
    if match["name"] is not None:
        return MatchReference(name=match["name"])
    # No group has a ten-digit number, and int() would be slow on a million digits.
    return MatchReference(number=int(match["number"][:10]))


def _find_group_text(reference: MatchReference, match: RegexMatch, text: str) -> str:
    """Return a group's text; empty if it did not participate or does not exist."""
    if reference.name:
        return match.named.get(reference.name) or ""
    if reference.number == 0:
        return text[match.start : match.end]
    if reference.number > len(match.groups):
        return ""
    return match.groups[reference.number - 1] or ""
