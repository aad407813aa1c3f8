"""A board as it is laid out for the eye: plain rows, top line first, ready to be drawn."""

from datetime import datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from yarrow.liuyao.classic import convert_classic_to_hant
from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.extras import BoardExtras, describe_body, find_extras
from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, SEASON_OF, Element
from yarrow.liuyao.hexagrams import Hexagram
from yarrow.liuyao.najia import HexagramLine
from yarrow.liuyao.pillars import Pillars
from yarrow.liuyao.reading.asker import UNKNOWN_ASKER, KnownAsker
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.situation import CastLine, Situation
from yarrow.liuyao.stems_branches import CLASH_OF, Branch

_SEASONS: Final = tuple(SEASON_OF.values())

Named = tuple[str, str]
"""A value of the header, after its name."""


class BoardLine(Struct, frozen=True):
    """One row. `hidden` and the `target_` fields are empty where there is nothing to show.

    `move` is ○ for a moving yang line and × for a moving yin one; `notes` are 空 (旬空), 破 (月破),
    暗 (暗动) and 冲 (日破); `role` is 用, 元, 忌 or 仇.
    """

    position: int
    spirit: str
    hidden: str
    label: str
    is_yang: bool
    mark: str
    move: str
    notes: tuple[str, ...]
    target_label: str
    target_is_yang: bool
    target_mark: str
    role: str = ""


class Board(Struct, frozen=True):
    """Everything that is drawn. `seasons` are the five elements, the strongest one first."""

    question: str
    question_type: str
    method: str
    moment: str
    pillars: tuple[Named, ...]
    void: str
    rulers: tuple[Named, ...]
    seasons: tuple[Named, ...]
    name: str
    palace: str
    target_name: str
    target_palace: str
    lines: tuple[BoardLine, ...]
    special: tuple[str, ...]
    calendar: str
    stars: tuple[Named, ...]
    body: str
    related: tuple[Named, ...]
    judgement: str
    line_texts: tuple[str, ...]
    is_hant: bool = False

    def spell(self, heading: str) -> str:
        """A heading, given in simplified script, in the script of the board."""
        return to_hant(heading) if self.is_hant else heading


def build_board(derivation: Derivation, asker: KnownAsker = UNKNOWN_ASKER) -> Board:
    """The board of a derivation, in simplified script."""
    cast, situation, pillars = derivation.cast, derivation.situation, derivation.pillars
    hexagram, target = situation.hexagram, situation.target
    moved = situation.has_moving
    extras = find_extras(derivation, asker)
    related = extras.related
    return Board(
        question=cast.question,
        question_type=cast.question_type,
        method=cast.method,
        moment=_format_moment(cast.moment),
        pillars=(
            ("年", pillars.year.name),
            ("月", pillars.month.name),
            ("日", pillars.day.name),
            ("时", pillars.hour.name),
        ),
        void=pillars.day.void_name,
        rulers=_list_rulers(pillars),
        seasons=_list_seasons(ELEMENT_OF[pillars.month.branch]),
        name=hexagram.name,
        palace=_name_palace(hexagram),
        target_name=target.name if moved else "",
        target_palace=_name_palace(target) if moved else "",
        lines=tuple(
            _build_line(situation, line, marks)
            for line, marks in zip(reversed(situation.lines), reversed(extras.marks), strict=True)
        ),
        special=situation.special,
        calendar=_describe_calendar(extras),
        stars=tuple((star.name, "".join(star.branches)) for star in extras.stars),
        body=describe_body(extras.body),
        related=(
            ("互卦", related.mutual.name),
            ("错卦", related.opposite.name),
            ("综卦", related.reversed.name),
        ),
        judgement=extras.texts.judgement,
        line_texts=_list_line_texts(situation, extras),
    )


def _describe_calendar(extras: BoardExtras) -> str:
    """The lunar date and the solar term, with the day on which the next one begins."""
    parts = [f"农历{extras.lunar_date}" if extras.lunar_date else "", extras.term.name]
    if extras.next_term is not None:
        begins = extras.next_term.begins
        parts.append(f"{begins.month}月{begins.day}日{extras.next_term.name}")
    return " · ".join(part for part in parts if part)


