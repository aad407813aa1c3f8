"""Questions about how long somebody lives, or whether they do: no verdict is drawn on them."""

import re
from functools import cache
from typing import Final

from yarrow.liuyao.reading.fiction import is_fiction

_KIN_ZH: Final = (
    r"(?:[爷奶婆姥爸妈父母叔伯姨舅姑嫲嬷嬤]|[外老阿]公|兄弟|[哥姐弟妹]|老[人伴]|病人|丈夫|爱人"
    r"|妻子|儿子|女儿|孩子|[狗猫]"
    r"|[他她佢])"
)
# Who is spoken of as close to death; the others are on their way.
_OLD_ZH: Final = r"(?:[爷奶]{1,2}|[外姥太][公婆姥爷]{1,2}|老人家?|老爷子|老太太|阿嫲)"
_KIN_EN: Final = (
    r"(?:he|she|my (?:\w+ )?(?:father|mother|dad|mum|mom|grand\w+|husband|wife|son|daughter"
    r"|brother|sister|baby|child|uncle|aunt|dog|cat)|(?:the|our) (?:\w+ )?(?:baby|kitten|puppy"
    r"|dog|cat)|mum|mom|dad"
    r"|grand(?:ma|pa|mother|father)|granny)"
)
_KIN: Final = re.compile(rf"{_KIN_ZH}|\b{_KIN_EN}\b", re.IGNORECASE)
_LIFESPAN: Final = re.compile(
    r"寿命|寿元|阳寿|寿[数限]|短命|长寿(?![面区花路桥县湖])|还能活"
    r"|活(?:[得不](?:久|长|[过到]|了多)|多久|多长|几年)"
    r"|活到(?:几|多少|多大|什么时候|何时|[\d一二三四五六七八九十百])"
    r"|会死(?![机心锁板])|(?:何时|什么时候|几时|哪[年天])[^，,。]{0,2}死(?![心机])"
    r"|死期(?!存)|(?<![生干快灵鲜])活(?:下来|过(?![得的])|不下来|得下来)|(?:[爷奶婆姥爸妈叔伯姨舅姑]|弟"
    r"|哥|姐|妹|[他她])[^，,。]{0,6}抢救|保温箱"
    rf"|{_KIN_ZH}[^，,。]{{0,10}}(?:[能会]活(?=$|[吗？?])|救(?:得|不)?(?:过来|回来|活))"
    rf"|(?:住院|病|癌|抢救)[^。]{{0,12}}(?:就这么|会不会|是不是要?)走了?(?=$|[吗了？?])|(?:肿瘤"
    rf"|癌|恶性|病)[^。]{{0,10}}多少(?:时间|日子)"
    rf"|{_KIN_ZH}[^，,。]{{0,4}}(?:还能|能)?(?:见到|等到|看到)[^，,。]{{0,4}}(?:春节|过年|明年"
    rf"|孙子|婚礼|出生)|这(?:个|一)?坎"
    r"|死期(?!存)|(?:去世|过世|离世)(?!后|之后|以后|了|的|[几多\d一二三两半])|临终"
    r"|大限(?![价额量度制])|(?<![使任革拼])命[^，,。]{0,2}(?:保得|保不|不保|还?有多[长久])|百岁"
    r"|活路|办?后事"
    r"|几岁[^，,。]{0,2}死|病[^，,。]{0,4}要命|(?:癌|绝症|晚期)[^。]{0,8}(?:还剩|多久|几[年月天])"
    r"|时日无多|生命危险|病危|抢救[得不]?过来"
    rf"|(?:我|{_KIN_ZH})[^，,。]{{0,2}}还[剩有]多少(?:时间|日子)(?=[了吗？?。]|$)"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}(?:只|还|就)剩[^，,。]{{0,4}}(?:[年月天]|星期|多久|日子)(?!考|交"
    rf"|毕业|到期)"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}还能陪(?:我们?|孩子|家人)?[^，,。]{{0,2}}(?:几|多久|多少)"
    rf"|(?:{_KIN_ZH}|病)[^，,。关感婚]{{0,6}}(?:[还能]{{1,2}}拖多久|[有没冇]得?救)|晚期.{{0,6}}救"
    rf"|{_KIN_ZH}[^，,。]{{0,2}}会(?:不会)?没了(?=$|[吗？?])"
    rf"|{_OLD_ZH}[^，,。]{{0,2}}(?:是不是[要快]|快要?)走了"
    rf"|还有几?多?[年个]?.{{0,2}}[可好]活"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}(?:快不行了|离开我们(?=$|[了吗？?])|撑[几多])|猝死|丧事"
    r"|活着看见?到|(?<![累忙热饿烦笑困气得])快要?死(?!机)"
    r"|(?:ICU|重症监护室?|昏迷|植物人)(?!护士|实习|上班|工作|医生|专科)[^，,。]*(?:醒|出来|活|挺"
    r"|熬|过来)"
    rf"|{_KIN_ZH}[^，,。]{{0,6}}[熬撑挺][得不]?到(?:过年|明年|年底|[春夏秋冬]|生日|婚礼"
    rf"|[^，,。]{{0,6}}出生)"
    rf"|{_KIN_ZH}(?:(?!公司|项目|生意|店)[^，,。]){{0,8}}(?:[熬撑挺][得不]?过(?!更年|青春)"
    rf"|过[得不]了[今这])"
    r"(?![^，,。]*(?:公司|试用|考|项目|[裁面][员试]|比赛|生意))"
    r"|安乐死|拔管|放弃治疗(?![^，,。]{0,3}[痘斑痣])|放弃抢救"
    r"|how long .{0,20}live(?! (?:in|at|with|here|there))|life expectancy"
    r"|(?:will|going to) .{0,20}die\b(?! of (?:boredom|laughter|shame|embarrassment|hunger))"
    r"|pass away|euthan\w+|put (?:him|her|it|my \w+) (?:down|to sleep)|life support"
    r"|\blive to (?:be|see|a hundred|\d+)\b|\bhow old will .{0,20}(?:get|become|live)\b"
    rf"|\bleft to live\b"
    rf"|\bhow (?:long|much longer) (?:do|does|has) (?:i|{_KIN_EN}) (?:have|got)\b(?= *(?:$"
    rf"|[.?!,])| left *(?:$|[.?!,])| (?:left )?to live)"
    rf"|\b(?:does|do) {_KIN_EN} have long\b|\bsay goodbye to {_KIN_EN}(?=$|[?.!])|\b(?:baby"
    rf"|twins?|puppy|kitten) live(?=$|[?.!])"
    rf"|\bwill {_KIN_EN} live (?:another|past|through|for|till|until)\b"
    rf"|(?:going to|about to) pass(?: soon| away)?(?=$|[?.!])"
    r"|\b(?:cancer|illness|disease|tumou?r|virus)\b.{0,12}\bkill (?:me|him|her|my)\b"
    rf"|\b(?:am i|is {_KIN_EN}) dying\b(?! to\b)|\bmy time (?:come|up)\b"
    rf"|\bwill {_KIN_EN} live(?=$|[?.!])"
    r"|\b(?:grand(?:ma|pa|mother|father)|granny|mother|father|mum|mom|dad) (?:going to )?make it"
    r"(?=$|[?.!])|\bwake up from (?:the|a|this|his|her) coma\b"
    rf"|\bhow (?:much|many) (?:\w+ )?(?:time|years|months|weeks|days) (?:do|does|has) (?:i"
    rf"|{_KIN_EN}) "
    r"(?:have |got )?left\b(?! (?:to|on|in|until|before|at)\b)"
    rf"|\b{_KIN_EN} (?:ever |going to )?(?:survive|pull through|make it through)\b"
    r"(?! .{0,20}\b(?:year|term|semester|college|school|course|probation|exams?|interview|job"
    r"|season)\b)"
    r"|\bsurvive (?:\w+ ){0,2}(?:surgery|operation|cancer|illness|disease|stroke|heart attack"
    r"|accident)\b",
    re.IGNORECASE,
)
# What "dies" or "lives" without being a life that is feared for.
_NOT_A_LIFE: Final = re.compile(
    r"公司|店|书|会畅销|分公司|合同|起跑|[去过离]世的|已故|谈判|蚊|苍蝇|兼职|这?单|活儿|青春痘|痘"
    r"|谣言|企业|品牌|生意|项目|[股币盘]|花|硬盘|数据|树|草|植物|手机|电脑|电池|车(?![祸撞])"
    r"|账号|面试|考试|游戏"
    r"|感情|婚姻|关系"
    r"|\b(?:rumou?r|starter|card|deal|party|error|file|server|internet|wifi|hair|phone|battery"
    r"|car|laptop|computer|plant|tree|flower|business|shop|compan(?:y|ies)"
    r"|startup"
    r"|job|market|stock|relationship|marriage|love|hope|project|series|game|conversation)s?\b",
    re.IGNORECASE,
)

