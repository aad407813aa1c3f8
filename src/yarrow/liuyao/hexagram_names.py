"""Names of the 64 hexagrams in Simplified and Traditional characters."""

from typing import Final

from yarrow.liuyao.trigrams import TRIGRAMS, Trigram

_IMAGE: Final[dict[Trigram, str]] = {
    "乾": "天", "兑": "泽", "离": "火", "震": "雷", "巽": "风", "坎": "水", "艮": "山", "坤": "地",
}  # fmt: skip
_IMAGE_HANT: Final[dict[Trigram, str]] = _IMAGE | {"兑": "澤", "巽": "風"}

# One row for each lower trigram, one column for each upper, in the order of TRIGRAMS. By hand,
# because a converter spoils names: 乾 becomes 干, 咸 becomes 鹹, 升 becomes 昇, 复 becomes 複.
_NAMES: Final = (
    "乾 夬 大有 大壮 小畜 需 大畜 泰",
    "履 兑 睽 归妹 中孚 节 损 临",
    "同人 革 离 丰 家人 既济 贲 明夷",
    "无妄 随 噬嗑 震 益 屯 颐 复",
    "姤 大过 鼎 恒 巽 井 蛊 升",
    "讼 困 未济 解 涣 坎 蒙 师",
    "遁 咸 旅 小过 渐 蹇 艮 谦",
    "否 萃 晋 豫 观 比 剥 坤",
)
_NAMES_HANT: Final = (
    "乾 夬 大有 大壯 小畜 需 大畜 泰",
    "履 兌 睽 歸妹 中孚 節 損 臨",
    "同人 革 離 豐 家人 既濟 賁 明夷",
    "無妄 隨 噬嗑 震 益 屯 頤 復",
    "姤 大過 鼎 恆 巽 井 蠱 升",
    "訟 困 未濟 解 渙 坎 蒙 師",
    "遯 咸 旅 小過 漸 蹇 艮 謙",
    "否 萃 晉 豫 觀 比 剝 坤",
)


def name_hexagram(lower: Trigram, upper: Trigram) -> tuple[str, str, str]:
    """The full name in both scripts and the short one."""
    row, column = TRIGRAMS.index(lower), TRIGRAMS.index(upper)
    short, short_hant = _NAMES[row].split()[column], _NAMES_HANT[row].split()[column]
    if lower == upper:
        return f"{short}为{_IMAGE[lower]}", f"{short_hant}為{_IMAGE_HANT[lower]}", short
    full = f"{_IMAGE[upper]}{_IMAGE[lower]}{short}"
    return full, f"{_IMAGE_HANT[upper]}{_IMAGE_HANT[lower]}{short_hant}", short
