"""Group a sequence of tags into blocks: if, else, and macros with enclosed content.

One pass with a stack of open blocks. Each piece is moved a constant number of times, so the work is
linear even if nothing is closed.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.prompting.macros.macro_names import COMMENT
from yarrow.prompting.macros.model import MacroWarningCode
from yarrow.prompting.macros.nodes import (
    IfNode,
    MacroNode,
    RawNode,
    SyntaxDefect,
    TemplatePiece,
    TemplatePieces,
)
from yarrow.prompting.macros.tags import CloseTag, ElseTag, IfTag, ScopedTag, Tag, pack_pieces

_INDENT = re.compile(r"[ \t]*")
_UNCLOSED = SyntaxDefect(MacroWarningCode.SCOPED_BLOCK_UNCLOSED, "the if block has no end")
_STRAY = SyntaxDefect(MacroWarningCode.UNMATCHED_CLOSING_BLOCK, "nothing of this name is open")
_STRAY_ELSE = SyntaxDefect(MacroWarningCode.UNKNOWN, "else belongs to no if block")
_ELSE_IF = SyntaxDefect(MacroWarningCode.CONDITION_UNSUPPORTED, "else takes no condition")


class _OpenBlock(Struct):
    """An open block and its content so far."""

    opener: IfTag | ScopedTag | None
    pieces: list[TemplatePiece] = field(default_factory=list)
    then: list[TemplatePiece] | None = None
    """The first branch, set when `{{else}}` is reached."""
    defect: SyntaxDefect | None = None


def group_blocks(tags: Sequence[Tag], end: int) -> list[TemplatePiece]:
    """Build blocks from tags; `end` is where an unclosed block ends."""
    pieces = [tag for tag in tags if isinstance(tag, str | MacroNode | IfNode | RawNode)]
    return pieces if len(pieces) == len(tags) else _BlockGrouper(tags).run(end)


class _BlockGrouper:
    def __init__(self, tags: Sequence[Tag]) -> None:
        self._tags = tags
        self._closers = Counter(tag.name for tag in tags if isinstance(tag, CloseTag))
        self._frames = [_OpenBlock(None)]
        self._open: Counter[str] = Counter()

    def run(self, end: int) -> list[TemplatePiece]:
        for tag in self._tags:
            match tag:
                case IfTag():
                    self._push_block(tag)
                case ScopedTag(macro) if self._closers[macro.name]:
                    self._push_block(tag)
                case ScopedTag(macro):
                    self._add_piece(macro)
                case ElseTag():
                    self._switch_branch(tag)
                case CloseTag():
                    self._close_block(tag)
                case _:
                    self._add_piece(tag)
        self._close_unfinished(0, end)
        return self._frames[0].pieces

    def _add_piece(self, piece: TemplatePiece) -> None:
        self._frames[-1].pieces.append(piece)

    def _push_block(self, opener: IfTag | ScopedTag) -> None:
        self._frames.append(_OpenBlock(opener))
        self._open[_name_opener(opener)] += 1

    def _switch_branch(self, tag: ElseTag) -> None:
        """Continue with the else branch of the innermost if block."""
        if not self._open["if"]:
            self._add_piece(RawNode(tag.start, tag.end, "else", _STRAY_ELSE))
            return
        self._close_unfinished(self._find_innermost("if"), tag.start)
        frame = self._frames[-1]
        if not tag.bare:
            frame.defect = _ELSE_IF
        elif frame.then is None:
            frame.then, frame.pieces = frame.pieces, []
        else:
            self._add_piece(RawNode(tag.start, tag.end, "else", _STRAY_ELSE))

    def _close_block(self, tag: CloseTag) -> None:
        self._closers[tag.name] -= 1
        if not self._open[tag.name]:
            self._add_piece(RawNode(tag.start, tag.end, f"/{tag.name}", _STRAY))
            return
        self._close_unfinished(self._find_innermost(tag.name), tag.start)
        frame = self._frames.pop()
        self._open[tag.name] -= 1
        match frame.opener:
            case IfTag() as opener:
                self._add_piece(_build_if(opener, frame, tag.end))
            case ScopedTag() as opener:
                self._add_piece(_build_scoped(opener, frame.pieces, tag.end))

    def _find_innermost(self, name: str) -> int:
        """Return the index of the innermost open block of this name; there must be one."""
        index = len(self._frames) - 1
        while _name_opener(self._frames[index].opener) != name:
            index -= 1
        return index

    def _close_unfinished(self, index: int, end: int) -> None:
        """Close the blocks above `index`, which have no end: macros become plain, if blocks stay
        raw.
        """
        target = self._frames[index]
        is_raw = False
        for frame in self._frames[index + 1 :]:
            self._open[_name_opener(frame.opener)] -= 1
            if is_raw:
                continue
            match frame.opener:
                case ScopedTag(macro):
                    target.pieces.append(macro)
                    target.pieces += frame.pieces
                case IfTag(start):
                    is_raw = True
                    target.pieces.append(RawNode(start, end, "if", _UNCLOSED))
        del self._frames[index + 1 :]


def _name_opener(opener: IfTag | ScopedTag | None) -> str:
    match opener:
        case IfTag():
            return "if"
        case ScopedTag(macro):
            return macro.name
        case None:
            return ""


def _build_if(opener: IfTag, frame: _OpenBlock, end: int) -> IfNode:
    then, otherwise = (frame.pieces, []) if frame.then is None else (frame.then, frame.pieces)
    clean = pack_pieces if opener.keeps_space else _dedent_pieces
    condition = frame.defect or opener.condition
    return IfNode(opener.start, end, condition, clean(then), clean(otherwise))


def _build_scoped(opener: ScopedTag, pieces: list[TemplatePiece], end: int) -> MacroNode:
    macro = opener.macro
    if macro.spec is COMMENT:
        return replace(macro, end=end)
    content = pack_pieces(pieces) if opener.keeps_space else _dedent_pieces(pieces)
    return replace(macro, end=end, args=(*macro.args, content), key="")


def _dedent_pieces(pieces: Sequence[TemplatePiece]) -> TemplatePieces:
    """Strip blank ends and the first line's indentation, as SillyTavern does.

    Only literal text is changed: newlines that come from macros stay.
    """
    texts = list(pieces)
    indent = _measure_first_indent(texts)
    if indent:
        deeper = re.compile(rf"\n[ \t]{{1,{indent}}}")
        texts = [deeper.sub("\n", text) if isinstance(text, str) else text for text in texts]
    if texts and isinstance(texts[0], str):
        texts[0] = texts[0].lstrip()
    if texts and isinstance(texts[-1], str):
        texts[-1] = texts[-1].rstrip()
    return pack_pieces(texts)


def _measure_first_indent(pieces: Sequence[TemplatePiece]) -> int:
    """Return the indentation of the first line that is not blank."""
    first = pieces[0] if pieces else ""
    if not isinstance(first, str):
        return 0
    blank = len(first) - len(first.lstrip())
    line = first.rfind("\n", 0, blank) + 1
    match = _INDENT.match(first, line, max(blank, line))
    return match.end() - line if match else 0
