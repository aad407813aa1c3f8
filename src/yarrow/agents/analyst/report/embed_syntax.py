"""Charts and tables inside a report: images with the address `chart://id` or `table://name`.

CommonMark decides what is an image, so nothing inside code is one. Both the stream of a report
and the document made of it parse embeds here.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from msgspec import Struct

from yarrow.kit.markdown_parser import make_markdown_parser

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

_IMAGE, _INLINE, _TEXT = "image", "inline", "text"
_BREAKS = frozenset({"softbreak", "hardbreak"})
_OPENING = "!["
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MARKS = re.compile(r"[\\`*~\[\]<&]|(?<!\w)_|_(?!\w)")
_PLAIN_ADDRESS = re.compile(r"[^\s<>()\\%]+")
_SHORT_BLOCK = 4_000
"""A longer block is parsed again only when it has grown by a tenth, to limit the work."""

_BRACKETS_MAX = 5_000
"""No report has more; parsing open brackets takes quadratic time."""


class EmbedKind(StrEnum):
    """What is embedded: the scheme of the address."""

    CHART = "chart"
    TABLE = "table"


class Embed(Struct, frozen=True):
    """A chart or table that a report shows."""

    kind: EmbedKind
    target: str
    caption: str


def parse_embed(token: "Token") -> Embed | None:
    """The embed of an image token; None for any other token."""
    if token.type != _IMAGE:
        return None
    scheme, _, name = str(token.attrGet("src") or "").partition("://")
    kind = next((kind for kind in EmbedKind if kind.value == scheme), None)
    # The parser has escaped what is not ASCII.
    target = unquote(name).rstrip("/")
    return Embed(kind, target, read_caption(token)) if kind and target else None


def parse_embeds(markdown: str) -> list[Embed]:
    """All embeds of a report, in order."""
    return _find_embeds(make_markdown_parser().parse(markdown))


def read_caption(image: "Token") -> str:
    """The caption of an image as plain text."""
    return " ".join(_read_plain_text(image).split())


def format_embed(embed: Embed) -> str:
    """Markdown that parses as this embed, with its names escaped."""
    caption = _MARKS.sub(r"\\\g<0>", " ".join(embed.caption.split()))
    is_plain = _PLAIN_ADDRESS.fullmatch(embed.target)
    target = embed.target if is_plain else quote(embed.target, safe="")
    return f"![{caption}]({embed.kind.value}://{target})"


def match_table(target: str, known: Collection[str]) -> str | None:
    """The table with this name, else one whose name differs only in case."""
    if target in known:
        return target
    return next((name for name in known if name.casefold() == target.casefold()), None)


class EmbedReader:
    """Passes streamed Markdown on, and yields each embed as soon as it is certain.

    That is after its line, or after its paragraph if later text could still turn it into code.
    No text is held back.
    """

    def __init__(self) -> None:
        self._parser = make_markdown_parser()
        self._env: EnvType = {}
        self._pieces: list[str] = []
        self._yielded: Counter[Embed] = Counter()
        self._block = ""
        """The last block, which is not complete yet."""
        self._yielded_in_block: Counter[Embed] = Counter()
        self._parse_again_at = 0

    def feed(self, piece: str) -> Iterator[str | Embed]:
        self._pieces.append(piece)
        passed = ""
        for line in _LINES.findall(piece):
            self._block += line
            passed += line
            if embeds := self._find_certain():
                yield passed
                yield from embeds
                passed = ""
        if passed:
            yield passed

    def close(self) -> Iterator[Embed]:
        """Embeds that only the whole text shows: its last lines, and link definitions."""
        whole = "".join(self._pieces)
        if whole.count("[") <= _BRACKETS_MAX:
            yield from _remove_yielded(parse_embeds(whole), self._yielded)

    def _find_certain(self) -> list[Embed]:
        """New embeds that stay embeds whatever text follows."""
        is_due = self._block.endswith("\n") and len(self._block) >= self._parse_again_at
        if not is_due or _OPENING not in self._block or self._block.count("[") > _BRACKETS_MAX:
            return []
        lines = _LINES.findall(self._block.replace("\r\n", "\n").replace("\r", "\n"))
        tokens = self._parser.parse("".join(lines), self._env)
        certain = tokens if not _may_change(tokens, len(lines)) else _drop_last(tokens)
        embeds = _remove_yielded(_find_embeds(certain), self._yielded_in_block)
        self._yielded.update(embeds)
        self._yielded_in_block.update(embeds)
        start = max((t.map[0] for t in tokens if t.map and not t.level), default=0)
        closed = [token for token in tokens if token.map and token.map[1] <= start]
        self._yielded_in_block -= Counter(_find_embeds(closed))
        self._block = "".join(lines[start:])
        size = len(self._block)
        self._parse_again_at = size + size // 10 if size > _SHORT_BLOCK else 0
        return embeds


def _find_embeds(tokens: "Sequence[Token]") -> list[Embed]:
    images = (child for token in tokens for child in token.children or [])
    return [embed for image in images if (embed := parse_embed(image))]


def _remove_yielded(embeds: Sequence[Embed], yielded: Counter[Embed]) -> list[Embed]:
    """The embeds without those that were yielded, as often as they were."""
    left = Counter(yielded)
    left.subtract(embeds)
    remaining = []
    for embed in reversed(embeds):
        if left[embed] < 0:
            left[embed] += 1
            remaining.append(embed)
    return remaining[::-1]


def _may_change(tokens: "Sequence[Token]", line_count: int) -> bool:
    """Whether the next line can turn images of the last paragraph into code, caption or cells."""
    last = next((token for token in reversed(tokens) if token.type == _INLINE), None)
    if last is None or last.map is None or last.map[1] < line_count:
        return False
    texts = [token for token in last.children or [] if token.type == _TEXT]
    has_bracket = any("[" in token.content for token in texts)
    return has_bracket or "|" in last.content or _has_backtick(last)


def _has_backtick(token: "Token") -> bool:
    """A backtick that opens no code span yet, which the parser leaves as text."""
    is_one = token.type == _TEXT and "`" in token.content
    return is_one or any(_has_backtick(child) for child in token.children or [])


def _drop_last(tokens: "Sequence[Token]") -> "list[Token]":
    *complete, _ = [token for token in tokens if token.type == _INLINE]
    return complete


def _read_plain_text(token: "Token") -> str:
    if token.type in _BREAKS:
        return " "
    return "".join(map(_read_plain_text, token.children)) if token.children else token.content
