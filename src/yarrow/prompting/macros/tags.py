"""Parse one `{{…}}`: its kind, name and arguments."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct

from yarrow.prompting.macros.condition import WordReader, parse_condition
from yarrow.prompting.macros.macro_names import CATALOGUE, COMMENT, MacroSpec
from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.macros.nodes import (
    Condition,
    IfNode,
    MacroNode,
    RawNode,
    SyntaxDefect,
    TemplatePiece,
    TemplatePieces,
)

_FLAGS = re.compile(r"\s*(?P<flags>(?:[!?~>#]\s*)*)")
_NAME = re.compile(r"[^\s:]+")
_TIME_AT_OFFSET = re.compile(r"time_(utc[+-]\d{1,3})", re.ASCII)
_BLANK = re.compile(r"\s+")
_QUOTES = re.compile("[\"']")
_OPERATOR = re.compile(
    r"""\[\s*(?:'[^']*'|"[^"]*")\s*\]"""
    r"""|(?P<operator>\+\+|--(?=\s*\Z)|\|\|=|\?\?=|\|\||\?\?|[+=!<>-]=|[=<>])"""
)
_SHORTHANDS = {
    (".", ""): "getvar",
    ("$", ""): "getglobalvar",
    (".", "="): "setvar",
    ("$", "="): "setglobalvar",
    (".", "++"): "incvar",
    (".", "--"): "decvar",
}
"""Other combinations are not supported and stay as written."""

_UNSUPPORTED = SyntaxDefect(MacroWarningCode.UNKNOWN, "not a supported shorthand")
_SHOWN_NAME = 80


class IfTag(Struct, frozen=True):
    """`{{if …}}`, without its end."""

    start: int
    end: int
    condition: Condition | SyntaxDefect
    keeps_space: bool


class ElseTag(Struct, frozen=True):
    """`{{else}}`; not `bare` if words follow, which is not supported."""

    start: int
    end: int
    bare: bool


class CloseTag(Struct, frozen=True):
    """`{{/name}}`"""

    start: int
    end: int
    name: str


class ScopedTag(Struct, frozen=True):
    """A macro that may take the text up to `{{/name}}` as its last argument."""

    macro: MacroNode
    keeps_space: bool


Tag: TypeAlias = TemplatePiece | IfTag | ElseTag | CloseTag | ScopedTag


def parse_tag(pieces: Sequence[TemplatePiece], *, start: int, end: int) -> Tag:
    """Parse the tag with these pieces inside; text if there is nothing inside."""
    first = pieces[0] if pieces else ""
    head = first if isinstance(first, str) else ""
    literal = len(pieces) <= 1 and isinstance(first, str)
    name = head.strip() if literal else ""
    if literal and not name:
        return "{{" + head + "}}"
    if (spec := CATALOGUE.get(name.lower())) is not None and spec.most == 0:
        return MacroNode(start, end, name.lower(), spec, (), head, name)
    flags = _FLAGS.match(head)
    inside = head[flags.end() :] if flags else head
    tag = _TagParser(pieces, inside, start=start, end=end, key=name)
    return tag.read(keeps_space=flags is not None and "#" in flags["flags"])


def make_alias(name: str, *, start: int, end: int) -> MacroNode:
    """Build the macro of `<USER>` and similar aliases."""
    return MacroNode(start, end, name, CATALOGUE.get(name), (), "", name)


