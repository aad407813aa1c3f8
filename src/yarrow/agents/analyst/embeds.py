"""Charts and tables inside a report: lines `![caption](chart://id)` and `![…](table://name)`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class EmbedKind(StrEnum):
    """What a line shows."""

    CHART = "chart"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Embed:
    """A line of a report that shows something."""

    kind: EmbedKind
    target: str
    caption: str
    source: str
    """The line itself, its end included."""


_LINE = re.compile(r"\s*!\[(?P<caption>[^\]]*)\]\((?P<kind>chart|table)://(?P<target>[^)\s]+)\)\s*")
_OPENING = "!["


class EmbedReader:
    """Splits streamed Markdown into text to pass on at once and whole lines that embed.

    Only a line that may still become an embed is held back; all other text goes on as it comes.
    """

    def __init__(self) -> None:
        self._held = ""
        self._at_line_start = True

    def feed(self, piece: str) -> Iterator[str | Embed]:
        self._held += piece
        while self._held:
            line, end, rest = self._held.partition("\n")
            if self._at_line_start and _may_embed(line):
                if not end:
                    return
                yield from _whole(line)
            else:
                yield line + end
                self._at_line_start = bool(end)
            self._held = rest if end else ""

    def close(self) -> Iterator[str | Embed]:
        """The last line, if it was held back."""
        held, self._held = self._held, ""
        if held:
            yield _embed(held, held) or held


def _may_embed(line: str) -> bool:
    start = line.lstrip()
    return start.startswith(_OPENING) or _OPENING.startswith(start)


def _whole(line: str) -> Iterator[str | Embed]:
    source = line + "\n"
    yield _embed(line, source) or source


def _embed(line: str, source: str) -> Embed | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    return Embed(EmbedKind(match["kind"]), match["target"], match["caption"].strip(), source)
