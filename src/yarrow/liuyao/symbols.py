"""The signs of the art and how they bear on each other: stems, branches, elements, kin.

Every sign is the Chinese character that the payload prints, typed by a `Literal`, so that
the type checker knows the closed sets and nothing has to be translated on the way out.

`BEARING[a][b]` says how element `a` bears on element `b`, in the words used for 月建 and 日辰:
扶 the same, 生 feeds it, 克 controls it, 休 is fed by it, 囚 is controlled by it.
"""

from typing import Final, Literal

# fmt: off

Stem = Literal["甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸"]
Branch = Literal["子", "丑", "寅", "卯", "辰", "巳", "午", "未", "申", "酉", "戌", "亥"]
Element = Literal["木", "火", "土", "金", "水"]
Relation = Literal["兄弟", "子孙", "妻财", "官鬼", "父母"]
Spirit = Literal["青龙", "朱雀", "勾陈", "螣蛇", "白虎", "玄武"]
Bearing = Literal["扶", "生", "克", "休", "囚"]
Season = Literal["旺", "相", "休", "囚", "死"]
Stage = Literal[
    "长生", "沐浴", "冠带", "临官", "帝旺", "衰", "病", "死", "墓", "绝", "胎", "养"
]

STEMS: Final[tuple[Stem, ...]] = ("甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸")
BRANCHES: Final[tuple[Branch, ...]] = (
    "子", "丑", "寅", "卯", "辰", "巳", "午", "未", "申", "酉", "戌", "亥",
)
# In the order of birth: each feeds the next and controls the one after it.
ELEMENTS: Final[tuple[Element, ...]] = ("木", "火", "土", "金", "水")
STAGES: Final[tuple[Stage, ...]] = (
    "长生", "沐浴", "冠带", "临官", "帝旺", "衰", "病", "死", "墓", "绝", "胎", "养",
)

INDEX_OF: Final[dict[Branch, int]] = {branch: i for i, branch in enumerate(BRANCHES)}
ELEMENT_OF: Final[dict[Branch, Element]] = {
    "子": "水", "丑": "土", "寅": "木", "卯": "木", "辰": "土", "巳": "火",
    "午": "火", "未": "土", "申": "金", "酉": "金", "戌": "土", "亥": "水",
}

_BEARINGS: Final[tuple[Bearing, ...]] = ("扶", "生", "克", "囚", "休")
BEARING: Final[dict[Element, dict[Element, Bearing]]] = {
    a: {b: _BEARINGS[(j - i) % 5] for j, b in enumerate(ELEMENTS)} for i, a in enumerate(ELEMENTS)
}
SEASON_OF: Final[dict[Bearing, Season]] = {
    "扶": "旺", "生": "相", "休": "休", "囚": "囚", "克": "死",
}

# The kin of a line is named by how the palace bears on it.
RELATION_OF: Final[dict[Bearing, Relation]] = {
    "扶": "兄弟", "生": "子孙", "克": "妻财", "囚": "官鬼", "休": "父母",
}
RELATION_HANT: Final[dict[Relation, str]] = {
    "兄弟": "兄弟", "子孙": "子孫", "妻财": "妻財", "官鬼": "官鬼", "父母": "父母",
}

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
# Beginning, middle and store of each 三合 triad; the middle names its element.
TRIADS: Final[tuple[tuple[tuple[Branch, Branch, Branch], Element], ...]] = (
    (("申", "子", "辰"), "水"),
    (("亥", "卯", "未"), "木"),
    (("寅", "午", "戌"), "火"),
    (("巳", "酉", "丑"), "金"),
)
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

# 水土同宫: earth runs with water (增删卜易·生旺墓绝章).
_BIRTH_OF: Final[dict[Element, Branch]] = {
    "木": "亥", "火": "寅", "土": "申", "金": "巳", "水": "申",
}
STAGE_OF: Final[dict[Element, dict[Branch, Stage]]] = {
    element: {b: STAGES[(i - INDEX_OF[birth]) % 12] for b, i in INDEX_OF.items()}
    for element, birth in _BIRTH_OF.items()
}
# 余气: qi that outlives its season (增删卜易·四时旺相章).
LINGERING: Final[frozenset[tuple[Element, Branch]]] = frozenset(
    {("木", "辰"), ("火", "未"), ("水", "丑")}
)

# fmt: on


def branch_bit(branch: Branch) -> int:
    """The branch as one bit of a set of branches."""
    return 1 << INDEX_OF[branch]
