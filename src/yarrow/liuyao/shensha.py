"""神煞 of a day: branches that custom marks lucky or unlucky. They colour a board, never a verdict.

By the day's stem: 天乙贵人 禄神 羊刃 文昌. By the triad of the day's branch: 驿马 桃花 将星 华盖
劫煞 灾煞. By the month: 天喜 天医.
"""

from functools import cache
from typing import Final, NamedTuple

from yarrow.liuyao.five_elements import TRIADS
from yarrow.liuyao.stems_branches import BRANCHES, INDEX_OF, STEMS, Branch, Stem


class StarOfDay(NamedTuple):
    name: str
    branches: tuple[Branch, ...]


def _split_by_stem(words: str) -> dict[Stem, tuple[Branch, ...]]:
    """One word of branches for each stem, in their order."""
    return {
        stem: tuple(word)  # type: ignore[arg-type]
        for stem, word in zip(STEMS, words.split(), strict=True)
    }


# 甲戊庚牛羊 乙己鼠猴乡 丙丁猪鸡位 壬癸兔蛇藏 六辛逢马虎
_NOBLE: Final = _split_by_stem("丑未 子申 亥酉 亥酉 丑未 子申 丑未 寅午 卯巳 卯巳")
_SALARY: Final = _split_by_stem("寅 卯 巳 午 巳 午 申 酉 亥 子")
_BLADE: Final = _split_by_stem("卯 辰 午 未 午 未 酉 戌 子 丑")
_LETTERS: Final = _split_by_stem("巳 午 申 酉 申 酉 亥 子 寅 卯")
# 天喜: 春戌 夏丑 秋辰 冬未.
_JOY: Final = {
    branch: ("戌", "丑", "辰", "未")[(INDEX_OF[branch] - 2) % 12 // 3] for branch in BRANCHES
}


def _step_branch(branch: Branch, steps: int) -> Branch:
    return BRANCHES[(INDEX_OF[branch] + steps) % 12]


@cache
def find_stars(stem: Stem, day: Branch, month: Branch) -> tuple[StarOfDay, ...]:
    """The stars of a day of `stem` and `day` in the month of `month`."""
    return find_stars_of_stem(stem) + find_stars_of_branch(day) + find_stars_of_month(month)


@cache
def find_stars_of_stem(stem: Stem) -> tuple[StarOfDay, ...]:
    return (
        StarOfDay("天乙贵人", _NOBLE[stem]),
        StarOfDay("禄神", _SALARY[stem]),
        StarOfDay("羊刃", _BLADE[stem]),
        StarOfDay("文昌", _LETTERS[stem]),
    )


@cache
def find_stars_of_branch(day: Branch) -> tuple[StarOfDay, ...]:
    beginning, middle, store = next(members for members, _ in TRIADS if day in members)
    return (
        StarOfDay("驿马", (_step_branch(beginning, 6),)),
        StarOfDay("桃花", (_step_branch(beginning, 1),)),
        StarOfDay("将星", (middle,)),
        StarOfDay("华盖", (store,)),
        StarOfDay("劫煞", (_step_branch(store, 1),)),
        StarOfDay("灾煞", (_step_branch(middle, 6),)),
    )


@cache
def find_stars_of_month(month: Branch) -> tuple[StarOfDay, ...]:
    joy: Branch = _JOY[month]
    return (
        StarOfDay("天喜", (joy,)),
        StarOfDay("天医", (_step_branch(month, -1),)),
    )
