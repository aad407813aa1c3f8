"""Stems (天干) and branches (地支), and how branches clash, combine and harm.

Every sign is the Chinese character that the payload prints, typed by a `Literal`, so that
the type checker knows the closed sets and nothing has to be translated on the way out.
"""

from typing import Final, Literal

# fmt: off

Stem = Literal["甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸"]
Branch = Literal["子", "丑", "寅", "卯", "辰", "巳", "午", "未", "申", "酉", "戌", "亥"]

STEMS: Final[tuple[Stem, ...]] = ("甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸")
BRANCHES: Final[tuple[Branch, ...]] = (
    "子", "丑", "寅", "卯", "辰", "巳", "午", "未", "申", "酉", "戌", "亥",
)
INDEX_OF: Final[dict[Branch, int]] = {branch: i for i, branch in enumerate(BRANCHES)}

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


def make_branch_bit(branch: Branch) -> int:
    """The branch as one bit of a set of branches."""
    return 1 << INDEX_OF[branch]
