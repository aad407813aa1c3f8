"""The 64 hexagrams with everything that does not depend on time.

Bits are written from the bottom line up, '1' is yang. A palace (宫) is opened by a doubled
trigram; its eight hexagrams share the palace's element, which names the kin (六亲) of the lines.
A hidden line (伏神) is a kin that no visible line shows, taken from the palace's first hexagram.
"""

from functools import cache
from typing import Final, Literal

from msgspec import Struct

from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, RELATION_OF, Element, Relation
from yarrow.liuyao.stems_branches import CLASH_OF, COMBINE_OF, Branch, Stem

Trigram = Literal["乾", "兑", "离", "震", "巽", "坎", "艮", "坤"]
Generation = Literal["八纯", "一世", "二世", "三世", "四世", "五世", "游魂", "归魂"]
Mark = Literal["世", "应", ""]
Concord = Literal["六冲", "六合", ""]

POSITION_NAMES: Final = ("初爻", "二爻", "三爻", "四爻", "五爻", "上爻")
_TRIGRAMS: Final[tuple[Trigram, ...]] = ("乾", "兑", "离", "震", "巽", "坎", "艮", "坤")
TRIGRAM_OF: Final[dict[str, Trigram]] = {
    "111": "乾", "110": "兑", "101": "离", "100": "震",
    "011": "巽", "010": "坎", "001": "艮", "000": "坤",
}  # fmt: skip
BITS_OF: Final[dict[Trigram, str]] = {trigram: bits for bits, trigram in TRIGRAM_OF.items()}
TRIGRAM_ELEMENT: Final[dict[Trigram, Element]] = {
    "乾": "金", "兑": "金", "离": "火", "震": "木", "巽": "木", "坎": "水", "艮": "土", "坤": "土",
}  # fmt: skip
_IMAGE: Final[dict[Trigram, str]] = {
    "乾": "天", "兑": "泽", "离": "火", "震": "雷", "巽": "风", "坎": "水", "艮": "山", "坤": "地",
}  # fmt: skip
_IMAGE_HANT: Final[dict[Trigram, str]] = _IMAGE | {"兑": "澤", "巽": "風"}

# One row for each lower trigram, one column for each upper, in the order of _TRIGRAMS. By hand,
# because a converter spoils names: 乾 becomes 干, 咸 becomes 鹹, 升 becomes 昇, 复 becomes 複.
_NAMES: Final = (
    "乾 夬 大有 大壮 小畜 需 大畜 泰",
    "履 兑 睽 归妹 中孚 节 损 临",
    "同人 革 离 丰 家人 既济 贲 明夷",
    "无妄 随 噬嗑 震 益 屯 颐 复",
    "姤 大过 鼎 恒 巽 井 蛊 升",
    "讼 困 未济 解 涣 坎 蒙 师",
    "遁 咸 旅 小过 渐 蹇 艮 谦",
    "否 萃 晋 豫 观 比 剥 坤",
)
_NAMES_HANT: Final = (
    "乾 夬 大有 大壯 小畜 需 大畜 泰",
    "履 兌 睽 歸妹 中孚 節 損 臨",
    "同人 革 離 豐 家人 既濟 賁 明夷",
    "無妄 隨 噬嗑 震 益 屯 頤 復",
    "姤 大過 鼎 恆 巽 井 蠱 升",
    "訟 困 未濟 解 渙 坎 蒙 師",
    "遯 咸 旅 小過 漸 蹇 艮 謙",
    "否 萃 晉 豫 觀 比 剝 坤",
)

# 纳甲: stem and three branches of a trigram when it is the lower and when it is the upper one.
_NAJIA: Final[dict[Trigram, tuple[str, str]]] = {
    "乾": ("甲子寅辰", "壬午申戌"), "震": ("庚子寅辰", "庚午申戌"),
    "坎": ("戊寅辰午", "戊申戌子"), "艮": ("丙辰午申", "丙戌子寅"),
    "坤": ("乙未巳卯", "癸丑亥酉"), "巽": ("辛丑亥酉", "辛未巳卯"),
    "离": ("己卯丑亥", "己酉未巳"), "兑": ("丁巳卯丑", "丁亥酉未"),
}  # fmt: skip

