"""What a follow-up question wants to know of a board that was read before."""

import re
from datetime import date
from enum import Enum, auto
from typing import Final

from yarrow.liuyao.reading.own_acts import remove_asking_not
from yarrow.liuyao.reading.period import find_period


class FollowUpKind(Enum):
    """Each kind is answered from another part of the board."""

    THANKS = auto()
    WHY = auto()
    OBSTACLE = auto()
    HELP = auto()
    IF_NOT = auto()
    IF_FAILS = auto()
    """If it does not come about: what is not up to the asker (`own_acts`)."""
    WHEN = auto()
    BAD_TIME = auto()
    PERIOD = auto()
    OTHER_SIDE = auto()
    WHERE = auto()
    TAKEN_BY = auto()
    ADVICE = auto()
    SURE = auto()
    BEYOND = auto()
    """Who exactly, how many, what somebody looks like: no board tells it."""
    TOPIC = auto()
    OPEN = auto()


_THANKS: Final = re.compile(
    r"(?:好的?|嗯+|哦+|行|可以|明白了?|知道了?|了解了?|懂了|收到|ok(?:ay)?|great|good|got it|"
    r"i see|非常|太|很|真的?"
    r"|[，,。.!！~～、\s])*"
    r"(?:(?:谢谢|謝謝|多谢|多謝|感谢|感謝|谢啦|謝啦|谢了|謝了|辛苦|劳驾|勞駕|3q|thx|thanks?|"
    r"thank you|much appreciated|cheers)"
    r"(?:你|您|了|啦|大师|大師|师傅|師傅|师父|師父|道长|道長|老师|老師|先生|"
    r"指点|指點|解答|解惑|[ ,]|very much|so much|a lot|"
    r"for (?:the|your|this|that|everything)(?: \w+)?)*"
    r"|明白了?|知道了?|了解了?|懂了|收到|got it|i see|再见|再見|拜拜|bye|goodbye)"
    r"[\s，,。.!！~～、谢謝]*(?:再见|再見|拜拜|bye)?[\s。.!！~～]*",
    re.IGNORECASE,
)

