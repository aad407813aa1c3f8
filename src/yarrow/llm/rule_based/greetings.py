"""What needs no tool: greetings, thanks, farewells, and trouble that the user tells of."""

import re
import unicodedata
from enum import StrEnum
from typing import Final

from msgspec import Struct

from yarrow.language.despair_roles import read_despair_text
from yarrow.language.despair_signs import has_kinds_of_despair, has_signs_of_despair
from yarrow.language.script_folding import fold_question
from yarrow.language.self_harm import mentions_self_harm
from yarrow.llm.rule_based.patterns import compile_any


class Courtesy(StrEnum):
    """What a user says who wants no tool."""

    GREETING = "greeting"
    WELL_BEING = "well_being"
    """How are you?"""
    MEETING = "meeting"
    AFFECTION = "affection"
    JOKE = "joke"
    """The user asks for a joke."""
    THANKS = "thanks"
    FAREWELL = "farewell"
    NOD = "nod"
    """Nothing but an "ok", a laugh or an emoji."""
    INSULT = "insult"
    DISTRESS = "distress"
    """The user tells of grief, illness or fear."""
    ILLNESS = "illness"
    """The user tells of pain or an injury."""
    SELF_HARM = "self_harm"
    """The user speaks of harming themselves."""
    REMARK = "remark"
    """The user tells of themselves and asks for nothing."""


SERIOUS: Final = frozenset((Courtesy.DISTRESS, Courtesy.ILLNESS, Courtesy.SELF_HARM))


class CourtesyIntent(Struct, frozen=True):
    """All that a message says."""

    kind: Courtesy


