"""旬空 (空亡): the two branches that are void in a pillar's decade.

A decade (旬) pairs ten stems with ten of the twelve branches; the two that are left over are void:
the decade of 甲辰, to which 辛亥 belongs, ends with 癸丑 and lacks 寅 and 卯.
"""

from yarrow.liuyao.stems_branches import BRANCHES, Branch


def find_void_branches(index: int) -> tuple[Branch, Branch]:
    """The void branches of the pillar with this place, from 0, in the cycle of sixty."""
    decade = index - index % 10
    return BRANCHES[(decade + 10) % 12], BRANCHES[(decade + 11) % 12]
