"""The eight trigrams (八卦). Bits are written from the bottom line up, '1' is yang."""

from typing import Final, Literal

from yarrow.liuyao.five_elements import Element

Trigram = Literal["乾", "兑", "离", "震", "巽", "坎", "艮", "坤"]

TRIGRAMS: Final[tuple[Trigram, ...]] = ("乾", "兑", "离", "震", "巽", "坎", "艮", "坤")
TRIGRAM_OF: Final[dict[str, Trigram]] = {
    "111": "乾", "110": "兑", "101": "离", "100": "震",
    "011": "巽", "010": "坎", "001": "艮", "000": "坤",
}  # fmt: skip
BITS_OF: Final[dict[Trigram, str]] = {trigram: bits for bits, trigram in TRIGRAM_OF.items()}
TRIGRAM_ELEMENT: Final[dict[Trigram, Element]] = {
    "乾": "金", "兑": "金", "离": "火", "震": "木", "巽": "木", "坎": "水", "艮": "土", "坤": "土",
}  # fmt: skip