_GREETING: Final = compile_any(
    r"^\W*(?:hi+|hel+o+|he+y+|good (?:morning|afternoon|evening)|morning|greetings|howdy|yo|hiya)(?:[ ,]+(?:there|yarrow|all|everyone|bro|man|friend))?\W*$",
    r"^\W*(?:(?:你好|您好|嗨)[啊呀]?\W*)?(?:在吗|在嗎|在不在|有人吗|有人嗎|早|早啊|午安|哈罗|你好啊|您好啊)\W*$",
    r"^\W*(?:(?:hi|hello|hey)\W+)?(?:my name is|call me|you can call me) (?!at\b|on\b|a\b|an\b|back\b|later\b|when\b|if\b|again\b)[^\W\d]+(?:[ '-][^\W\d]+)?\W*$",
    r"^\W*(?:你好|您好|嗨)?\W*(?:我叫|我的名字是|我的名字叫)[^\s，。,.？?了吗嗎吧几幾什车車]{1,4}\W*$",
    r"^\W*(?:please )?(?:just )?say (?:hello|hi)\b",
    r"^\W*(?:你好|您好|你们好|你們好|嗨|哈喽|哈囉|早上好|上午好|下午好|晚上好|早安|大家好)[呀啊]?\W*$",
    r"(?:说|說|打)(?:一)?(?:声|聲|句|个|個)?(?:你好|招呼)",
)
_WELL_BEING: Final = compile_any(
    r"^\W*(?:(?:hi|hello|hey)\W+)?(?:and )?(?:how(?: are|'re|re| r)? (?:you|u|ya)(?: doing| feeling| today| now)*"
    r"|how (?:do you do|have you been)|how(?:'s| is|s)? (?:it going|everything|life|your day|things|things going)(?: going| today)?"
    r"|how are things|what'?s up|wass?up|sup|(?:are )?you (?:ok|okay|good|alright|all right))\W*$",
    r"^\W*(?:(?:你好|您好|嗨)\W+)?(?:你|您)?(?:最近|今天|这几天|這幾天|近来|近來)?(?:还|還|过得|過得)?(?:好吗|好嗎|好不好|怎么样|怎麼樣|咋样|如何)[呀啊]?\W*$",
    r"^\W*(?:你|您)?(?:吃了吗|吃了嗎|吃饭了吗|吃飯了嗎|吃了没|在干嘛|在幹嘛|在干什么|在做什么|在做什麼|忙什么呢|忙吗)[呢呀啊]?\W*$",
)
_MEETING: Final = compile_any(
    r"^\W*(?:(?:hi|hello|hey)\W+)?(?:nice|pleased|good|glad|great) to (?:meet|see) (?:you|u)(?: too)?\W*$",
    r"^\W*(?:很高兴|很高興|幸会|幸會)(?:认识你|認識你|见到你|見到你|认识您|認識您)?\W*$",
)
_AFFECTION: Final = compile_any(
    r"^\W*(?:i (?:really |just )?(?:love|like|miss|adore) (?:you|u)|do you (?:love|like) me|(?:will|would) you marry me|"
    r"are you (?:single|in love)|you(?:'re| are) (?:so |very |really )?(?:great|nice|sweet|awesome|amazing|smart|"
    r"cool|cute|the best|kind|clever|helpful|funny|good))(?: (?:so much|a lot|too))?\W*$",
    r"^\W*(?:我(?:很|好)?(?:爱|愛|喜欢|喜歡|想)(?:你|您)|你(?:爱|愛|喜欢|喜歡)我(?:吗|嗎|么)|嫁给我|你(?:真|好|太)(?:棒|厉害|厲害|聪明|聰明|可爱|可愛|好|贴心|貼心))[啊呀吧了]?\W*$",
)
_JOKE: Final = compile_any(
    r"^\W*(?:please |can you |could you |do you )*(?:(?:tell|give|make|crack|know|got|have)(?: me| us)? )?"
    r"(?:a|an|any|another|one more|some)? ?(?:good |funny )?jokes?(?: please| for me)?\W*$",
    r"^\W*make me laugh\W*$",
    r"^\W*(?:请|請)?(?:再)?(?:给我|給我|帮我|幫我)?(?:讲|講|说|說|来|來)(?:一)?[个個]?(?:好笑的)?笑话[吧听聽给我給]*\W*$",
    r"^\W*(?:请|請)?(?:再)?(?:给我|給我|幫我)?(?:講|說|來)(?:一)?個?(?:好笑的)?笑話[吧聽給我]*\W*$",
)
_THANKS: Final = compile_any(
    r"^\W*(?:ok(?:ay)?,? |great,? |many )?(?:thanks?|thank (?:you|u)|thx|ty|cheers)(?:[\s,!.]+(?:a lot|a million|"
    r"so much|very much|again|all|everyone|there|yarrow|you|friend|mate|bro|man|dude|pal|buddy|"
    r"for (?:the |your |all |that |this |you )*(?:help|answers?|time|info|information|reply|work)|"
    r"for (?:that|this|everything|helping(?: me)?|asking|telling me)))*\W*$",
    r"^\W*(?:好的?[,， ]*)?(?:谢谢|謝謝|多谢|多謝|感谢|感謝|辛苦了|谢啦|謝啦|谢了|謝了|3q)"
    r"(?:大佬|大师|大師|哈|老师|老師|兄弟|朋友|你们?|你們|您|大家|啦|了|哦|啊|呀|的|帮助|幫助|帮忙|幫忙|回答|解答|提醒)*\W*$",
)
_FAREWELL: Final = compile_any(
    r"^\W*(?:bye|goodbye|good ?bye|good night|see you|farewell)(?:[\s,!.]+(?:then|now|for now|all|"
    r"everyone|there|later|soon|again|around|tomorrow|next time|yarrow|friend|bye))*\W*$",
    r"^\W*(?:再见|再見|晚安|拜拜|拜|回头见|回頭見|明天见|明天見|下次见|下次見)[啦了喽哦]?\W*$",
)

_NOD: Final = compile_any(
    r"^\W*(?:ok(?:ay)?|k|kk|fine|great|cool|nice|good|got it|i see|sure|alright|all right|right|yes|yep|yeah|no|nope|"
    r"lol|haha(?:ha)*|hehe|wow|hm+|never ?mind|perfect|awesome)(?:[\s,!.]+(?:then|cool|thanks|great|good|got it))*\W*$",
    r"^\W*(?:好的?|好吧|好呀|好啊|嗯+|哦+|噢|行|可以|知道了|明白了?|明白|收到|了解|对|對|是的|不是|没事|沒事|没什么|算了|"
    r"哈+|呵呵|嘿嘿|哇|厉害|不错|太好了|很好|真棒)[了呀啊哦吧的]?\W*$",
)
_INSULT: Final = compile_any(
    r"^\W*(?:you(?:'re| are| r)?|u r|ur) (?:so |very |really |just |a |an |such a |fucking )*(?:stupid|dumb|useless|idiot|"
    r"moron|trash|garbage|bad|terrible|awful|worthless|bot)\W*$",
    r"^\W*(?:fuck|screw) (?:you|off|u)\W*$|^\W*shut up\W*$|^\W*(?:stupid|dumb|useless|idiot)(?: bot| ai| machine)?\W*$",
    r"^\W*你(?:真|好|太|是个|是個|就是|这个|這個)*(?:笨蛋?|蠢|傻|垃圾|没用|沒用|废物|廢物|白痴|智障|弱智|差劲|烂)[啊了吧的]?\W*$",
    r"^\W*(?:(?:no,? )?(?:that|this|it|you)(?:'s| is|'re| are| was) (?:so |totally |completely |just )?(?:wrong|incorrect|not right|useless|nonsense|not helpful"
    r"|unhelpful|not what i asked)|i hate (?:you|this)|you (?:didn't|did not|don't) (?:answer|understand)(?: me| my question)?|wrong(?: answer)?)\W*$",
    r"^\W*(?:不对|不對|错了|錯了|你(?:说|說|答|算)?错了|你(?:說|答|算)?錯了|答非所问|答非所問|没用的东西|沒用的東西|没用|沒用|听不懂人话|胡说八道|胡說八道|乱说|瞎说)[啊吧呀了的]?\W*$",
    r"^\W*(?:滚|滾|闭嘴|閉嘴|垃圾|废物|廢物|傻逼|笨蛋)[吧开開]?\W*$",
)