_ILL_ZH: Final = (
    r"(?:病|癌|瘤|晚期|ICU|重症|昏迷|抢救|车祸|溺水|落水|地震|被埋|战场|打仗|前线|中风|脑梗|心梗"
    r"|失踪"
    r"|喘不|不吃不喝|手术|透析|呼吸机|气若游丝|卧床|失联|坠机|空难|海难|矿难|火灾)"
)
_DEATH: Final = (
    rf"{_KIN_ZH}[^，,。]{{0,6}}(?:什么时候|啥时候|几时|何时|啥时|哪天|(?:今年|这个月|今晚"
    r"|这次)(?:会不会|是不是要?))(?:会|能|要)?(?:走|没)(?=[了啊呢吗]*(?:[？?。！!]*$))",
    r"蹬腿|驾鹤|归西|归天|升天(?!火箭)|咽气|断气|过身|往生(?!堂|咒)|圆寂|殉职|牺牲在|早逝|早夭"
    r"|夭折|早死(?!早)|英年|短寿|寿终|油尽灯枯|弥留|回光返照"
    r"|回(?:喵|汪|狗|猫)星|彩虹桥(?!公园|景)|入土(?!为安墓)|阴阳相隔|天人永隔|白发人送黑发人"
    r"|一命呜呼|(?<!堵)死在(?:外|手术|病|路上)",
    r"谁(?:会)?先(?:走|死|去世|离世)(?!一步棋|[过到])|先我而去|走在[^，,。]{0,3}前头|活到(?!老学"
    r"|现在|今天|这)|(?:活|命)不过|活得过",
    rf"{_KIN_ZH}[^，,。]{{0,4}}(?:没几天|没多少[天日时]|没有?明年|有没有明年|时间不多|日子不多"
    r"|见最后一面|快没了)(?!考|放|开|毕)",
    r"还活着|(?:活着|活)(?:回来|出来|走出|见到)|(?:还)?在(?:不在)?(?:人世|世上)(?=$|[吗了没？?])"
    r"|还在世|生还|遇难|遇害|凶多吉少",
    r"(?<![使任革拼救续要玩])命(?!运|题|令)[^，,。]{0,5}(?:保得|保不|不保|保住|捡回|能留)|(?:保住"
    r"|捡回|救回)[^，,。]{0,3}(?:一条|性|小|老)?命",
    rf"{_KIN_ZH}[^，,。]{{0,8}}(?:能不能|能|可以|会|还|来得及|赶得上){{1,2}}(?:吃上|喝上|等到"
    r"|赶上|看到|见到|抱上|抱到)[^，,。]{0,6}"
    r"(?:年夜饭|春节|过年|明年|重孙|孙子|孙女|婚礼|喜酒|出生|八十|九十|大寿)",
    rf"{_ILL_ZH}[^。]{{0,10}}[熬撑挺扛拖][得不]?(?:到|过|过去|住|多久|下去)"
    rf"|{_ILL_ZH}[^。]{{0,8}}(?:有没有救|[能会]不?[能会]?醒|能?救回|还有救|有救吗|救得|还能回来"
    r"|活着|凶多)",
    rf"{_KIN_ZH}[^。]{{0,12}}(?:今晚|今天|这两天|这几天|这周|这个月"
    r"|今年)[^，,。]{0,3}[熬撑挺扛][得不]?(?:过|到|住)(?!试用|考|面试|年底奖)",
    rf"{_KIN_ZH}[^，,。]{{0,6}}(?:这口气|睁眼|睁开眼|闭眼(?!睛)|[捱熬撑挺扛]得?(?:几耐|多久|几多"
    rf"|住(?=$|[吗？?])|过今晚))|{_KIN_ZH}[^。]{{0,8}}还?能陪(?:我|我们|孩子)?[到过]"
    r"|抢救室|死劫|丧命|命丧|保得住命|死于|养得活|走的那[天一](?!亲)|(?:怎么|如何)死(?=$"
    rf"|[吗的？?])|(?:{_KIN_ZH}|[鼠鸟鱼兔龟])[^。]{{0,6}}(?:是不是|是)死了(?=$|吗|[？?])"
    r"|烧得[^。]{0,8}挺",
    r"医生说[^，,。]{0,6}(?:只|还|最多)[有剩][^，,。]{0,4}(?:[天月年周]|星期)"
    rf"|{_OLD_ZH}[^，,。]{{0,4}}能?过去(?=$|[吗？?])|保住[^。]{{0,6}}心跳"
    r"|心跳[^。]{0,8}保[得不]?住"
    rf"|准备后事|料理后事|{_KIN_ZH}[^，,。]{{0,6}}(?:阎王|黄泉|阴间报到)",
    # English.
    r"\bhow long have (?:i|we) got(?= *(?:$|[?.!]))"
    r"|\blive (?:much |a lot |any )?longer(?= *(?:$|[?.!]))",
    r"\bwill (?:the|my|our|her) (?:\w+ )?baby make it(?= *(?:$|[.?!]))|\bdeath's door\b"
    rf"|\bbirthdays (?:does|do|has|have) {_KIN_EN}|\bhospice\b|\bwill (?:i"
    rf"|{_KIN_EN}) (?:live to )?(?:see|reach|turn) (?:the age of )?\d+\b(?! (?:degrees|people|f\b"
    r"|c\b|points|dollars|percent))"
    r"|\b(?:when's|when is|date of) (?:my|his|her) death\b|\brainbow bridge\b(?! (?:park|open"
    r"|closed))|\bheart stop\b(?! racing)|\bis (?:this|it|the|my|his|her)(?: \w+)? fatal(?= *(?:$"
    r"|[.?!]))"
    rf"|\bdid {_KIN_EN} die\b",
    r"\bkick(?:s|ing)? the bucket\b|\boutlive (?:me|him|her|us|my (?:wife|husband|parents|father"
    r"|mother|children|kids|son|daughter|brother|sister))\b"
    r"|\bdeath ?bed\b|\bdie young\b|\bdeath date\b|\bhow (?:will|do|am) i (?:going to )?die\b"
    r"|\blive past\b|\blast breath\b|\bhow (?:many years|long) (?:will"
    r"|am) i (?:going to )?live\b(?! (?:in|with|at|here))|\bdays (?:are )?numbered\b",
    rf"\b(?:when|how soon) (?:will|is) {_KIN_EN} (?:going to )?(?:be gone|go|pass(?: on)?"
    r"|leave us)(?= *(?:$|[?.!]))"
    r"|\bwhen will i (?:pass on|pass|be gone)(?= *(?:$|[?.!]))|\bpass(?:ing)? on(?= *(?:$|[?.!]))",
    r"\banother (?:christmas|birthday|summer|winter|spring|year|easter) in (?:him|her"
    rf"|{_KIN_EN})\b|\b(?:see|make it to|make) (?:\w+ ){{0,2}}(?:christmas|easter)(?= *(?:$"
    r"|[?.!]))",
    r"\b(?:will|are|am|do) (?:i|we) (?:going to )?(?:lose|losing) (?:him|her|my |our )?(?:mum|mom"
    r"|dad|grand\w+|father|mother|brother|sister|husband|wife|baby|son|daughter|dog|cat)\b(?!'s)"
    r"|\b(?:lose|losing) (?:him|her) (?:this|soon|tonight|to (?:cancer|the disease|this))",
    r"\b(?:still|be|come back|found|get out|back|home) alive\b(?! and kicking with)"
    r"|\balive or dead\b|\bdead or alive\b(?! (?:game|movie))",
    r"\bis (?:it|this|the \w+|(?:his|her|my) \w+) terminal(?= *(?:$|[?.!]))|\bhow (?:much"
    r"|many) (?:more )?(?:time|days|weeks|months|years) (?:has|have) "
    rf"(?:i|{_KIN_EN}) (?:still )?(?:got left|left|got)(?= *(?:$|[?.!]))|\b(?:time|days|weeks"
    rf"|months|years) (?:has|have|does|do) (?:i|{_KIN_EN}) (?:still )?(?:got"
    r"|have)(?: left)?(?= *(?:$|[?.!]))",
)  # fmt: skip


@cache
def _compile_deaths() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in _DEATH), re.IGNORECASE)


def asks_lifespan(question: str) -> bool:
    """Whether the length of a life is asked for, and not that of a shop or a phone, or a dream."""
    return not is_fiction(question) and any(
        _is_of_a_life(question, match)
        for words in (_LIFESPAN, _compile_deaths())
        for match in words.finditer(question)
    )


def _is_of_a_life(question: str, match: re.Match[str]) -> bool:
    """Whether whoever stands nearest before the words in their clause is a person or an animal."""
    clause = re.split(r"[，,。；;]", question[: match.start()])[-1] + match[0]
    things = [found.start() for found in _NOT_A_LIFE.finditer(clause)]
    lives = [found.start() for found in _KIN.finditer(clause)]
    return not things or max(lives, default=-1) > max(things)


def names_thing(question: str) -> bool:
    """Whether something is named that "dies" without having a life that is feared for."""
    return _NOT_A_LIFE.search(question) is not None


def names_life(question: str) -> bool:
    """Whether a person or an animal besides the asker is named."""
    return _KIN.search(question) is not None
