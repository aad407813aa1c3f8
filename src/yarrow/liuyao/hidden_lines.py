"""Hidden lines (伏神): kin that no visible line shows, taken from the palace's first hexagram."""

from msgspec import Struct

from yarrow.liuyao.five_elements import Element, Relation
from yarrow.liuyao.najia import HexagramLine, compute_lines
from yarrow.liuyao.stems_branches import Branch, Stem
from yarrow.liuyao.trigrams import BITS_OF, TRIGRAM_ELEMENT, Trigram


class HiddenLine(Struct, frozen=True):
    """A 伏神: a kin that is not among the six lines, under the visible line (飞神)."""

    position: int
    stem: Stem
    branch: Branch
    element: Element
    relation: Relation
    over: HexagramLine


def find_hidden_lines(
    base_lines: tuple[HexagramLine, ...], palace: Trigram
) -> tuple[HiddenLine, ...]:
    """One for each kin that `base_lines` lack."""
    shown = {base.relation for base in base_lines}
    first = compute_lines(BITS_OF[palace] * 2, TRIGRAM_ELEMENT[palace], 6)
    return tuple(
        HiddenLine(h.position, h.stem, h.branch, h.element, h.relation, base_lines[h.position - 1])
        for h in first
        if h.relation not in shown
    )