_NOT_DENIED = r"(?:(?!\b(?:not|never|no longer|hardly)\b|n't\b|\bwithout\b).)"
_CLOSE_ONES = (
    r"(?:爸|妈|媽|父亲|父親|母亲|母親|爷爷|爺爺|奶奶|外公|外婆|姥|哥|姐|弟|妹|儿子|兒子|女儿|女兒|孩子|丈夫|妻子|"
    r"老公|老婆|爱人|愛人|男友|女友|朋友|家人|亲人|親人|狗|猫|貓|宠物|寵物)"
)
_SORROW: Final = compile_any(
    rf"\b(?:i|i'm|im|we are|(?<!n't )(?<!not )feel(?:ing)?)\b{_NOT_DENIED}{{0,16}}\b(?:sad|lonely|alone|depressed|"
    r"hopeless|heartbroken|miserable|scared|afraid(?! (?:so|not|i|that|you))|anxious|worried|"
    r"sick(?! of)|ill|unhappy|grieving|crying|awful|terrible|desperate|stressed|upset)\b",
    rf"\bmy\b{_NOT_DENIED}{{0,24}}\b(?:died|is dead|passed away|is dying|is sick|is ill|left me|"
    r"broke up|has cancer)\b",
    r"\b(?:nobody|no one) (?:loves|likes|cares|needs)\b|没人(?:爱|喜欢|在乎|关心)我|沒人(?:愛|喜歡|在乎|關心)我",
    r"\b(?:i|we) (?:lost|buried) (?:my|our|a)\b|\bbroke up with me\b|\bfuneral\b|\bi was fired\b",
    r"我.{0,4}(?<![不没沒别別])(?<!不[是再太会])(?<![没沒]有)(?<!不是很)"
    r"(?:难过|難過|伤心|傷心|孤独|孤獨|抑郁|抑鬱|绝望|絕望|害怕|焦虑|焦慮|崩溃|崩潰|心碎|失恋|失戀|失业|失業|"
    r"生病了|分手了)",
    rf"我.{{0,3}}{_CLOSE_ONES}.{{0,6}}(?:去世|过世|過世|(?<![先要就该該])走了|生病了|离开我|離開我|"
    r"(?<![饿餓累气氣笑烦煩困吓嚇忙热熱冷渴急])死了)",
)


_LIGHT: Final = (
    (_INSULT, Courtesy.INSULT),
    (_GREETING, Courtesy.GREETING),
    (_WELL_BEING, Courtesy.WELL_BEING),
    (_MEETING, Courtesy.MEETING),
    (_AFFECTION, Courtesy.AFFECTION),
    (_JOKE, Courtesy.JOKE),
    (_THANKS, Courtesy.THANKS),
    (_FAREWELL, Courtesy.FAREWELL),
)


def read_courtesy(line: str) -> CourtesyIntent | None:
    """The courtesy that is all a line says; None if it says more."""
    if _NOD.search(line) or _is_emoji(line):
        return CourtesyIntent(Courtesy.NOD)
    kinds = (kind for pattern, kind in _LIGHT if pattern.search(line))
    kind = next(kinds, None)
    return CourtesyIntent(kind) if kind else None


