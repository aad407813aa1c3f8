"""The 64 hexagrams with everything that does not depend on time.

A palace (宫) is opened by a doubled trigram; its eight hexagrams share the palace's element, which
names the kin (六亲) of the lines.
"""

from typing import Final, Literal

from msgspec import Struct

from yarrow.liuyao.five_elements import Element
from yarrow.liuyao.hexagram_names import name_hexagram
from yarrow.liuyao.hidden_lines import HiddenLine, find_hidden_lines
from yarrow.liuyao.najia import HexagramLine, compute_lines, find_response
from yarrow.liuyao.stems_branches import CLASH_OF, COMBINE_OF
from yarrow.liuyao.trigrams import BITS_OF, TRIGRAM_ELEMENT, TRIGRAM_OF, TRIGRAMS, Trigram

Generation = Literal["八纯", "一世", "二世", "三世", "四世", "五世", "游魂", "归魂"]
Concord = Literal["六冲", "六合", ""]

# How the eight hexagrams of a palace differ from its first, and where 世 stands in each.
_GENERATIONS: Final[tuple[tuple[Generation, str, int], ...]] = (
    ("八纯", "000000", 6),
    ("一世", "100000", 1),
    ("二世", "110000", 2),
    ("三世", "111000", 3),
    ("四世", "111100", 4),
    ("五世", "111110", 5),
    ("游魂", "111010", 4),
    ("归魂", "000010", 3),
)


class Hexagram(Struct, frozen=True):
    bits: str
    name: str
    name_hant: str
    short: str
    upper: Trigram
    lower: Trigram
    palace: Trigram
    generation: Generation
    world: int
    response: int
    concord: Concord
    base_lines: tuple[HexagramLine, ...]
    hidden: tuple[HiddenLine, ...]

    @property
    def element(self) -> Element:
        """The element of the palace, by which kin are named."""
        return TRIGRAM_ELEMENT[self.palace]


_BITS: Final = tuple(f"{number:06b}" for number in range(64))
_NUMBER_OF: Final = {bits: number for number, bits in enumerate(_BITS)}


def flip_lines(bits: str, mask: str) -> str:
    """The hexagram that remains when the lines marked '1' in `mask` have changed."""
    return _BITS[_NUMBER_OF[bits] ^ _NUMBER_OF[mask]]


def _find_concord(base_lines: tuple[HexagramLine, ...]) -> Concord:
    pairs = [(base_lines[i].branch, base_lines[i + 3].branch) for i in range(3)]
    if all(CLASH_OF[a] == b for a, b in pairs):
        return "六冲"
    if all(COMBINE_OF[a] == b for a, b in pairs):
        return "六合"
    return ""


def _build_hexagram(palace: Trigram, generation: Generation, mask: str, world: int) -> Hexagram:
    bits = flip_lines(BITS_OF[palace] * 2, mask)
    lower, upper = TRIGRAM_OF[bits[:3]], TRIGRAM_OF[bits[3:]]
    name, name_hant, short = name_hexagram(lower, upper)
    base_lines = compute_lines(bits, TRIGRAM_ELEMENT[palace], world)
    return Hexagram(
        bits=bits,
        name=name,
        name_hant=name_hant,
        short=short,
        upper=upper,
        lower=lower,
        palace=palace,
        generation=generation,
        world=world,
        response=find_response(world),
        concord=_find_concord(base_lines),
        base_lines=base_lines,
        hidden=find_hidden_lines(base_lines, palace),
    )


HEXAGRAMS: Final[dict[str, Hexagram]] = {
    hexagram.bits: hexagram
    for hexagram in (_build_hexagram(palace, *row) for palace in TRIGRAMS for row in _GENERATIONS)
}
