"""The whole derivation of a cast."""

from functools import cache
from typing import Final

from msgspec import Struct

from yarrow.liuyao.cast import Cast
from yarrow.liuyao.coins import YaoLine
from yarrow.liuyao.interactions import list_interactions
from yarrow.liuyao.pillars import Pillars, compute_pillars
from yarrow.liuyao.situation import Situation, build_situation

_YANG: Final = {"少阳": "1", "老阳": "1", "少阴": "0", "老阴": "0"}
_MOVING: Final = {"少阳": "0", "老阳": "1", "少阴": "0", "老阴": "1"}


class Derivation(Struct, frozen=True):
    """A cast, its pillars, and what they make of the hexagram."""

    cast: Cast
    pillars: Pillars
    situation: Situation
    interactions: tuple[str, ...]


@cache
def _encode_lines(lines: tuple[YaoLine, ...]) -> tuple[str, str]:
    return "".join(_YANG[line] for line in lines), "".join(_MOVING[line] for line in lines)


def derive(cast: Cast) -> Derivation:
    """Derive everything that follows from a cast; the same cast always gives the same."""
    pillars = compute_pillars(cast.moment, cast.day_boundary)
    bits, mask = _encode_lines(cast.lines)
    situation = build_situation(bits, mask, month=pillars.month.branch, day=pillars.day)
    return Derivation(cast, pillars, situation, tuple(list_interactions(situation)))
