"""What the branch of a month or a day does to 用神."""

from enum import Enum, auto

from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF
from yarrow.liuyao.stems_branches import CLASH_OF, COMBINE_OF, Branch


class BranchEffect(Enum):
    FEEDS = auto()
    """It feeds 用神 or shares its element (生扶)."""
    COMBINES = auto()
    STRIKES = auto()
    """It clashes or controls 用神 (冲克)."""
    NONE = auto()


def find_effect(time: Branch, focus: Branch) -> BranchEffect:
    """A clash comes before everything else, and a combine that controls (合中带克) is no gain."""
    if CLASH_OF[time] == focus:
        return BranchEffect.STRIKES
    match BEARING[ELEMENT_OF[time]][ELEMENT_OF[focus]]:
        case "生" | "扶":
            return BranchEffect.FEEDS
        case "克":
            return BranchEffect.STRIKES
        case "休" | "囚":
            combines = COMBINE_OF[time] == focus
            return BranchEffect.COMBINES if combines else BranchEffect.NONE


def weigh_branch(time: Branch, focus: Branch) -> int:
    """1 if the branch helps 用神, -1 if it strikes it."""
    match find_effect(time, focus):
        case BranchEffect.FEEDS | BranchEffect.COMBINES:
            return 1
        case BranchEffect.STRIKES:
            return -1
        case BranchEffect.NONE:
            return 0
