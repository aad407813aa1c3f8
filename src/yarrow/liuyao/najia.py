"""Stems, branches and kin of a hexagram's lines (纳甲); `hexagrams` has the places of 世 and 应."""

from functools import cache
from typing import Final, Literal

from msgspec import Struct

from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, RELATION_OF, Element, Relation
from yarrow.liuyao.stems_branches import Branch, Stem
from yarrow.liuyao.trigrams import TRIGRAM_OF, Trigram

Mark = Literal["世", "应", ""]

POSITION_NAMES: Final = ("初爻", "二爻", "三爻", "四爻", "五爻", "上爻")

# 纳甲: stem and three branches of a trigram when it is the lower and when it is the upper one.
_NAJIA: Final[dict[Trigram, tuple[str, str]]] = {
    "乾": ("甲子寅辰", "壬午申戌"), "震": ("庚子寅辰", "庚午申戌"),
    "坎": ("戊寅辰午", "戊申戌子"), "艮": ("丙辰午申", "丙戌子寅"),
    "坤": ("乙未巳卯", "癸丑亥酉"), "巽": ("辛丑亥酉", "辛未巳卯"),
    "离": ("己卯丑亥", "己酉未巳"), "兑": ("丁巳卯丑", "丁亥酉未"),
}  # fmt: skip


class HexagramLine(Struct, frozen=True):
    """One line of a hexagram, before anything is asked of it; its label is place and name."""

    position: int
    is_yang: bool
    stem: Stem
    branch: Branch
    element: Element
    relation: Relation
    mark: Mark
    name: str
    label: str


def find_response(world: int) -> int:
    """The place of 应: three lines from 世."""
    return (world + 2) % 6 + 1


@cache
def compute_lines(bits: str, palace: Element, world: int) -> tuple[HexagramLine, ...]:
    """The six lines of `bits`, their kin named by the element `palace`."""
    lower, upper = TRIGRAM_OF[bits[:3]], TRIGRAM_OF[bits[3:]]
    inner, outer = _NAJIA[lower][0], _NAJIA[upper][1]
    response = find_response(world)
    stems, branches = inner[0] * 3 + outer[0] * 3, inner[1:] + outer[1:]
    base_lines = []
    for i in range(6):
        branch: Branch = branches[i]  # type: ignore[assignment]
        stem: Stem = stems[i]  # type: ignore[assignment]
        element = ELEMENT_OF[branch]
        relation = RELATION_OF[BEARING[palace][element]]
        mark: Mark = "世" if i + 1 == world else "应" if i + 1 == response else ""
        name = f"{relation}{branch}{element}"
        label = POSITION_NAMES[i] + name
        base_lines.append(
            HexagramLine(i + 1, bits[i] == "1", stem, branch, element, relation, mark, name, label)
        )
    return tuple(base_lines)
