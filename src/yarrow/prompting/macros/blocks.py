"""From tags in a row to blocks: if, else, and macros that take what they enclose.

One pass with a stack of what is open. Each piece moves into the thing that holds it at most a
few times, so the work is linear whatever is left open.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from yarrow.prompting.macros.catalogue import COMMENT
from yarrow.prompting.macros.model import WarningCode
from yarrow.prompting.macros.nodes import Defect, If, Macro, Piece, Pieces, Raw
from yarrow.prompting.macros.tags import CloseTag, ElseTag, IfTag, Opened, Tag, packed

_INDENT = re.compile(r"[ \t]*")
_UNCLOSED = Defect(WarningCode.SCOPED_BLOCK_UNCLOSED, "the if block has no end")
_STRAY = Defect(WarningCode.UNMATCHED_CLOSING_BLOCK, "nothing of this name is open")
_STRAY_ELSE = Defect(WarningCode.UNKNOWN, "else belongs to no if block")
_ELSE_IF = Defect(WarningCode.CONDITION_UNSUPPORTED, "else takes no condition")


@dataclass(slots=True)
class _Frame:
    """Something open, and what stands in it so far."""

    opener: IfTag | Opened | None
    pieces: list[Piece] = field(default_factory=list)
    then: list[Piece] | None = None
    """The first branch, once `{{else}}` was met."""
    defect: Defect | None = None


def grouped(tags: Sequence[Tag], end: int) -> list[Piece]:
    """The pieces with blocks made of their tags; `end` is where an unclosed block ends."""
    pieces = [tag for tag in tags if isinstance(tag, str | Macro | If | Raw)]
    return pieces if len(pieces) == len(tags) else _Grouping(tags).run(end)


class _Grouping:
    def __init__(self, tags: Sequence[Tag]) -> None:
        self._tags = tags
        self._closers = Counter(tag.name for tag in tags if isinstance(tag, CloseTag))
        self._frames = [_Frame(None)]
        self._open: Counter[str] = Counter()

    def run(self, end: int) -> list[Piece]:
        for tag in self._tags:
            match tag:
                case IfTag():
                    self._push(tag)
                case Opened(macro) if self._closers[macro.name]:
                    self._push(tag)
                case Opened(macro):
                    self._add(macro)
                case ElseTag():
                    self._turn(tag)
                case CloseTag():
                    self._close(tag)
                case _:
                    self._add(tag)
        self._fold(0, end)
        return self._frames[0].pieces

    def _add(self, piece: Piece) -> None:
        self._frames[-1].pieces.append(piece)

    def _push(self, opener: IfTag | Opened) -> None:
        self._frames.append(_Frame(opener))
        self._open[_name(opener)] += 1

    def _turn(self, tag: ElseTag) -> None:
        """Goes on with the other branch of the innermost if block."""
        if not self._open["if"]:
            self._add(Raw(tag.start, tag.end, "else", _STRAY_ELSE))
            return
        self._fold(self._innermost("if"), tag.start)
        frame = self._frames[-1]
        if not tag.bare:
            frame.defect = _ELSE_IF
        elif frame.then is None:
            frame.then, frame.pieces = frame.pieces, []
        else:
            self._add(Raw(tag.start, tag.end, "else", _STRAY_ELSE))

    def _close(self, tag: CloseTag) -> None:
        self._closers[tag.name] -= 1
        if not self._open[tag.name]:
            self._add(Raw(tag.start, tag.end, f"/{tag.name}", _STRAY))
            return
        self._fold(self._innermost(tag.name), tag.start)
        frame = self._frames.pop()
        self._open[tag.name] -= 1
        match frame.opener:
            case IfTag() as opener:
                self._add(_if(opener, frame, tag.end))
            case Opened() as opener:
                self._add(_scoped(opener, frame.pieces, tag.end))

    def _innermost(self, name: str) -> int:
        """The index of the last open frame of this name, of which there is one."""
        index = len(self._frames) - 1
        while _name(self._frames[index].opener) != name:
            index -= 1
        return index

    def _fold(self, index: int, end: int) -> None:
        """What is open above a frame will not be closed: macros are plain, if blocks stay raw."""
        target = self._frames[index]
        raw = False
        for frame in self._frames[index + 1 :]:
            self._open[_name(frame.opener)] -= 1
            if raw:
                continue
            match frame.opener:
                case Opened(macro):
                    target.pieces.append(macro)
                    target.pieces += frame.pieces
                case IfTag(start):
                    raw = True
                    target.pieces.append(Raw(start, end, "if", _UNCLOSED))
        del self._frames[index + 1 :]


def _name(opener: IfTag | Opened | None) -> str:
    match opener:
        case IfTag():
            return "if"
        case Opened(macro):
            return macro.name
        case None:
            return ""


def _if(opener: IfTag, frame: _Frame, end: int) -> If:
    then, otherwise = (frame.pieces, []) if frame.then is None else (frame.then, frame.pieces)
    tidy = packed if opener.keeps_space else _tidied
    condition = frame.defect or opener.condition
    return If(opener.start, end, condition, tidy(then), tidy(otherwise))


def _scoped(opener: Opened, pieces: list[Piece], end: int) -> Macro:
    macro = opener.macro
    if macro.spec is COMMENT:
        return replace(macro, end=end)
    content = packed(pieces) if opener.keeps_space else _tidied(pieces)
    return replace(macro, end=end, args=(*macro.args, content), key="")


def _tidied(pieces: Sequence[Piece]) -> Pieces:
    """Without blank ends and without the first line's indentation, as SillyTavern does it.

    Only written text is touched: a newline that a macro gives stays.
    """
    texts = list(pieces)
    indent = _first_indent(texts)
    if indent:
        deeper = re.compile(rf"\n[ \t]{{1,{indent}}}")
        texts = [deeper.sub("\n", text) if isinstance(text, str) else text for text in texts]
    if texts and isinstance(texts[0], str):
        texts[0] = texts[0].lstrip()
    if texts and isinstance(texts[-1], str):
        texts[-1] = texts[-1].rstrip()
    return packed(texts)


def _first_indent(pieces: Sequence[Piece]) -> int:
    """How far the first line that is not blank is indented."""
    first = pieces[0] if pieces else ""
    if not isinstance(first, str):
        return 0
    blank = len(first) - len(first.lstrip())
    line = first.rfind("\n", 0, blank) + 1
    found = _INDENT.match(first, line, max(blank, line))
    return found.end() - line if found else 0