# How the eight hexagrams of a palace differ from its first, and where 世 stands in each.
_GENERATIONS: Final[tuple[tuple[Generation, str, int], ...]] = (
    ("八纯", "000000", 6),
    ("一世", "100000", 1),
    ("二世", "110000", 2),
    ("三世", "111000", 3),
    ("四世", "111100", 4),
    ("五世", "111110", 5),
    ("游魂", "111010", 4),
    ("归魂", "000010", 3),
)


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


class HiddenLine(Struct, frozen=True):
    """A 伏神: a kin that is not among the six lines, under the visible line (飞神)."""

    position: int
    stem: Stem
    branch: Branch
    element: Element
    relation: Relation
    over: HexagramLine


class Hexagram(Struct, frozen=True):
    bits: str
    name: str
    name_hant: str
    short: str
    upper: Trigram
    lower: Trigram
    palace: Trigram
    generation: Generation
    world: int
    response: int
    concord: Concord
    base_lines: tuple[HexagramLine, ...]
    hidden: tuple[HiddenLine, ...]

    @property
    def element(self) -> Element:
        """The element of the palace, by which kin are named."""
        return TRIGRAM_ELEMENT[self.palace]


def flip(bits: str, mask: str) -> str:
    """The hexagram that remains when the lines marked '1' in `mask` have changed."""
    return "".join("1" if bit != moved else "0" for bit, moved in zip(bits, mask, strict=True))


def _find_response(world: int) -> int:
    """The place of 应: three lines from 世."""
    return (world + 2) % 6 + 1


@cache
def compute_lines(bits: str, palace: Element, world: int) -> tuple[HexagramLine, ...]:
    """The six lines of `bits`, their kin named by the element `palace`."""
    lower, upper = TRIGRAM_OF[bits[:3]], TRIGRAM_OF[bits[3:]]
    inner, outer = _NAJIA[lower][0], _NAJIA[upper][1]
    response = _find_response(world)
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


def _find_hidden(base_lines: tuple[HexagramLine, ...], palace: Trigram) -> tuple[HiddenLine, ...]:
    shown = {base.relation for base in base_lines}
    first = compute_lines(BITS_OF[palace] * 2, TRIGRAM_ELEMENT[palace], 6)
    return tuple(
        HiddenLine(h.position, h.stem, h.branch, h.element, h.relation, base_lines[h.position - 1])
        for h in first
        if h.relation not in shown
    )


def _concord(base_lines: tuple[HexagramLine, ...]) -> Concord:
    pairs = [(base_lines[i].branch, base_lines[i + 3].branch) for i in range(3)]
    if all(CLASH_OF[a] == b for a, b in pairs):
        return "六冲"
    if all(COMBINE_OF[a] == b for a, b in pairs):
        return "六合"
    return ""


def _names(lower: Trigram, upper: Trigram) -> tuple[str, str, str]:
    row, column = _TRIGRAMS.index(lower), _TRIGRAMS.index(upper)
    short, short_hant = _NAMES[row].split()[column], _NAMES_HANT[row].split()[column]
    if lower == upper:
        return f"{short}为{_IMAGE[lower]}", f"{short_hant}為{_IMAGE_HANT[lower]}", short
    full = f"{_IMAGE[upper]}{_IMAGE[lower]}{short}"
    return full, f"{_IMAGE_HANT[upper]}{_IMAGE_HANT[lower]}{short_hant}", short


def _hexagram(palace: Trigram, generation: Generation, mask: str, world: int) -> Hexagram:
    bits = flip(BITS_OF[palace] * 2, mask)
    lower, upper = TRIGRAM_OF[bits[:3]], TRIGRAM_OF[bits[3:]]
    name, name_hant, short = _names(lower, upper)
    base_lines = compute_lines(bits, TRIGRAM_ELEMENT[palace], world)
    return Hexagram(
        bits=bits,
        name=name,
        name_hant=name_hant,
        short=short,
        upper=upper,
        lower=lower,
        palace=palace,
        generation=generation,
        world=world,
        response=_find_response(world),
        concord=_concord(base_lines),
        base_lines=base_lines,
        hidden=_find_hidden(base_lines, palace),
    )


HEXAGRAMS: Final[dict[str, Hexagram]] = {
    hexagram.bits: hexagram
    for hexagram in (_hexagram(palace, *row) for palace in _TRIGRAMS for row in _GENERATIONS)
}
