"""What is special about a hexagram and its change as wholes (specialStatus)."""

from typing import Final

from yarrow.liuyao.hexagrams import Hexagram
from yarrow.liuyao.trigrams import Trigram

_FAN_YIN: Final[frozenset[frozenset[Trigram]]] = frozenset(
    {
        frozenset({"乾", "巽"}),
        frozenset({"坎", "离"}),
        frozenset({"艮", "坤"}),
        frozenset({"震", "兑"}),
    }
)
_LINE_FAN_YIN: Final[frozenset[Trigram]] = frozenset({"坤", "巽"})
_FU_YIN: Final[frozenset[Trigram]] = frozenset({"乾", "震"})


def list_special_status(hexagram: Hexagram, target: Hexagram, moving: int) -> tuple[str, ...]:
    """The marks in their fixed order; `moving` counts the moving lines."""
    marks = (
        f"{hexagram.concord}卦" if hexagram.concord else "",
        f"{hexagram.generation}卦" if hexagram.generation in {"游魂", "归魂"} else "",
        _name_concord_change(hexagram, target) if moving else "",
        _name_echo("内卦", hexagram.lower, target.lower),
        _name_echo("外卦", hexagram.upper, target.upper),
        {0: "六爻安静", 1: "独发", 5: "独静", 6: "六爻皆动"}.get(moving, ""),
    )
    return tuple(mark for mark in marks if mark)


def _name_concord_change(hexagram: Hexagram, target: Hexagram) -> str:
    return f"{hexagram.concord}变{target.concord}" if target.concord else ""


def _name_echo(where: str, before: Trigram, after: Trigram) -> str:
    """伏吟 and 反吟 of one trigram (卜筮正宗·反吟卦定例, 伏吟卦定例)."""
    pair: frozenset[Trigram] = frozenset({before, after})
    if pair == _FU_YIN:
        return f"{where}伏吟"
    if pair in _FAN_YIN:
        return f"{where}反吟"
    return f"{where}爻反吟" if pair == _LINE_FAN_YIN else ""
