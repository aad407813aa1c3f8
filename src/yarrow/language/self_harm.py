"""Recognise texts that speak of harming oneself: they are answered with help, by every agent."""

import re
from typing import Final

from yarrow.language.despair_roles import has_roles_of_despair, read_despair_text
from yarrow.language.script_folding import fold_question

# Not 想死记硬背, 想死你了, 去死海, 跳楼价 and 跳楼机; 我想消失一阵, 了断这段感情, 结束这一切的争吵.
_CHINESE: Final = re.compile(
    r"自杀|自残|自伤|自尽|轻生|寻死|求死"
    r"|[不唔]想(?:再)?(?:活(?!动|成|出|在[^，,。]{0,6}(?:过去|阴影|里|梦))|做人(?=$"
    r"|[了啦，,。？?])|生存|留在(?:这个?)?世)"
    r"|活不下去(?!的)|结束生命|了结自己|想死(?!记|磕|你们?[了啦])|伤害自己|去死(?!海|亡)"
    r"|割手?腕(?!表)"
    r"|跳楼(?![价机大甩促])|[跳投][河江湖桥](?![北南苏西东浙头])|(?<!别)上吊|服毒|喝农药|吞药"
    r"|烧炭(?![烤火取炉机工])"
    r"|从[^，,。]{1,6}跳下去(?![^，,。]*(?:伞|蹦极|泳))|安眠药.{0,6}(?:一瓶|全部|过量)|自我了断"
    r"|了断(?:自己|此生)|想了断(?=$|[了吗。？?！])"
    r"|(?:不如|想|干脆)就?一了百了|死了(?:算了|一了百了|就|才)"
    r"|(?:干脆|不如|还是|只有|只想|想要?|是不是该)[^，,。他她]{0,2}(?<![捅打弄毒砍掐烧害整])死"
    r"|死[^，,。]{0,6}(?:解脱|轻松)|吃多少[^，,。]{0,3}会死|怎么死(?!的|机)|让我[^，,。]{0,8}死掉"
    r"|跳下去[^，,。]{0,5}(?:疼|痛|死)|遗书|活腻|一睡不醒|世(?:界)?上消失|离开人世"
    r"|[吃吞].{0,4}(?:[一整]瓶|全部).{0,3}(?:药|安眠)"
    r"|活[着得][^，,。]{0,4}(?:痛苦|累|煎熬|难受)[^。]{0,8}(?:结束|解脱|消失|走|睡过去)"
    r"|我(?:要是|如果|若)?死了[，,]?(?:[他她你]|大家|爸|妈|家人|孩子|谁|有人|有没有人|没人"
    r"|会不会有)"
    r"|活[着著]还?(?:有|没)(?:有?什么|有?啥|有?任何)?(?:意[义思])"
    r"|活着[^，,。]{0,4}没(?:有)?(?:什么|啥)?(?:盼头|意[义思]|意思|乐趣|劲)"
    r"|(?:想|要|不如|让我|该)[^，,。]{0,4}结束(?:这一切(?!的)|自己(?:的?生命)?(?=[了吗。？?]|$))"
    r"|(?:我|想)[^，,。]{0,4}离开这个世界"
    r"|[我好]想(?:就此|永远|从此)?消失(?!的|在|一[阵段天周]|[几两])"
    r"|(?:不(?:想|要)|再也不|永远不)(?:再|要|会)?(?:醒|醒过来|醒来)(?!悟|酒)"
    r"|(?<!有)没有我[，,]?(?:[他她]|大家|家[人里]|世界|你们|孩子|父母).{0,6}(?:更好|轻松)"
    r"|(?:累赘|拖累)[^。]{0,8}(?:走了|不在了|消失|没了)[^。]{0,8}(?:轻松|更好|解脱|省心)"
)
_ENGLISH: Final = re.compile(
    r"suicid|kill(?:ing)? myself|end(?:ing)? my life|self[- ]?harm|end it all"
    r"|\bto kms\b|\b(?:wanna|gonna) kms\b|unalive myself|\b(?:hang|drown|shoot) myself\b(?! in)"
    r"|\b(?:i|to|i'll) overdose\b|slit my wrists?"
    r"|jump(?:ing)? off (?:a|the|this|that|my) (?:bridge|building|roof|cliff|balcony|ledge)"
    r"|take my (?:own )?life(?! (?:back|to|in|into|forward|seriously))|better off dead"
    r"|better (?:off )?if i (?:was|were) (?:dead|gone)|(?:could|want to"
    r"|wanna) (?:just )?die(?! for| laughing| of)"
    r"|giv(?:e|ing) up on (?:living|life)"
    r"|all (?:of )?(?:the|my) pills|whole bottle of pills|happier without me(?! (?:at|in|on)\b)"
    r"|done with life(?= *(?:$|[.?!,]))"
    r"|want it all to (?:stop|end)|can'?t live (?:any ?more|any longer|like this any ?more)"
    r"|wish i (?:was|were) dead"
    r"|life (?:is )?(?:isn't |not |no longer )worth living"
    r"|is (?:my )?life (?:still )?worth living|worth going on living"
    r"|tired of (?:living|being alive)$"
    r"|(?:reason|point) (?:to|in|of|for) (?:keep |go on |going on )?(?:live|living)(?= *(?:$"
    r"|[.?!,]|any))"
    r"|\bkeep living(?= *(?:$|[.?!,]))"
    r"|(?:everyone|everybody|the world|my (?:family|kids|children|parents|wife|husband))"
    r"(?: \w+){0,3} better off without me"
    r"|(?:miss|care|notice|happier|sorry|regret)\b.{0,12} if i (?:died|vanished|(?:was"
    r"|were) (?:gone|dead))"
    r"|don'?t want to (?:be alive|exist|live(?! (?:in|with|at|here|there|alone|like|on|near))"
    r"|wake up any ?more)"
    r"|don'?t want to be here any ?more(?= *(?:$|[.?!,;]))"
    r"|\bi can'?t go on(?: any ?more| any longer| living| like this)?(?= *(?:$|[.?!,;]))"
    r"|\bwant to disappear(?: for ?ever| for good)?(?= *(?:$|[.?!,]))|never wake up"
    r"|(?:hurt|cut|harm)(?:t?ing)? myself\b(?! (?:some |a bit of )?(?:slack|shaving))|want to die"
    # "Should I end it?", if no bond, job or contract is spoken of.
    r"|^(?!.*\b(?:him|her|boyfriend|girlfriend|husband|wife|partner|relationship|marriage|affair"
    r"|job|contract|lease|deal|game|project|friendship"
    r"|with)\b).*\b(?:should i|i want to|i'm going to|i'll)"
    r" (?:just )?end it\b",
    re.IGNORECASE,
)


# Beside the phrases above: an end of oneself and a word of despair or intent, in any order.
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
    r"\b(?:die(?! (?:for|of (?:boredom|laughter|embarrassment|shame|hunger))\b)|dying(?! to\b)"
    r"|death|be dead|live(?! (?:in|with|at|here|there|abroad|alone|together|on|near|by|music|show"
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
    if _CHINESE.search(folded) or _ENGLISH.search(folded) or has_roles_of_despair(folded):
        return True
    if (end := _END_EN.search(folded)) and _DESPAIR_EN.search(folded):
        return _OTHERS_EN.search(folded[: end.start()]) is None
    if re.search("梦[见到]", folded):
        return False
    return bool(_END.search(folded) and _DESPAIR.search(folded))
