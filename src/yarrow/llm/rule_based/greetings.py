"""What needs no tool: greetings, thanks, farewells, and trouble that the user tells of."""

import unicodedata
from typing import Final

from msgspec import Struct

from yarrow.language.self_harm import mentions_self_harm
from yarrow.llm.rule_based.patterns import compile_any


class GreetingIntent(Struct, frozen=True):
    pass


class ThanksIntent(Struct, frozen=True):
    pass


class FarewellIntent(Struct, frozen=True):
    pass


class NodIntent(Struct, frozen=True):
    """Nothing but an "ok", a laugh or an emoji."""


class InsultIntent(Struct, frozen=True):
    pass


class DistressIntent(Struct, frozen=True):
    """The user tells of grief, illness or fear: nothing for so small a model."""


class SelfHarmIntent(Struct, frozen=True):
    """The user speaks of harming themselves."""


Courtesy = (
    GreetingIntent
    | ThanksIntent
    | FarewellIntent
    | NodIntent
    | InsultIntent
    | DistressIntent
    | SelfHarmIntent
)


_GREETING: Final = compile_any(
    r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy|yo|sup|hiya)(?: there| yarrow| all| everyone| bro| man)?\W*$",
    r"^\W*(?:在吗|在嗎|在不在|有人吗|有人嗎|早|早啊|午安|哈罗|你好啊|您好啊)\W*$",
    r"^\W*(?:(?:hi|hello|hey)\W+)?(?:my name is|call me|you can call me) [\w'-]+(?: [\w'-]+)?\W*$",
    r"^\W*(?:你好|您好|嗨)?\W*(?:我叫|我的名字是|我的名字叫)[^\s，。,.？?了吗嗎吧几幾什车車]{1,4}\W*$",
    r"^\W*(?:please )?(?:just )?say (?:hello|hi)\b",
    r"^\W*(?:你好|您好|你们好|你們好|嗨|哈喽|哈囉|早上好|上午好|下午好|晚上好|早安|大家好)[呀啊吗嗎]?\W*$",
    r"(?:说|說|打)(?:一)?(?:声|聲|句|个|個)?(?:你好|招呼)",
)
_THANKS: Final = compile_any(
    r"^\W*(?:ok(?:ay)?,? |great,? |many )?(?:thanks?|thank you|thx|ty|cheers)(?:[\s,!.]+(?:a lot|a million|"
    r"so much|very much|again|all|everyone|there|yarrow|you|friend|mate|bro|man|dude|pal|buddy|"
    r"for (?:the |your |all |that |this |you )*(?:help|answers?|time|info|information|reply|work)|"
    r"for (?:that|this|everything|helping(?: me)?|asking|telling me)))*\W*$",
    r"^\W*(?:好的?[,， ]*)?(?:谢谢|謝謝|多谢|多謝|感谢|感謝|辛苦了|谢啦|謝啦|谢了|謝了|3q)"
    r"(?:大佬|老师|老師|兄弟|朋友|你们?|你們|您|大家|啦|了|哦|啊|呀|的|帮助|幫助|帮忙|幫忙|回答|解答|提醒)*\W*$",
)
_FAREWELL: Final = compile_any(
    r"^\W*(?:bye|goodbye|good ?bye|good night|see you|farewell)(?:[\s,!.]+(?:then|now|for now|all|"
    r"everyone|there|later|soon|again|around|tomorrow|next time|yarrow|friend|bye))*\W*$",
    r"^\W*(?:再见|再見|晚安|拜拜|回头见|回頭見)\W*$",
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
    r"\b(?:i|we) (?:lost|buried) (?:my|our|a)\b|\bbroke up with me\b|\bfuneral\b|\bi was fired\b",
    r"我.{0,4}(?<![不没沒别別])(?<!不[是再太会])(?<![没沒]有)(?<!不是很)"
    r"(?:难过|難過|伤心|傷心|孤独|孤獨|抑郁|抑鬱|绝望|絕望|害怕|焦虑|焦慮|崩溃|崩潰|心碎|失恋|失戀|失业|失業|"
    r"生病了|分手了)",
    rf"我.{{0,3}}{_CLOSE_ONES}.{{0,6}}(?:去世|过世|過世|(?<![先要就该該])走了|生病了|离开我|離開我|"
    r"(?<![饿餓累气氣笑烦煩困吓嚇忙热熱冷渴急])死了)",
)


def read_courtesy(
    line: str,
) -> GreetingIntent | ThanksIntent | FarewellIntent | NodIntent | InsultIntent | None:
    """The courtesy that is all a line says; None if it says more."""
    if _NOD.search(line) or _is_emoji(line):
        return NodIntent()
    if _INSULT.search(line):
        return InsultIntent()
    if _GREETING.search(line):
        return GreetingIntent()
    if _THANKS.search(line):
        return ThanksIntent()
    return FarewellIntent() if _FAREWELL.search(line) else None


def _is_emoji(line: str) -> bool:
    """Whether a line has pictures and no words, figures or question marks."""
    has_picture = any(unicodedata.category(sign) == "So" for sign in line)
    return has_picture and not any(sign.isalnum() or sign in "?？" for sign in line)


def read_self_harm(line: str) -> SelfHarmIntent | None:
    return SelfHarmIntent() if mentions_self_harm(line) else None


def read_distress(line: str) -> DistressIntent | None:
    return DistressIntent() if _SORROW.search(line) else None
