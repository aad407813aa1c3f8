"""The six spirits (六神) of a board: the stem of the day names the one of the first line."""

from typing import Final, Literal

from yarrow.liuyao.stems_branches import Stem

# fmt: off

Spirit = Literal["青龙", "朱雀", "勾陈", "螣蛇", "白虎", "玄武"]

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

# fmt: on
