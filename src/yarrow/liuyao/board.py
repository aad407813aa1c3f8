"""A board as it is laid out for the eye: plain rows, top line first, ready to be drawn."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.hexagrams import Hexagram, Seat
from yarrow.liuyao.pillars import Pillars
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.situation import Line, Situation
from yarrow.liuyao.symbols import BEARING, CLASH_OF, ELEMENT_OF, SEASON_OF, Branch, Element

_SEASONS: Final = tuple(SEASON_OF.values())

Named = tuple[str, str]
"""A value of the header, after its name."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One row. `hidden` and the `target_` fields are empty where there is nothing to show.

    `move` is ○ for a moving yang line and × for a moving yin one; `notes` are 空 and 破.
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


@dataclass(frozen=True, slots=True)
class Board:
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
    is_hant: bool = False

    def say(self, heading: str) -> str:
        """A heading, given in simplified script, in the script of the board."""
        return to_hant(heading) if self.is_hant else heading


def build_board(derivation: Derivation) -> Board:
    """The board of a derivation, in simplified script."""
    cast, situation, pillars = derivation.cast, derivation.situation, derivation.pillars
    hexagram, target = situation.hexagram, situation.target
    moved = situation.has_moving
    return Board(
        question=cast.question,
        question_type=cast.question_type,
        method=cast.method,
        moment=_moment(cast.moment),
        pillars=(
            ("年", pillars.year.name),
            ("月", pillars.month.name),
            ("日", pillars.day.name),
            ("时", pillars.hour.name),
        ),
        void=pillars.day.void_name,
        rulers=_rulers(pillars),
        seasons=_seasons(ELEMENT_OF[pillars.month.branch]),
        name=hexagram.name,
        palace=_palace(hexagram),
        target_name=target.name if moved else "",
        target_palace=_palace(target) if moved else "",
        lines=tuple(_line(situation, line) for line in reversed(situation.lines)),
        special=situation.special,
    )


def board_in_hant(board: Board) -> Board:
    """The same board in traditional script; what the asker wrote stays as it was written."""
    return replace(
        board,
        method=to_hant(board.method),
        pillars=_in_hant(board.pillars),
        rulers=_in_hant(board.rulers),
        name=to_hant(board.name),
        palace=to_hant(board.palace),
        target_name=to_hant(board.target_name),
        target_palace=to_hant(board.target_palace),
        lines=tuple(_line_in_hant(line) for line in board.lines),
        special=tuple(map(to_hant, board.special)),
        is_hant=True,
    )


def _moment(moment: datetime) -> str:
    iso = moment.isoformat(" ", "minutes")
    return f"{iso[:16]} {iso[16:]}"


def _rulers(pillars: Pillars) -> tuple[Named, ...]:
    month, day = pillars.month.branch, pillars.day.branch
    named: tuple[tuple[str, Branch], ...] = (
        ("月建", month),
        ("日辰", day),
        ("月破", CLASH_OF[month]),
        ("日冲", CLASH_OF[day]),
    )
    return tuple((name, branch + ELEMENT_OF[branch]) for name, branch in named)


def _seasons(ruler: Element) -> tuple[Named, ...]:
    found = [(element, SEASON_OF[bearing]) for element, bearing in BEARING[ruler].items()]
    return tuple(sorted(found, key=lambda pair: _SEASONS.index(pair[1])))


def _palace(hexagram: Hexagram) -> str:
    return f"{hexagram.palace}宫{hexagram.generation}"


def _line(situation: Situation, line: Line) -> BoardLine:
    seat = line.seat
    hidden = [h for h in situation.hexagram.hidden if h.position == seat.position]
    after = situation.target_seats[seat.position - 1]
    moved = situation.has_moving
    notes = (("空", line.state.void_kind), ("破", line.state.break_kind))
    return BoardLine(
        position=seat.position,
        spirit=line.spirit,
        hidden="".join(f"{h.relation}{h.stem}{h.branch}{h.element}" for h in hidden),
        label=_label(seat),
        is_yang=seat.is_yang,
        mark=seat.mark,
        move=("○" if seat.is_yang else "×") if line.moving else "",
        notes=tuple(note for note, applies in notes if applies),
        target_label=_label(after) if moved else "",
        target_is_yang=after.is_yang,
        target_mark=after.mark if moved else "",
    )


def _label(seat: Seat) -> str:
    return f"{seat.relation}{seat.stem}{seat.branch}{seat.element}"


def _line_in_hant(line: BoardLine) -> BoardLine:
    return replace(
        line,
        spirit=to_hant(line.spirit),
        hidden=to_hant(line.hidden),
        label=to_hant(line.label),
        mark=to_hant(line.mark),
        target_label=to_hant(line.target_label),
        target_mark=to_hant(line.target_mark),
    )


def _in_hant(named: tuple[Named, ...]) -> tuple[Named, ...]:
    return tuple((to_hant(name), value) for name, value in named)
