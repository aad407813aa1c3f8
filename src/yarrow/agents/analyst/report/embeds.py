"""Charts and tables inside a report: images whose address is `chart://id` or `table://name`.

What CommonMark reads as an image counts, so nothing inside code does. The stream that writes a
report and the document that is made of it both ask here.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType

_IMAGE, _INLINE, _TEXT = "image", "inline", "text"
_BREAKS = frozenset({"softbreak", "hardbreak"})
_OPENING = "!["
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MARKS = re.compile(r"[\\`*~\[\]<&]|(?<!\w)_|_(?!\w)")
_PLAIN_ADDRESS = re.compile(r"[^\s<>()\\%]+")
_SHORT_BLOCK = 4_000
"""A longer block is read again only when it has grown by a tenth: a long one must stay cheap."""

_BRACKETS_MAX = 5_000
"""No report has more; open ones take a time that grows with the square of their number."""


class EmbedKind(StrEnum):
    """What an image shows; the scheme of its address."""

    CHART = "chart"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Embed:
    """A place in a report that shows something."""

    kind: EmbedKind
    target: str
    caption: str


def report_markdown() -> MarkdownIt:
    """How reports are read: CommonMark with tables and strikethrough, HTML is text."""
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def embed_of(token: Token) -> Embed | None:
    """What an image of ours shows; None for all else."""
    if token.type != _IMAGE:
        return None
    scheme, _, name = str(token.attrGet("src") or "").partition("://")
    kind = next((kind for kind in EmbedKind if kind.value == scheme), None)
    # The parser has escaped what is not ASCII.
    target = unquote(name).rstrip("/")
    return Embed(kind, target, words_of(token)) if kind and target else None


def embeds_in(markdown: str) -> list[Embed]:
    """All that a report shows, in its order."""
    return _embeds(report_markdown().parse(markdown))


def words_of(image: Token) -> str:
    """An image's caption without its marks."""
    return " ".join(_plain(image).split())


def embed_line(embed: Embed) -> str:
    """Markdown that reads as this embed, whatever its names hold."""
    caption = _MARKS.sub(r"\\\g<0>", " ".join(embed.caption.split()))
    is_plain = _PLAIN_ADDRESS.fullmatch(embed.target)
    target = embed.target if is_plain else quote(embed.target, safe="")
    return f"![{caption}]({embed.kind.value}://{target})"


def table_meant(target: str, known: Collection[str]) -> str | None:
    """The table of this very name, else one that differs in case only."""
    if target in known:
        return target
    return next((name for name in known if name.casefold() == target.casefold()), None)


class EmbedReader:
    """Passes streamed Markdown on as it comes, and tells each embed when it is sure to be one.

    That is after its line, or after its paragraph where later text could still make code of it.
    No text is held back.
    """

    def __init__(self) -> None:
        self._parser = report_markdown()
        self._env: EnvType = {}
        self._pieces: list[str] = []
        self._told: Counter[Embed] = Counter()
        self._block = ""
        """From the start of the last block, which may still go on."""
        self._told_in_block: Counter[Embed] = Counter()
        self._read_again_at = 0

    def feed(self, piece: str) -> Iterator[str | Embed]:
        self._pieces.append(piece)
        passed = ""
        for line in _LINES.findall(piece):
            self._block += line
            passed += line
            if found := self._settled():
                yield passed
                yield from found
                passed = ""
        if passed:
            yield passed

    def close(self) -> Iterator[Embed]:
        """What only the whole text shows: its last lines, and addresses that it gives later."""
        whole = "".join(self._pieces)
        if whole.count("[") <= _BRACKETS_MAX:
            yield from _untold(embeds_in(whole), self._told)

    def _settled(self) -> list[Embed]:
        """Embeds that were not told yet and stay embeds whatever follows."""
        is_due = self._block.endswith("\n") and len(self._block) >= self._read_again_at
        if not is_due or _OPENING not in self._block or self._block.count("[") > _BRACKETS_MAX:
            return []
        lines = _LINES.findall(self._block.replace("\r\n", "\n").replace("\r", "\n"))
        tokens = self._parser.parse("".join(lines), self._env)
        sure = tokens if not _may_change(tokens, len(lines)) else _without_last(tokens)
        found = _untold(_embeds(sure), self._told_in_block)
        self._told.update(found)
        self._told_in_block.update(found)
        start = max((t.map[0] for t in tokens if t.map and not t.level), default=0)
        closed = [token for token in tokens if token.map and token.map[1] <= start]
        self._told_in_block -= Counter(_embeds(closed))
        self._block = "".join(lines[start:])
        size = len(self._block)
        self._read_again_at = size + size // 10 if size > _SHORT_BLOCK else 0
        return found


def _embeds(tokens: Sequence[Token]) -> list[Embed]:
    images = (child for token in tokens for child in token.children or [])
    return [embed for image in images if (embed := embed_of(image))]


def _untold(embeds: Sequence[Embed], told: Counter[Embed]) -> list[Embed]:
    """All but those that were told, as often as they were."""
    left = Counter(told)
    left.subtract(embeds)
    untold = []
    for embed in reversed(embeds):
        if left[embed] < 0:
            left[embed] += 1
            untold.append(embed)
    return untold[::-1]


def _may_change(tokens: Sequence[Token], line_count: int) -> bool:
    """Whether the next line can turn images of the last paragraph into code, caption or cells."""
    last = next((token for token in reversed(tokens) if token.type == _INLINE), None)
    if last is None or last.map is None or last.map[1] < line_count:
        return False
    texts = [token for token in last.children or [] if token.type == _TEXT]
    has_bracket = any("[" in token.content for token in texts)
    return has_bracket or "|" in last.content or _has_backtick(last)


def _has_backtick(token: Token) -> bool:
    """One that begins no code span yet; the parser leaves it as text."""
    is_one = token.type == _TEXT and "`" in token.content
    return is_one or any(_has_backtick(child) for child in token.children or [])


def _without_last(tokens: Sequence[Token]) -> list[Token]:
    *sure, _ = [token for token in tokens if token.type == _INLINE]
    return sure


def _plain(token: Token) -> str:
    if token.type in _BREAKS:
        return " "
    return "".join(map(_plain, token.children)) if token.children else token.content
