"""卦辞 and 爻辞 of the 周易 (public domain), and the hexagrams that belong to one: 互卦 错卦 综卦.

One row for each hexagram, in the order of King Wen, without the titles of the lines: those follow
from the lines themselves (初九, 六二 …). The two pure hexagrams of heaven and earth have a seventh
text, 用九 and 用六. The wording is the received one (周易正义); two other editions were compared.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from yarrow.liuyao.data_files import read_data
from yarrow.liuyao.hexagrams import HEXAGRAMS, Hexagram

_NUMBERS: Final = ("初", "二", "三", "四", "五", "上")
_HANT_PAIRS: Final = (
    "丛叢 丧喪 乱亂 亏虧 亿億 仪儀 兴興 兹茲 冯馮 击擊 华華 卫衛 厉厲 号號 哑啞 园園 国國 坚堅 "
    "妇婦 宾賓 尔爾 屦屨 岁歲 巩鞏 帅帥 庆慶 庐廬 庙廟 弃棄 张張 恶惡 恻惻 愠慍 戋戔 战戰 扬揚 "
    "挛攣 敌敵 昼晝 杨楊 栋棟 桡橈 汇彙 涟漣 渊淵 渎瀆 潜潛 灭滅 灵靈 灾災 狱獄 琐瑣 畴疇 硕碩 "
    "窥窺 绂紱 维維 罢罷 肤膚 舆輿 艰艱 苋莧 苏蘇 获獲 视視 觌覿 誉譽 诫誡 谓謂 豮豶 贝貝 贞貞 "
    "贯貫 贰貳 赍齎 赏賞 跃躍 跻躋 轮輪 载載 辅輔 辐輻 违違 铉鉉 锡錫 闲閑 闻聞 阒闃 阴陰 陆陸 "
    "陨隕 顶頂 颊頰 频頻 颙顒 颠顛 馈饋 驱驅 鱼魚 鲋鮒 鸟鳥 鸣鳴 鸿鴻 鹤鶴 黄黃 龟龜 仆僕 怀懷 "
    "腊臘 触觸 遁遯 并並 系係"
)


class HexagramTexts(Struct, frozen=True):
    """卦辞, the six 爻辞 with their titles from the bottom up, and 用九 or 用六 if there is one."""

    judgement: str
    lines: tuple[str, ...]
    all_moving: str


class RelatedHexagrams(Struct, frozen=True):
    """互卦 from the four inner lines, 错卦 with every line turned, 综卦 upside down."""

    mutual: Hexagram
    opposite: Hexagram
    reversed: Hexagram


@cache
def _load_rows() -> dict[str, list[str]]:
    text = read_data("zhouyi.txt")
    rows = (line.split("|") for line in text.splitlines())
    return {row[0]: row[1:] for row in rows}


def write_line_title(bits: str, position: int) -> str:
    """The title of a line: 初九, 六二 … 上六."""
    number, kind = _NUMBERS[position - 1], "九" if bits[position - 1] == "1" else "六"
    return number + kind if position in {1, 6} else kind + number


def find_texts(hexagram: Hexagram) -> HexagramTexts:
    """The texts of a hexagram."""
    return _build_texts(hexagram.bits)


@cache
def _build_texts(bits: str) -> HexagramTexts:
    """Cached by the bits: hashing a whole hexagram takes longer than looking its texts up."""
    hexagram = HEXAGRAMS[bits]
    judgement, *lines = _load_rows()[hexagram.short]
    titled = tuple(
        f"{write_line_title(hexagram.bits, position)}：{text}"
        for position, text in enumerate(lines[:6], start=1)
    )
    extra = f"用{'九' if hexagram.bits[0] == '1' else '六'}：{lines[6]}" if len(lines) > 6 else ""
    return HexagramTexts(judgement, titled, extra)


def find_related(hexagram: Hexagram) -> RelatedHexagrams:
    """The three hexagrams that belong to one."""
    return _build_related(hexagram.bits)


@cache
def _build_related(bits: str) -> RelatedHexagrams:
    turned = "".join("0" if bit == "1" else "1" for bit in bits)
    return RelatedHexagrams(
        mutual=HEXAGRAMS[bits[1:4] + bits[2:5]],
        opposite=HEXAGRAMS[turned],
        reversed=HEXAGRAMS[bits[::-1]],
    )


_CLASSIC_CHARACTERS: Final = {pair[0]: pair[1] for pair in _HANT_PAIRS.split()}
_CLASSIC: Final = str.maketrans(_CLASSIC_CHARACTERS)
_CLASSIC_WORDS: Final = {"干父": "幹父", "干母": "幹母", "噬干": "噬乾"}


def convert_classic_to_hant(prose: str) -> str:
    """A text in traditional script, from what the table for our own prose makes of it.

    The classic keeps characters that the prose turns into terms of the art: 克 is not 剋 here.
    """
    kept = {"剋": "克", "諮": "咨", "捨": "舍", "裡": "里", "繫": "係"}
    plain = "".join(kept.get(char, char) for char in prose)
    for short, long in _CLASSIC_WORDS.items():
        plain = plain.replace(short, long)
    return plain.translate(_CLASSIC)


def list_classic_hant_forms(prose_forms: Mapping[str, str]) -> dict[str, str]:
    """Traditional forms for the classic, from those of the prose; words go before characters."""
    added = {form: form for form in (*_CLASSIC_CHARACTERS, *_CLASSIC_WORDS)}
    return {
        form: convert_classic_to_hant(prose) for form, prose in {**added, **prose_forms}.items()
    }