def _is_emoji(line: str) -> bool:
    """Whether a line has pictures and no words, figures or question marks."""
    has_picture = any(unicodedata.category(sign) == "So" for sign in line)
    return has_picture and not any(sign.isalnum() or sign in "?？" for sign in line)


def read_self_harm(line: str) -> CourtesyIntent | None:
    return CourtesyIntent(Courtesy.SELF_HARM) if mentions_self_harm(line) else None


_ILLNESS: Final = compile_any(
    rf"\b(?:i|i'm|i've|im|my)\b{_NOT_DENIED}{{0,24}}\b(?:pains?|ache|aches|aching|hurts?|hurting|bleed(?:s|ing)?|fever|"
    r"dizzy|faint(?:ed|ing)?|vomit\w*|throwing up|broken (?:arm|leg|rib|bone)|breathless|can't breathe|chok\w+|"
    r"numb|seizure|stroke|overdose\w*|poisoned|burn(?:ed|t) my|headache|toothache|stomachache)\b",
    r"我.{0,6}(?<![不没沒心])(?:痛(?!快|苦|恨)|疼(?!爱|愛)|发烧|發燒|流血|出血|头晕|頭暈|晕倒|暈倒|呕吐|嘔吐|骨折|抽搐|喘不过气|喘不過氣|"
    r"呼吸困难|呼吸困難|中毒)",
)


def read_distress(line: str) -> CourtesyIntent | None:
    if _ILLNESS.search(line):
        return CourtesyIntent(Courtesy.ILLNESS)
    if _hints_at_despair(line):
        return CourtesyIntent(Courtesy.SELF_HARM)
    return CourtesyIntent(Courtesy.DISTRESS) if _SORROW.search(line) else None


_OF_ONESELF: Final = compile_any(
    r"\b(?:i|i'm|i've|i'd|im|me|my|myself)\b", r"我|俺|自己|^\W*好?[想要]"
)


# What dies or is dead without anybody's death.
_LIFELESS: Final = compile_any(
    r"\b(?:process|thread|server|phone|battery|laptop|computer|router|screen|car|link|game|character|"
    r"plants?|hair|code|session|connection)\b"
)


def _hints_at_despair(line: str) -> bool:
    """Whether a line that asks for nothing known has signs of despair; help is never a wrong answer."""
    folded = read_despair_text(fold_question(line).replace("’", "'"))
    is_own = _OF_ONESELF.search(folded) is not None
    if has_kinds_of_despair(folded):
        return True
    return is_own and has_signs_of_despair(folded) and not _LIFELESS.search(folded)


_MAX_REMARK_WORDS = 40
_MAX_REMARK_SIGNS = 40
_PERSONAL: Final = re.compile(
    r"^\W*(?:(?:well|oh|so|yes|no|and|but|hi|hello|hey|ok|okay|today|yesterday|wow)[,!. ]+)*"
    r"(?:i|i'm|i've|i'd|i'll|im|my|we|we're|we've|our)\b(?!.*\?)",
    re.IGNORECASE,
)
_ASKS_MORE: Final = re.compile(
    r"\d|https?:|[{}<>\\`|]|\b(?:you|u|you're|your|yours|yourself|want|need|would like|i'd like|wonder\w*|"
    r"please|translate|write|code|program|explain|calculate|convert|tell|show|give|find|remember|"
    r"recommend|should|what|who|how|when|where|which|whether)\b",
    re.IGNORECASE,
)
_PERSONAL_CHINESE: Final = re.compile(r"^\W*(?:今天|昨天|刚才|剛才)?(?:我|我们|我們)(?!想|要|需要)")
_ASKS_MORE_CHINESE: Final = re.compile(
    r"[\d?？你您吗嗎呢吧谁誰哪几幾怎]|什么|什麼|如何|多少|为何|為何|是否|帮|幫|请|請|翻译|翻譯|记住|記住|提醒|告诉|告訴"
    r"|能不能|可不可以|会不会|會不會|该|該"
)


def read_remark(line: str) -> CourtesyIntent | None:
    """What users tell of themselves, if it is short and asks for nothing."""
    is_english = len(line.split()) <= _MAX_REMARK_WORDS and _PERSONAL.search(line)
    is_chinese = len(line) <= _MAX_REMARK_SIGNS and _PERSONAL_CHINESE.search(line)
    asks = (is_english and _ASKS_MORE.search(line)) or _ASKS_MORE_CHINESE.search(line)
    return CourtesyIntent(Courtesy.REMARK) if (is_english or is_chinese) and not asks else None
