"""Parse a text: match `{{` and `}}`, innermost first, in one pass."""

import re
from functools import lru_cache

from msgspec import Struct, field

from yarrow.prompting.macros.blocks import group_blocks
from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.macros.nodes import MacroTemplate, RawNode, SyntaxDefect
from yarrow.prompting.macros.tags import Tag, make_alias, pack_pieces, parse_tag

_OTHERS = r"\\[{}]|<(?:user|bot|char|charifnotgroup|group)>"
_WITHOUT_BRACES = re.compile(_OTHERS, re.ASCII | re.IGNORECASE)
_LEXEME = re.compile(rf"\{{+|\}}+|{_OTHERS}", re.ASCII | re.IGNORECASE)
_TRIMMER = re.compile("trim|noop", re.ASCII | re.IGNORECASE)
_ALIASES = {"user": "user", "bot": "char", "char": "char", "charifnotgroup": "char"}
_MAX_DEPTH = 200
"""Tags nested deeper are text: the evaluator's limits are lower."""

_MAX_TAGS = 20_000
"""The text after them is not parsed, which bounds the time."""

_CACHED_TEXTS = 8_192
_CACHED_LENGTH = 16_384
_TOO_MANY = SyntaxDefect(
    MacroWarningCode.STEP_LIMIT_EXCEEDED, f"more than {_MAX_TAGS} tags in one text"
)
_UNCLOSED = SyntaxDefect(MacroWarningCode.PARSE_FAILED, "the opening braces are not closed")


def has_macros(text: str) -> bool:
    """Whether expansion could change the text; fast, and false for nearly all texts."""
    if "{{" in text:
        return True
    return ("<" in text or "\\" in text) and _WITHOUT_BRACES.search(text) is not None


def parse_template(text: str) -> MacroTemplate:
    """Parse a text; results for short texts are cached."""
    return _parse_cached(text) if len(text) <= _CACHED_LENGTH else _TemplateReader(text).read()


@lru_cache(_CACHED_TEXTS)
def _parse_cached(text: str) -> MacroTemplate:
    return _TemplateReader(text).read()


class _OpenTag(Struct):
    """An open `{{` and its content so far."""

    start: int
    tags: list[Tag] = field(default_factory=list)
    braces: int = 0
    """Open single `{`: in `{{setvar::x::{"a":1}}}` the first `}` closes one."""
    too_deep: int = 0
    """`{{` that were read as text."""


class _TemplateReader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._root = _OpenTag(0)
        self._stack = [self._root]
        self._tags = 0

    def read(self) -> MacroTemplate:
        source, position = self._source, 0
        for match in _LEXEME.finditer(source):
            start, end = match.span()
            if start > position:
                self._stack[-1].tags.append(source[position:start])
            position = end
            self._read_lexeme(match[0], start, end)
            if self._tags > _MAX_TAGS:
                self._stack[-1].tags.append(RawNode(end, len(source), "", _TOO_MANY))
                position = len(source)
                break
        self._stack[-1].tags.append(source[position:])
        pieces = pack_pieces(group_blocks(self._flatten_unclosed(), len(source)))
        return MacroTemplate(source, pieces, trims=_TRIMMER.search(source) is not None)

    def _read_lexeme(self, lexeme: str, start: int, end: int) -> None:
        match lexeme[0]:
            case "{":
                self._open_braces(start, end - start)
            case "}":
                self._close_braces(start, end - start)
            case "<":
                name = _ALIASES.get(lexeme[1:-1].lower(), "group")
                self._stack[-1].tags.append(make_alias(name, start=start, end=end))
            case _:
                self._stack[-1].tags.append(lexeme[1])

    def _open_braces(self, start: int, count: int) -> None:
        """Of an odd number of braces the first is text: `{{{char}}}` is `{` `{{char}}` `}`."""
        if count % 2:
            self._stack[-1].tags.append("{")
            self._stack[-1].braces += 1
            start += 1
        pairs = count // 2
        nested = min(pairs, max(0, _MAX_DEPTH - len(self._stack)))
        for index in range(nested):
            self._stack.append(_OpenTag(start + 2 * index))
        if pairs > nested:
            self._stack[-1].tags.append("{{" * (pairs - nested))
            self._stack[-1].too_deep += pairs - nested

    def _close_braces(self, start: int, count: int) -> None:
        while count:
            top = self._stack[-1]
            literal = self._count_literal(top, count)
            if literal:
                top.tags.append("}" * literal)
            else:
                self._close_tag(top, start + 2)
                literal = 2
            start, count = start + literal, count - literal

    def _count_literal(self, top: _OpenTag, count: int) -> int:
        """Count how many of these braces are text rather than the end of the open tag."""
        if top is self._root:
            return count
        if count == 1:
            top.braces = max(0, top.braces - 1)
            return 1
        if top.too_deep:
            pairs = min(top.too_deep, count // 2)
            top.too_deep -= pairs
            return 2 * pairs
        single = min(top.braces, count - 2)
        top.braces -= single
        return single

    def _close_tag(self, top: _OpenTag, end: int) -> None:
        self._stack.pop()
        self._tags += 1
        inside = group_blocks(top.tags, end - 2)
        self._stack[-1].tags.append(parse_tag(inside, start=top.start, end=end))

    def _flatten_unclosed(self) -> list[Tag]:
        """Return all tags, with unclosed ones as text; the first of them is reported."""
        tags = self._root.tags
        for index, unclosed in enumerate(self._stack[1:]):
            start = unclosed.start
            tags.append("{{" if index else RawNode(start, start + 2, "", _UNCLOSED))
            tags += unclosed.tags
        return tags