class _TagParser:
    """Parses a tag from its literal start; `rest` are the pieces after the first."""

    def __init__(
        self, pieces: Sequence[TemplatePiece], inside: str, *, start: int, end: int, key: str
    ) -> None:
        self._pieces, self._inside, self._rest = pieces, inside, list(pieces[1:])
        self._start, self._end, self._key = start, end, key

    def read(self, *, keeps_space: bool) -> Tag:
        inside = self._inside
        if inside.startswith("//"):
            return self._read_comment(keeps_space=keeps_space)
        if inside.startswith("/"):
            return CloseTag(self._start, self._end, inside[1:].strip().lower())
        if inside.startswith((".", "$")):
            return self._read_shorthand(inside[0], [inside[1:], *self._rest])
        match = _NAME.match(inside)
        if match is None or (match.end() == len(inside) and self._rest):
            return self._build_macro("", None, ())
        return self._read_named(match[0], inside[match.end() :], keeps_space=keeps_space)

    def _read_comment(self, *, keeps_space: bool) -> Tag:
        if self._inside.strip() == "///" and not self._rest:
            return CloseTag(self._start, self._end, "//")
        macro = self._build_macro("//", COMMENT, ())
        bare = self._inside.strip() == "//" and not self._rest
        return ScopedTag(macro, keeps_space) if bare else macro

    def _read_named(self, spelling: str, after: str, *, keeps_space: bool) -> Tag:
        name = spelling.lower()
        if name == "if":
            return self._read_if(after, keeps_space=keeps_space)
        if name == "else":
            return ElseTag(self._start, self._end, not after.strip() and not self._rest)
        if (match := _TIME_AT_OFFSET.fullmatch(name)) is not None and not after.strip():
            return self._build_macro("time", CATALOGUE["time"], (match[1],))
        spec = CATALOGUE.get(name)
        args = () if spec is COMMENT else self._read_arguments(after, spec)
        macro = self._build_macro(name if spec else spelling, spec, args)
        if spec is not None and (spec.most is None or len(args) < spec.most):
            return ScopedTag(macro, keeps_space)
        return macro

    def _read_arguments(self, after: str, spec: MacroSpec | None) -> tuple[TemplatePieces, ...]:
        lead = after.lstrip()
        if not lead and not self._rest:
            return ()
        if lead.startswith("::"):
            return self._split_arguments(lead[2:], spec)
        if lead.startswith(":"):
            single = spec is not None and spec.most == 1
            whole = [lead[1:], *self._rest]
            return (_strip_pieces(whole),) if single else self._split_arguments(lead[1:], spec)
        if spec is not None and spec.least > 1 and "::" not in lead:
            return tuple(map(_strip_pieces, _split_at_blank([lead, *self._rest])))
        return self._split_arguments(lead, spec)

    def _split_arguments(self, lead: str, spec: MacroSpec | None) -> tuple[TemplatePieces, ...]:
        most = spec.most if spec is not None and spec.keeps_rest else None
        if not self._rest:
            return tuple(map(str.strip, lead.split("::", -1 if most is None else most - 1)))
        return tuple(map(_strip_pieces, _split_pieces([lead, *self._rest], most)))

    def _read_if(self, after: str, *, keeps_space: bool) -> Tag:
        lead = after.lstrip()
        whole: list[TemplatePiece] = [lead.removeprefix("::"), *self._rest]
        has_quotes = any(isinstance(piece, str) and _QUOTES.search(piece) for piece in whole)
        condition, *content = [whole] if has_quotes else _split_pieces(whole)
        parsed = parse_condition(condition, self._make_word_reader())
        if not content:
            return IfTag(self._start, self._end, parsed, keeps_space)
        inline = [piece for part in content for piece in ("::", *part)][1:]
        return IfNode(self._start, self._end, parsed, _strip_pieces(inline), "")

    def _make_word_reader(self) -> WordReader:
        return WordReader(variable=self._read_word_variable, macro=self._read_word_macro)

    def _read_word_variable(self, word: str) -> MacroNode | None:
        if word[0] not in ".$" or len(word) == 1:
            return None
        name = _SHORTHANDS[word[0], ""]
        return MacroNode(self._start, self._end, name, CATALOGUE[name], (word[1:],), word, word)

    def _read_word_macro(self, word: str) -> MacroNode:
        spec = CATALOGUE.get(word.lower())
        name = word.lower() if spec else word
        return MacroNode(self._start, self._end, name, spec, (), word, word)

    def _read_shorthand(self, sigil: str, pieces: list[TemplatePiece]) -> MacroNode | RawNode:
        name, operator, value = _split_shorthand(pieces)
        macro = _SHORTHANDS.get((sigil, operator))
        if macro is None or not name or (operator in ("++", "--") and value):
            return RawNode(self._start, self._end, self._key[:_SHOWN_NAME], _UNSUPPORTED)
        args = (name, value) if operator == "=" else (name,)
        return self._build_macro(macro, CATALOGUE[macro], args)

    def _build_macro(
        self, name: str, spec: MacroSpec | None, args: tuple[TemplatePieces, ...]
    ) -> MacroNode:
        return MacroNode(
            self._start, self._end, name, spec, args, pack_pieces(self._pieces), self._key
        )


def pack_pieces(pieces: Sequence[TemplatePiece]) -> TemplatePieces:
    """Join neighbouring texts; a single text becomes a plain string."""
    if len(pieces) == 1:
        return pieces[0] if isinstance(pieces[0], str) else (pieces[0],)
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(map(str, pieces))
    joined: list[TemplatePiece] = []
    for are_texts, group in groupby(pieces, lambda piece: isinstance(piece, str)):
        if not are_texts:
            joined += group
        elif text := "".join(map(str, group)):
            joined.append(text)
    return tuple(joined)


def _strip_pieces(pieces: Sequence[TemplatePiece]) -> TemplatePieces:
    """Strip blank text at both ends; the output of macros is not stripped."""
    texts = list(pieces)
    if texts and isinstance(texts[0], str):
        texts[0] = texts[0].lstrip()
    if texts and isinstance(texts[-1], str):
        texts[-1] = texts[-1].rstrip()
    return pack_pieces(texts)


def _split_pieces(
    pieces: Sequence[TemplatePiece], most: int | None = None
) -> list[list[TemplatePiece]]:
    """Split at every `::` in literal text, into at most `most` parts."""
    parts: list[list[TemplatePiece]] = [[]]
    for piece in pieces:
        if not isinstance(piece, str):
            parts[-1].append(piece)
            continue
        head, *tail = piece.split("::", -1 if most is None else most - len(parts))
        parts[-1].append(head)
        parts += [[text] for text in tail]
    return parts


def _split_at_blank(pieces: Sequence[TemplatePiece]) -> list[list[TemplatePiece]]:
    """Split at the first blank in literal text: `{{setvar key some value}}`."""
    for index, piece in enumerate(pieces):
        if not isinstance(piece, str):
            continue
        last = index == len(pieces) - 1
        if (match := _BLANK.search(piece.rstrip() if last else piece)) is not None:
            left = [*pieces[:index], piece[: match.start()]]
            return [left, [piece[match.end() :], *pieces[index + 1 :]]]
    return [list(pieces)]


def _split_shorthand(pieces: list[TemplatePiece]) -> tuple[TemplatePieces, str, TemplatePieces]:
    """Split into variable, operator and value at the first operator in literal text."""
    for index, piece in enumerate(pieces):
        if not isinstance(piece, str):
            continue
        match = next((m for m in _OPERATOR.finditer(piece) if m["operator"]), None)
        if match is not None:
            left = [*pieces[:index], piece[: match.start()]]
            right = [piece[match.end() :], *pieces[index + 1 :]]
            return _strip_pieces(left), match["operator"], _strip_pieces(right)
    return _strip_pieces(pieces), "", ""
