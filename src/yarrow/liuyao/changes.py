"""What a moving line becomes, and what that does to it (动变).

A changed line acts on nothing but the line that moved into it (增删卜易·动变生克冲合章).
"""

from functools import cache
from typing import Final, Literal

from yarrow.liuyao.five_elements import BEARING, ELEMENT_OF, STAGE_OF, Bearing
from yarrow.liuyao.stems_branches import ADVANCE_OF, CLASH_OF, COMBINE_OF, RETREAT_OF, Branch

ChangeTag = Literal[
    "化伏吟", "化冲", "化合", "化进神", "化退神", "回头生", "回头克", "化泄", "化耗",
    "化墓", "化绝", "化长生", "化空", "化破",
]  # fmt: skip

_BY_BEARING: Final[dict[Bearing, ChangeTag | None]] = {
    "生": "回头生", "克": "回头克", "休": "化泄", "囚": "化耗", "扶": None,
}  # fmt: skip


@cache
def list_change_tags(
    before: Branch,
    after: Branch,
    void: bool,  # noqa: FBT001 - positional, for the sake of the cache's speed
    broken: bool,  # noqa: FBT001
) -> tuple[ChangeTag, ...]:
    """The tags of `before` moving into `after`; `void` and `broken` speak of `after`."""
    bearing = BEARING[ELEMENT_OF[after]][ELEMENT_OF[before]]
    tags: tuple[ChangeTag | None, ...] = (
        _find_branch_tag(before, after),
        _BY_BEARING[bearing],
        _find_stage_tag(before, after, bearing),
        "化空" if void else None,
        "化破" if broken else None,
    )
    return tuple(tag for tag in tags if tag)


def _find_branch_tag(before: Branch, after: Branch) -> ChangeTag | None:
    rules: tuple[tuple[bool, ChangeTag], ...] = (
        (before == after, "化伏吟"),
        (CLASH_OF[before] == after, "化冲"),
        (COMBINE_OF[before] == after, "化合"),
        (ADVANCE_OF.get(before) == after, "化进神"),
        (RETREAT_OF.get(before) == after, "化退神"),
    )
    return next((tag for applies, tag in rules if applies), None)


def _find_stage_tag(before: Branch, after: Branch, bearing: Bearing) -> ChangeTag | None:
    match STAGE_OF[ELEMENT_OF[before]][after]:
        case "墓" if bearing != "扶":
            return "化墓"
        case "绝" if bearing != "生":
            return "化绝"
        case "长生":
            return "化长生"
        case _:
            return None