_KINDS: Final[tuple[tuple[FollowUpKind, re.Pattern[str]], ...]] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            FollowUpKind.BAD_TIME,
            r"(?:哪|几|幾|什么时|什麼時|啥时|啥時|何)(?:[一个個]|时|時|候|天|日|月|年|段时间|"
            r"段時間)*.{0,4}(?:破财|破財|小心|留心|当心|當心|"
            r"注意|不利|不好|不顺|不順|最差|最坏|最壞|倒霉|倒楣|出事|危险|危險|避开|避開|避免)"
            r"|\b(?:when|which (?:day|week|month|year)s?)\b.{0,24}\b(?:careful|cautious|bad|"
            r"worse|worst|avoid|unlucky|"
            r"dangerous|risky)\b",
        ),
        (
            FollowUpKind.OBSTACLE,
            r"阻|妨碍|妨礙|作梗|小人|障碍|障礙|绊|絆|挡|擋|拖后腿|拖後腿|卡在|问题出在|問題出在|"
            r"不利的?是|坏在|壞在|难在|難在|谁.{0,4}(?:害|反对|反對|捣乱|搗亂)|竞争|競爭|风险|"
            r"風險|提防|危险|危險|凶险|凶險|安全吗|安全嗎|小心什么|小心什麼|注意什么|注意什麼|"
            r"要注意|需要注意"
            r"|obstacle|in (?:the|my) way|hinder|against me|block|watch out|risk|danger|"
            r"is (?:it|he|she|this) (?:safe|ok|okay|all right)|rival|what.{0,12}wrong",
        ),
        (
            FollowUpKind.HELP,
            r"贵人|貴人|帮我|幫我|帮忙|幫忙|谁能帮|誰能幫|谁.{0,3}帮|誰.{0,3}幫|帮助|幫助|助力|"
            r"有利|借力|靠谁|靠誰|找谁|找誰|依靠|支持我|有没有人|有沒有人"
            r"|who can help|help me|what helps|support|in my favou?r|lean on|rely on",
        ),
        (
            FollowUpKind.TAKEN_BY,
            r"[谁誰].{0,4}(?:拿|偷|捡|撿)|[拿偷捡撿](?:了|走了?|去了?|的)[吗嗎么麼没沒]|"
            r"(?:被人?|有人)(?:偷|拿|捡|撿)|who (?:took|stole|has it)"
            r"|was it stolen|\bdid (?:\w+ ){1,3}(?:take|steal) (?:it|them|my)\b",
        ),
        (
            FollowUpKind.OTHER_SIDE,
            r"(?:对手|對手|房东|房東|房客|中介|仲介|卖家|賣家|买家|買家|甲方|原告|被告|合伙人|"
            r"合夥人).{0,8}(?:怎么样|怎麼樣|怎样|怎樣|如何|"
            r"可靠|可信|靠谱|靠譜|厉害|厲害|实力|實力|强|強|态度|態度)|(?:对方|"
            r"對方).{0,4}(?:上诉|上訴|反悔|让步|讓步|放弃|放棄)"
            r"|(?:对方|對方|他|她)(?:为什么|為什麼|为何|為何|怎么样|怎麼樣|怎样|怎樣|如何|情况|"
            r"情況|实力|實力)",
        ),
        (
            FollowUpKind.WHY,
            r"为什么|為什麼|为何|為何|为啥|為啥|凭什么|憑什麼|怎么会|怎麼會|怎么看出|怎麼看出|"
            r"怎么得出|怎麼得出|依据|依據|根据什么|根據什麼|理由|原因|道理|怎么断|怎麼斷|"
            r"解释一下|解釋一下|什么意思|什麼意思"
            r"|\bwhy\b|how come|reason|explain|what does .{0,30}mean|based on what",
        ),
        (
            FollowUpKind.ADVICE,
            r"(?:找不到|拒签|拒簽|考不上|没考上|沒考上|没过|沒過|过不了|過不了|输了|輸了|失败|失敗|被拒|"
            r"不成功|卖不掉|"
            r"賣不掉|还不了|還不了|被[裁辞辭开開解告抓骗騙]|离婚|離婚|分手|复发|復發|成真|发生|"
            r"發生).{0,6}(?:呢|怎么|怎麼|咋办)"
            r"|what if (?:it|i|we|he|she|they) (?:fails?|is (?:lost|refused))",
        ),
        (
            FollowUpKind.IF_NOT,
            r"(?:如果|要是|假如|若是?|万一|萬一|倘若)?.{0,6}(?:不|别|別|没|沒|放弃|放棄|"
            r"留下).{0,8}(?:呢|会怎么?样?|會怎麼?樣?|怎么样|怎麼樣|如何|行吗|行嗎|"
            r"好不好)[？?。]*$"
            r"|(?:如果|要是|假如|若|万一|萬一)我?(?:不|别|別|放弃|放棄|留)|维持现状|維持現狀|"
            r"按兵不动|按兵不動|原地不动"
            r"|what if (?:\w+ ){1,4}?(?:do(?:es)?n'?t|won't|will not|isn't)\b"
            r"|what if (?:i|we|he|she|they) (?:not|stay|wait|hold|keep|turn|declin|"
            r"refus|reject|"
            r"say no|pass\b|skip|give up)|if (?:i|we) (?:don'?t|do not|stay|declin|refus|reject|"
            r"say no|turn (?:it|them|him|her|this|that) down)|(?:and|what) if not|instead of",
        ),
        (
            FollowUpKind.WHEN,
            r"何时|何時|什么时候|什麼時候|啥时候|啥時候|几时|幾時|哪天|哪年|哪个月|哪個月|哪一天|"
            r"何日|何年|何月|多久|多长时间|多長時間|几月|幾月|几号|幾號|几点|幾點|应期|應期|"
            r"时间点|時間點"
            r"|\bwhen\b|how soon|how long|what date|what (?:time|hour)\b|which (?:month|day|year)",
        ),
        (
            FollowUpKind.WHERE,
            r"在哪|哪里|哪裡|哪儿|哪兒|什么地方|什麼地方|何处|何處|什么方向|什麼方向|哪个方向|"
            r"哪個方向|哪边|哪邊|方位|去哪|在家里|在家裡|在不在家|在外面|远不远|遠不遠"
            r"|\bwhere\b|which (?:direction|way)",
        ),
        (
            FollowUpKind.ADVICE,
            r"避免|防止|预防|預防|如何防|怎么防|怎麼防|怎么办|怎麼辦|怎么做|怎麼做|该如何|該如何|"
            r"如何是好|如何做|该怎|該怎|建议|建議|"
            r"要做什么|要做什麼|有什么办法|有什麼辦法|化解|改善|补救|補救|破解|(?:怎么|怎麼|"
            r"如何)(?:[跟和与與对對向].{1,4})?(?:帮|幫|要|讨|討|追|谈|談|说|說|处理|處理|应对|"
            r"應對|挽回|准备|準備|"
            r"复习|複習|解决|解決|补|補)"
            r"|what (?:should|can|shall) (?:i|we|he|she|they)\b"
            r"|how (?:should|can|do|to) |\b(?:avoid|prevent)\b|"
            r"advice|advise|suggest",
        ),
        (
            FollowUpKind.BEYOND,
            r"[谁誰]|叫什么|叫什麼|姓什么|姓什麼|哪个人|哪個人|长什么样|長什麼樣|长啥样|长相|"
            r"長相|什么颜色|什麼顏色|多少(?!把握|胜算|勝算)|几比几|幾比幾|[几幾]分(?!把握)|"
            r"几[个個次人倍]|幾[个個次人倍]|号码|號碼|^(?:and |so |but )?who\b|"
            r"\bwho(?:'s| is| are| was| will| does| did)\b"
            r"|\bhow (?:much|many)\b(?! (?:does|do) \w+ (?:love|like|care|miss|want))|"
            r"what (?:number|score|colou?r|name)|look like",
        ),
        (
            FollowUpKind.OTHER_SIDE,
            r"(?:对方|對方|他|她|ta|人家|公司|老板|老闆|客户|客戶|合伙人|合夥人|那边|"
            r"那邊).{0,8}(?:怎么想|"
            r"怎麼想|想什么|想什麼|态度|態度|心意|意思|愿意|願意|会不会|會不會|是否|是不是|可靠|"
            r"呢|爱|愛|"
            r"喜欢|喜歡|真心)"
            r"|(?:对方|對方|他|她|人家|公司|老板|老闆|房东|房東|客户|客戶|领导|領導|父母|家人)[们們]?"
            r"(?:还|還|到底|最后|最後)?(?:会|會|能|肯|愿意|願意).{0,4}(?:原谅|原諒|谅解|諒解|同意|骗|騙|瞒|瞞|坑|撒谎|撒謊|变心|變心|还|還|给|給|答应|答應|"
            r"接受|理|联系|聯繫|来找|來找|后悔|後悔|认错|認錯|让步|讓步|赔|賠|退|付|回心).{0,6}(?:吗|嗎|么|麼|[？?]|$)"
            r"|(?:does|do|will|is|what does) (?:he|she|they|the other)\b|other side|"
            r"their (?:view|attitude)",
        ),
        (
            FollowUpKind.SURE,
            r"真的吗|真的嗎|真的假的|准吗|準嗎|确定|確定|肯定吗|肯定嗎|可信|靠谱|靠譜|几成|幾成|"
            r"多大把握|概率|机会大|機會大|能成吗|能成嗎|成功率|are you sure|really\?|"
            r"how (?:sure|likely|certain)|what are the chances|reliable",
        ),
    )
)  # fmt: skip