def _list_line_texts(situation: Situation, extras: BoardExtras) -> tuple[str, ...]:
    """爻辞 of the lines that move; 用九 or 用六 when all six do."""
    if all(line.moving for line in situation.lines) and extras.texts.all_moving:
        return (extras.texts.all_moving,)
    moving = zip(situation.lines, extras.texts.lines, strict=True)
    return tuple(text for line, text in moving if line.moving)


def board_in_hant(board: Board) -> Board:
    """The same board in traditional script; what the asker wrote stays as it was written."""
    return replace(
        board,
        method=to_hant(board.method),
        pillars=_convert_names_to_hant(board.pillars),
        rulers=_convert_names_to_hant(board.rulers),
        name=to_hant(board.name),
        palace=to_hant(board.palace),
        target_name=to_hant(board.target_name),
        target_palace=to_hant(board.target_palace),
        lines=tuple(_convert_line_to_hant(line) for line in board.lines),
        special=tuple(map(to_hant, board.special)),
        calendar=to_hant(board.calendar),
        stars=tuple((to_hant(name), value) for name, value in board.stars),
        related=tuple((to_hant(name), to_hant(value)) for name, value in board.related),
        judgement=convert_classic_to_hant(to_hant(board.judgement)),
        line_texts=tuple(convert_classic_to_hant(to_hant(text)) for text in board.line_texts),
        is_hant=True,
    )


def _format_moment(moment: datetime) -> str:
    iso = moment.isoformat(" ", "minutes")
    return f"{iso[:16]} {iso[16:]}"


def _list_rulers(pillars: Pillars) -> tuple[Named, ...]:
    month, day = pillars.month.branch, pillars.day.branch
    named: tuple[tuple[str, Branch], ...] = (
        ("月建", month),
        ("日辰", day),
        ("月破", CLASH_OF[month]),
        ("日冲", CLASH_OF[day]),
    )
    return tuple((name, branch + ELEMENT_OF[branch]) for name, branch in named)


def _list_seasons(ruler: Element) -> tuple[Named, ...]:
    seasons = [(element, SEASON_OF[bearing]) for element, bearing in BEARING[ruler].items()]
    return tuple(sorted(seasons, key=lambda pair: _SEASONS.index(pair[1])))


def _name_palace(hexagram: Hexagram) -> str:
    return f"{hexagram.palace}宫{hexagram.generation}"


_ROLES: Final = {"用神": "用", "元神": "元", "忌神": "忌", "仇神": "仇"}
_NOTES: Final = {"旬空": "空", "月破": "破", "暗动": "暗", "日破": "冲"}


def _build_line(situation: Situation, line: CastLine, marks: tuple[str, ...]) -> BoardLine:
    base = line.base
    hidden = [h for h in situation.hexagram.hidden if h.position == base.position]
    after = situation.target_lines[base.position - 1]
    moved = situation.has_moving
    return BoardLine(
        position=base.position,
        spirit=line.spirit,
        hidden="".join(f"{h.relation}{h.stem}{h.branch}{h.element}" for h in hidden),
        label=_write_label(base),
        is_yang=base.is_yang,
        mark=base.mark,
        move=("○" if base.is_yang else "×") if line.moving else "",
        notes=tuple(note for mark, note in _NOTES.items() if mark in marks),
        target_label=_write_label(after) if moved else "",
        target_is_yang=after.is_yang,
        target_mark=after.mark if moved else "",
        role=next((_ROLES[mark] for mark in marks if mark in _ROLES), ""),
    )


def _write_label(base: HexagramLine) -> str:
    return f"{base.relation}{base.stem}{base.branch}{base.element}"


def _convert_line_to_hant(line: BoardLine) -> BoardLine:
    return replace(
        line,
        spirit=to_hant(line.spirit),
        hidden=to_hant(line.hidden),
        label=to_hant(line.label),
        mark=to_hant(line.mark),
        target_label=to_hant(line.target_label),
        target_mark=to_hant(line.target_mark),
        notes=tuple(map(to_hant, line.notes)),
    )


def _convert_names_to_hant(named: tuple[Named, ...]) -> tuple[Named, ...]:
    return tuple((to_hant(name), value) for name, value in named)
