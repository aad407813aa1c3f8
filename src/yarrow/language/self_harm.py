"""Recognise texts that speak of harming oneself: they are answered with help, by every agent."""

import re
from typing import Final

from yarrow.language.despair_roles import has_roles_of_despair, read_despair_text
from yarrow.language.script_folding import fold_question

# Beside `despair_roles`: an end of oneself and a word of despair or intent, in any order.
_END: Final = re.compile(
    r"(?:我|自己|想|只|就|该|才|不如|干脆|宁愿"
    r"|[着，,地])[^，,。他她它爸妈爷奶狗猫]{0,4}(?<![捅打弄毒砍掐烧害整撞杀拍勒踹咬轧闷捂])死(?![后者人因刑缓"
    r"罪角扣账穴规忠守树路水]|亡[谷率证笔])"
    r"|(?<![生干快灵鲜])活(?:着(?!的(?!理由|意义|价值))|下去|够|受罪)|(?:睡"
    r"|醒)[^，,。]{0,4}(?:不醒|没醒|醒不来|不要醒|别醒)|(?:希望|宁愿)[^，,。]{0,4}[没不]醒"
    r"|我(?![的脸身头])[^，,。]{0,8}消失(?!不见|的|在|一[阵段天周]|[几两])|结束(?:这?一生|生命"
    r"|自己|一切(?!的)|人生|此生|痛苦)"
    r"|(?:天台|楼顶|楼上|桥上|窗口|窗边|阳台|窗户).{0,8}跳(?!舞|操|绳|蚤)|[不唔]想再熬|活[不唔]落去"
)
_DESPAIR: Final = re.compile(
    r"(?<!理)想(?!不想吃|象|法)|希望|要是.{0,10}就好|不配|没用|什么用|受罪|痛苦|倒好|算了|解脱"
    r"|轻松|干脆|不如|宁愿|意[义思]|盼头|绝望"
    r"|该不该|应该|不要我|多余|不值|理由|办法|负担|累赘|撑不|可以走了|落去|安眠药"
)
_END_EN: Final = re.compile(
    r"\b(?:die(?! (?:for|laughing|my hair|of (?:boredom|laughter|embarrassment|shame|hunger))\b)"
    r"|dying(?! to\b)|death|be dead"
    r"|live(?! (?:in|with|at|here|there|abroad|alone|together|on|near|by|music|show"
    r"|stream|up)\b)"
    r"|living(?! (?:in|with|at|here|there|abroad|room|cost|space|alone|together|on|near)\b)"
    r"|go to heaven"
    r"|end (?:my|the) (?:suffering|pain|misery)|(?:get rid of|erase) myself)\b",
    re.IGNORECASE,
)
_DESPAIR_EN: Final = re.compile(
    r"\b(?:deserve|worth|thinking (?:about|of)|(?:reason|point) (?:to|in|of)|tired of|pills?"
    r"|tonight|for good|want to|wish|rather"
    r"|nothing|no one|nobody|hopeless|pointless|should i (?=end))\b",
    re.IGNORECASE,
)
_OTHERS_EN: Final = re.compile(
    r"\b(?:what makes|he|she|they|him|his|it (?:will|going)|dog|cat|cost of|a living"
    r"|(?:grand)?(?:ma|pa|mother|father)|mum|mom|dad|husband|wife|son|daughter"
    r"|brother|sister|plants?|phone|battery)\b(?! tonight)",
    re.IGNORECASE,
)


def mentions_self_harm(text: str) -> bool:
    """Whether the text says so in Chinese or English."""
    folded = read_despair_text(fold_question(text).replace("’", "'"))
    if has_roles_of_despair(folded):
        return True
    if (end := _END_EN.search(folded)) and _DESPAIR_EN.search(folded):
        return _OTHERS_EN.search(folded[: end.start()]) is None
    if re.search("梦[见到]", folded):
        return False
    return bool(_END.search(folded) and _DESPAIR.search(folded))