_LATIN: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_COMMON_WORDS = """
a about again all am and any are at be been better but by can come could day did do does doesn't
don't end even ever for from get go going good had happen happens has have he hexagram her him
his how i if in is it it's its later line lines long may me mean means might month more much my
not now of on one only or other out over please reading really result say says she should sign
so stand stands still stop stops such sure take tell than that that's the their them then there
these they this those time to true until us verdict very wait was we week well were what
which who will with work would year yes yet you your
"""
_PLAIN_WORDS: Final = frozenset(_COMMON_WORDS.split())
_PLAIN_HAN: Final = frozenset(
    "一下不且两个中为么之也了事些什从他以会但何你候做几出到办卦又及只可吉同后吗吧呀呢和啊回因"
    "在她好如它对就已应得怎您意成我或所才把换断早时是有期来样此没法点现用由的看真着知神签算结"
    "能若行要解让说请读论诉该谁象起过还这进那都问间兩個為麼會們這還說請誰過進問間應對斷時來樣"
    "點現論該後從讓結簽籤爻變变再碍礙于於与與嘛而给給想去等先够夠道果"
)
"""Words and characters that a question about a board may have without naming another matter."""
_ANY_DAY: Final = date(2000, 1, 1)


def is_thanks(question: str) -> bool:
    """Whether the words only thank, acknowledge or take leave."""
    return _THANKS.fullmatch(question.strip()) is not None


def classify_follow_up(question: str, *, names_period: bool, names_topic: bool) -> FollowUpKind:
    """What the question wants; a period or a topic alone is a question about it."""
    if is_thanks(question):
        return FollowUpKind.THANKS
    denied = remove_asking_not(question)
    for kind, words in _KINDS:
        if words.search(denied if kind is FollowUpKind.IF_NOT else question):
            return kind
    if names_period:
        return FollowUpKind.PERIOD
    return FollowUpKind.TOPIC if names_topic else FollowUpKind.OPEN


def asks_about_board(question: str, first_question: str) -> bool:
    """Whether a text that follows a reading in a conversation asks about its board.

    Only if each of its words asks (when, why, what if not) or is of the first question:
    "why is the sky blue?" does not.
    """
    period = find_period(question, _ANY_DAY)
    kind = classify_follow_up(question, names_period=period is not None, names_topic=False)
    if kind in {FollowUpKind.THANKS, FollowUpKind.BEYOND, FollowUpKind.OPEN}:
        return False
    return not list_foreign_words(question, first_question)


def list_foreign_words(question: str, first_question: str) -> set[str]:
    """Words and characters that neither ask about a board nor are of the first question."""
    period = find_period(question, _ANY_DAY)
    rest = question.lower().replace("’", "'")
    known = first_question.lower()
    if period is not None:
        rest = rest.replace(period.text.lower(), " ")
    for _, words in _KINDS:
        rest = words.sub(" ", rest)
    latin = set(_LATIN.findall(rest)) - _PLAIN_WORDS - set(_LATIN.findall(known))
    return latin | (set(_HAN.findall(rest)) - _PLAIN_HAN - set(known))
