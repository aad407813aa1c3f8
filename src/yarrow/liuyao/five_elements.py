"""The five elements (五行), and what follows from them: kin (六亲), seasons, stages, 三合 triads.

`BEARING[a][b]` says how element `a` bears on element `b`, in the words used for 月建 and 日辰:
扶 the same, 生 feeds it, 克 controls it, 休 is fed by it, 囚 is controlled by it. `SEASON_OF` is
the strength of an element by how the month bears on it: 旺相休囚死.
"""

from typing import Final, Literal

from yarrow.liuyao.stems_branches import INDEX_OF, Branch

# fmt: off

Element = Literal["木", "火", "土", "金", "水"]
Relation = Literal["兄弟", "子孙", "妻财", "官鬼", "父母"]
Bearing = Literal["扶", "生", "克", "休", "囚"]
Season = Literal["旺", "相", "休", "囚", "死"]
Stage = Literal[
    "长生", "沐浴", "冠带", "临官", "帝旺", "衰", "病", "死", "墓", "绝", "胎", "养"
]

# In the order of birth: each feeds the next and controls the one after it.
ELEMENTS: Final[tuple[Element, ...]] = ("木", "火", "土", "金", "水")
STAGES: Final[tuple[Stage, ...]] = (
    "长生", "沐浴", "冠带", "临官", "帝旺", "衰", "病", "死", "墓", "绝", "胎", "养",
)

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

# Beginning, middle and store of each 三合 triad; the middle names its element.
TRIADS: Final[tuple[tuple[tuple[Branch, Branch, Branch], Element], ...]] = (
    (("申", "子", "辰"), "水"),
    (("亥", "卯", "未"), "木"),
    (("寅", "午", "戌"), "火"),
    (("巳", "酉", "丑"), "金"),
)

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
