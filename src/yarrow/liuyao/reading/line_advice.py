"""What advice is made of: the line of a kin that matters, and one sentence about it."""

from collections.abc import Iterator

from yarrow.liuyao.five_elements import Relation
from yarrow.liuyao.reading.context import ReadingContext, Statement, name_day
from yarrow.liuyao.reading.strength import find_inability
from yarrow.liuyao.situation import CastLine
from yarrow.liuyao.stems_branches import Branch


def write_advice(
    context: ReadingContext, key: str, line: CastLine | None = None, **facts: str
) -> Statement:
    """One line of the advice table, with the label and motion of the line it rests on."""
    lines = (context.judgement.focus.position,) if line is None else (line.base.position,)
    label = "" if line is None else line.base.label
    motion = ""
    if line is not None:
        motion = context.words.motion[1 if line.moving else 0]
    text = context.words.advice_lines[key].format(label=label, motion=motion, **facts)
    return Statement(text, (key,), lines)


def list_kin(context: ReadingContext, relation: Relation) -> list[CastLine]:
    """The lines of a kin: 用神 first if it is one of them, then those that act (两现取用)."""
    focus = context.judgement.focus.line
    lines = context.derivation.situation.lines
    found = [line for line in lines if line.base.relation == relation]
    return sorted(found, key=lambda line: (line is not focus, not line.acts))


def find_acting(context: ReadingContext, relation: Relation) -> CastLine | None:
    """The first line of this kin that acts and is able to."""
    found = (
        line for line in list_kin(context, relation) if line.acts and not find_inability(line, "克")
    )
    return next(found, None)


def advise_acting(
    context: ReadingContext, actions: tuple[tuple[Relation, str], ...]
) -> Iterator[Statement]:
    """The advice of each kin that has a line which acts."""
    for kin, key in actions:
        line = find_acting(context, kin)
        if line is not None:
            yield write_advice(context, key, line)


def name_direction(context: ReadingContext, branch: Branch) -> str:
    return context.words.directions[branch]


def is_hollow(line: CastLine) -> bool:
    return bool(line.state.void_kind) or line.state.break_kind in {"真破", "动破", "有扶"}


def name_first_day(context: ReadingContext) -> str:
    """The first day to watch, with its date; empty if there is none."""
    timing = context.timing
    return name_day(context, timing.days[0], timing.branches[0]) if timing.days else ""
