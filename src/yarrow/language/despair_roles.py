"""Wishes to be dead, told by the roles of words: who, a wish, an end of life, a life denied.

A rule is about roles that stand close together in one clause, so that an end (重开, 长眠) needs no
phrase for each wish (想, 要, 不如, 恨不得). Each language has one table, where each phrase stands
once with its exceptions: ordinary questions have the same words (如何让弹窗消失, "how to stop
being late"). Words of many senses (kms, zs, my attempt) count only as what one does to oneself.
"""

import re
from functools import cache
from typing import Final

from yarrow.language.despair_chinese import DESPAIR_CHINESE
from yarrow.language.despair_english import DESPAIR_ENGLISH

# Spellings that hide a word from filters, and pinyin; each is read as the word it stands for.
_SPELLINGS: Final = (
    (r"紫砂(?![壶杯茶锅泥陶煲盆罐炖器花盏矿料])|自[鲨刹沙](?!车)|自s"
     r"|(?<=[想要就])zs(?![a-z])|(?<![a-z])zs(?=念头|自己)"
     r"|亖|4一4|狗带(?!子)", "自杀"),
    (r"(?<=[想要])(?:s|4|鼠|似|屎)(?=[了啊啦掉，,。！!？?]|$)|(?<=想)去?(?:die|dead)", "去死"),
    (r"[噶嘎](?:了|掉)?(?=自己|我自己)|(?<=把自己)[噶嘎]", "杀"),
    (r"(?<![a-z])ks(?=自己)", "杀"),
    (r"(?<=[不没别])(?:想|要)(?:huo|火)(?=了|啦|下去|着)", "想活"),
    (r"[唔勿弗]想|吾想", "不想"), (r"唔(?=应该|该|配)", "不"),
    (r"\bbu ?xiang ?huo(?: ?le)?\b|\bbxhl\b", "不想活了"),
    (r"\b(?:wo )?(?:hao )?xiang ?si(?: ?le)?\b", "想死"),
    (r"\bzi ?sha\b(?! (?:pot|tea))", "自杀"),
    (r"母[汤湯]|毋通", "不要"), (r"(?<=[活睡想抱带陪])著", "着"), ("冇", "没"),
    (r"\bmy self\b|\bmyslef\b", "myself"),
    (r"拉(?=$|[，,。！!？?])", "啦"),
    (r"\bdont\b", "don't"), (r"\bcant\b", "can't"), (r"\bim\b", "i'm"),
    (r"\bwanna\b", "want to"), (r"\bgonna\b", "going to"), (r"\banymore\b|\bno more\b", "any more"),
    (r"\bsu(?:c[iy]|i?s|i?ci?)+[dz]e?(?=\b|al)|\bsewer ?slide\b", "suicide"),
)  # fmt: skip

# Not of the one who writes (让欺负我的人去死 is a wish to harm), and what is not meant.
_OF_OTHERS: Final = (
    r"(?:让|叫|咒|要)(?!我(?!恨|讨)|自己)[^，,。]{1,10}(?:的人|[他她]们?|这帮"
    r"|那些)[^，,。]{0,2}去?死"
    r"|开车撞死(?=[他她那])|杀全家"
)
_NOT_MEANT: Final = (
    r"割肉[^。]{0,3}(?:死扛|死守)|(?:自杀|自残)式|上吊床|打死结|不死鸟|梦[见到][^，,。]*"
    r"|这[把局][^，,。]{0,3}重开|\bsuicide (?:squad|squeeze|doors?)"
)

# 死 as a mere word of degree, or in another word; what is left of it is meant.
_IDIOMS: Final = re.compile(
    r"[笑累忙热饿烦困气冷急吓渴美乐爱恨烂丑贵难干坑作找等][得]?要?死(?:了|我了|人|你们?[了啦]"
    r"|个人)|打死我?也|想死(?:我了|[你他她]们?[了啦]|个人)|死马当活马医"
    r"|死(?=[机心锁灰板党磕记海胡局敌角])|死皮赖脸"
    r"|[干杀打]死对[面方手]|死定|死不死机|死得(?:很|好)?惨|要死要活|生死关头|死(?:线|期限|结|运|局)"
    r"|打死(?=[蚊虫苍蟑鸡缠老])|谈死|老死|死(?:要|爱|顾)面子|死了?(?:这条|那条)?了?心(?!里)"
    r"|死在(?:起跑|沙滩|半路)|[要快]死了(?:哈|嘿|嘻|啦?哈)"
)

_LATIN: Final = re.compile("[A-Za-z]")


@cache
def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns), re.IGNORECASE)


@cache
def _compile_spellings() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(hidden, re.IGNORECASE), word) for hidden, word in _SPELLINGS)


def read_despair_text(folded: str) -> str:
    """The text with hidden words in plain spelling, without idioms and what others do."""
    for hidden, word in _compile_spellings():
        folded = hidden.sub(word, folded)
    return _IDIOMS.sub("", _compile((_OF_OTHERS, _NOT_MEANT)).sub(" ", folded))


def has_roles_of_despair(text: str) -> bool:
    """Whether a text that `read_despair_text` made says so by the roles of its words."""
    if not text.isascii() and _compile(DESPAIR_CHINESE).search(text):
        return True
    return bool(_LATIN.search(text) and _compile(DESPAIR_ENGLISH).search(text))
