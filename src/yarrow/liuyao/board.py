"""A board as it is laid out for the eye: plain rows, top line first, ready to be drawn."""

from dataclasses import dataclass

from yarrow.liuyao.derivation import Derivation
from yarrow.liuyao.hexagrams import Hexagram, Mark
from yarrow.liuyao.reading.script import to_hant
from yarrow.liuyao.situation import Line, Situation


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
    mark: Mark
    move: str
    notes: tuple[str, ...]
    target_label: str
    target_is_yang: bool
    target_mark: str


@dataclass(frozen=True, slots=True)
class Board:
    question: str
    moment: str
    pillars: tuple[tuple[str, str], ...]
    void: str
    name: str
    palace: str
    target_name: str
    target_palace: str
    lines: tuple[BoardLine, ...]
    special: tuple[str, ...]


def board_of(derivation: Derivation) -> Board:
    """The board of a derivation, in simplified script."""
    situation, pillars = derivation.situation, derivation.pillars
    hexagram, target = situation.hexagram, situation.target
    moved = situation.has_moving
    return Board(
        question=derivation.cast.question,
        moment=derivation.cast.moment.strftime("%Y-%m-%d %H:%M %z"),
        pillars=(
            ("年", pillars.year.name),
            ("月", pillars.month.name),
            ("日", pillars.day.name),
            ("时", pillars.hour.name),
        ),
        void=pillars.day.void_name,
        name=hexagram.name,
        palace=_palace(hexagram),
        target_name=target.name if moved else "",
        target_palace=_palace(target) if moved else "",
        lines=tuple(_line(situation, line) for line in reversed(situation.lines)),
        special=situation.special,
    )


def board_in_hant(board: Board) -> Board:
    """The same board in traditional script; the question stays as it was asked."""
    return Board(
        question=board.question,
        moment=board.moment,
        pillars=tuple((to_hant(name), pillar) for name, pillar in board.pillars),
        void=board.void,
        name=to_hant(board.name),
        palace=to_hant(board.palace),
        target_name=to_hant(board.target_name),
        target_palace=to_hant(board.target_palace),
        lines=tuple(_line_in_hant(line) for line in board.lines),
        special=tuple(map(to_hant, board.special)),
    )


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
        label=f"{seat.relation}{seat.stem}{seat.branch}{seat.element}",
        is_yang=seat.is_yang,
        mark=seat.mark,
        move=("○" if seat.is_yang else "×") if line.moving else "",
        notes=tuple(note for note, applies in notes if applies),
        target_label=f"{after.relation}{after.stem}{after.branch}{after.element}" if moved else "",
        target_is_yang=after.is_yang,
        target_mark=after.mark if moved else "",
    )


def _line_in_hant(line: BoardLine) -> BoardLine:
    return BoardLine(
        position=line.position,
        spirit=to_hant(line.spirit),
        hidden=to_hant(line.hidden),
        label=to_hant(line.label),
        is_yang=line.is_yang,
        mark=line.mark,
        move=line.move,
        notes=line.notes,
        target_label=to_hant(line.target_label),
        target_is_yang=line.target_is_yang,
        target_mark=to_hant(line.target_mark),
    )
