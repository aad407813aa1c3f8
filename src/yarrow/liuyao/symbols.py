"""Stems (天干), branches (地支) and spirits (六神), and how branches clash, combine and harm.

Every sign is the Chinese character that the payload prints, typed by a `Literal`, so that
the type checker knows the closed sets and nothing has to be translated on the way out.
"""

from typing import Final, Literal

# fmt: off

Stem = Literal["甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸"]
Branch = Literal["子", "丑", "寅", "卯", "辰", "巳", "午", "未", "申", "酉", "戌", "亥"]
Spirit = Literal["青龙", "朱雀", "勾陈", "螣蛇", "白虎", "玄武"]

STEMS: Final[tuple[Stem, ...]] = ("甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸")
BRANCHES: Final[tuple[Branch, ...]] = (
    "子", "丑", "寅", "卯", "辰", "巳", "午", "未", "申", "酉", "戌", "亥",
)
INDEX_OF: Final[dict[Branch, int]] = {branch: i for i, branch in enumerate(BRANCHES)}

SPIRITS: Final[tuple[Spirit, ...]] = ("青龙", "朱雀", "勾陈", "螣蛇", "白虎", "玄武")
SPIRIT_SHORT: Final[dict[Spirit, str]] = {
    "青龙": "龙", "朱雀": "雀", "勾陈": "陈", "螣蛇": "蛇", "白虎": "虎", "玄武": "武",
}
SPIRIT_SHORT_HANT: Final[dict[Spirit, str]] = {
    "青龙": "龍", "朱雀": "雀", "勾陈": "陳", "螣蛇": "蛇", "白虎": "虎", "玄武": "武",
}
_FIRST_SPIRIT: Final[dict[Stem, int]] = {
    "甲": 0, "乙": 0, "丙": 1, "丁": 1, "戊": 2, "己": 3, "庚": 4, "辛": 4, "壬": 5, "癸": 5,
}
SPIRITS_BY_DAY: Final[dict[Stem, tuple[Spirit, ...]]] = {
    stem: SPIRITS[first:] + SPIRITS[:first] for stem, first in _FIRST_SPIRIT.items()
}

CLASH_OF: Final[dict[Branch, Branch]] = {b: BRANCHES[(i + 6) % 12] for b, i in INDEX_OF.items()}
COMBINE_OF: Final[dict[Branch, Branch]] = {b: BRANCHES[(13 - i) % 12] for b, i in INDEX_OF.items()}
HARM_OF: Final[dict[Branch, Branch]] = {b: BRANCHES[(19 - i) % 12] for b, i in INDEX_OF.items()}
PUNISHMENTS: Final[tuple[tuple[tuple[Branch, ...], str], ...]] = (
    (("寅", "巳", "申"), "寅巳申三刑"),
    (("丑", "戌", "未"), "丑戌未三刑"),
    (("子", "卯"), "子卯相刑"),
)
# 进神: the line steps forward within its element. 退神 is the same list read backwards.
ADVANCE_OF: Final[dict[Branch, Branch]] = {
    "亥": "子", "寅": "卯", "巳": "午", "申": "酉",
    "丑": "辰", "辰": "未", "未": "戌", "戌": "丑",
}
RETREAT_OF: Final[dict[Branch, Branch]] = {after: before for before, after in ADVANCE_OF.items()}

# fmt: on


def branch_bit(branch: Branch) -> int:
    """The branch as one bit of a set of branches."""
    return 1 << INDEX_OF[branch]
