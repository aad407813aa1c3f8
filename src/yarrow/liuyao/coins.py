"""From coins to lines: the one converter for both ways of counting.

花 is the back of a coin, 字 its inscribed face: "一背为单 两背为拆 三背为重 三字为交"
(增删卜易·占卦法章), so one 花 is 少阳, two 少阴, three 老阳, none 老阴.
"""

from typing import Final, Literal, get_args

from yarrow.errors import InvalidInput

YaoLine = Literal["少阳", "少阴", "老阳", "老阴"]

YAO_LINES: Final[tuple[YaoLine, ...]] = get_args(YaoLine)
COINS: Final = 3
_BY_HUA: Final[tuple[YaoLine, ...]] = ("老阴", "少阳", "少阴", "老阳")


def line_from_hua(hua_count: int) -> YaoLine:
    """The line of a throw that shows `hua_count` backs."""
    if not 0 <= hua_count <= COINS:
        raise InvalidInput("a throw of three coins shows 0 to 3 花", field="huaCount")
    return _BY_HUA[hua_count]


def line_from_zi(zi_count: int) -> YaoLine:
    """The line of a throw that shows `zi_count` inscribed faces."""
    if not 0 <= zi_count <= COINS:
        raise InvalidInput("a throw of three coins shows 0 to 3 字", field="ziCount")
    return line_from_hua(COINS - zi_count)
