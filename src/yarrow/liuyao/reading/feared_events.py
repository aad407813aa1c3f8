"""Feared events: whether a question asks if something bad will happen, and what that is.

Such a question is judged by the same 用神 as a wish of its kind, so that a good board means that
the event stays away: 占防参 asks after the post ("无累官乎,则官旺世实为吉", 易冒), a danger without
a kin of its own after 世, with 官鬼 as the danger and 子孙 as the relief (增删卜易·趋避章). Only
what is said about it differs. An event that has happened already, is a mere condition ("分手后
能复合吗") or befalls an adversary ("小偷会被抓吗") is not what is feared.
"""

import re
from typing import Final

from msgspec import Struct

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.word_lists import LazyPattern


class FearedEvent(Struct, frozen=True):
    """A kind of feared event. No topics: it belongs to whatever the question is about."""

    topics: tuple[Topic, ...]
    chinese: LazyPattern
    english: LazyPattern

    def find_words(self, text: str) -> re.Match[str] | None:
        """The words for the event in `text`; English ones are looked for in Latin text only."""
        found = None if text.isascii() else self.chinese.search(text)
        return found or (self.english.search(text) if _LATIN.search(text) else None)


def _make_event(chinese: str, english: str, *topics: Topic) -> FearedEvent:
    return FearedEvent(topics, LazyPattern(chinese), LazyPattern(english))


_LATIN: Final = re.compile("[A-Za-z]")
# 意外收获 and 意外大涨 are no accidents.
_ACCIDENT: Final = r"意外(?=\s*[吗么呢吧啊]?\s*$|事故|事件|情况|状况|发生|受伤|身亡)"


DISMISSAL: Final = _make_event(
    r"裁员|裁掉|被裁|辞退|开除|解雇|解聘|失业|下岗|炒鱿鱼|被炒|被优化|优化掉|降职|免职|撤职|革职|罢官"
    r"|防参|参劾|丢掉?(?:工作|饭碗|官)|(?<=会)丢了(?:工作|饭碗|官)|保(?:得|不)?住.{0,4}(?:工作|饭碗|职位|岗位)",
    r"\bla(?:id|y|ying)[ -]?(?:me |us |him |her |people )?offs?\b"
    r"|\bfired\b|\bsacked\b|\blet (?:me )?go\b(?! of)"
    r"|\bredundan\w+|\bdemoted\b|\bunemployed\b"
    r"|\b(?:los(?:e|es|ing)|keep) (?:my|his|her|our|their|the|this) (?:job|position|post|work)\b"
    r"|\bcosts? (?:me|us|him|her) (?:my|our|his|her|the) (?:job|position|post)\b"
    r"|\b(?:job|position|post) (?:is )?(?:safe|secure|at risk)\b",
    Topic.CAREER,
)
LOSS: Final = _make_event(
    r"(?<![多幸理])亏(?!欠|待)|赔钱|赔本|蚀本|破财|降薪|扣钱|丢钱|损失|破产|倒闭|被套牢?|[会要]跌|下跌|暴跌|血本无归",
    r"\blos(?:e|es|ing) (?:\w+ )?(?:money|savings|investment|capital|everything|fortune)\b"
    r"|\bgo(?:ing)? (?:broke|bankrupt|under)\b|\bbankrupt\w*"
    r"|\b(?:stocks?|shares?|prices?|market|coins?|bitcoin|funds?)\b.{0,20}\b(?:fall|drop|crash)",
    Topic.WEALTH,
)
SEPARATION: Final = _make_event(
    r"离婚|离异|离成|离得[成掉了]|分手|被甩|甩了?我|抛弃|变心|出轨|外遇|外面有人|有小三|劈腿|离开我",
    r"\bdivorc\w+|\bbreak(?:ing)? ?up\b|\bsplit(?:ting)? up\b"
    r"|\b(?:leave|leaving|dump|dumping) me\b"
    r"|\bcheat(?:s|ing)?\b(?! (?:in|at|on (?:my|the|an?) (?:exam|test)))|\bbe dumped\b",
    Topic.LOVE,
)
RELAPSE: Final = _make_event(
    r"复发|再病|又病|旧病|生病|得病|患病|染病|感染|恶化|病.{0,3}加重|被传染",
    r"\bsick(?: again)?\b(?! leave)|\brelaps\w+|\bfall(?:ing)? ill\b"
    r"|\b(?:get|getting) (?:ill|infected)\b"
    r"|\b(?:illness|disease|cancer|fever|pain|it)\b.{0,12}\bget(?:ting)? worse|\binfected\b",
    Topic.HEALTH,
)
FAILURE: Final = _make_event(
    r"挂科|不及格|考砸|落榜|落第|考不上|考不过|延毕|留级",
    r"\bfail(?:ing)? (?:\w+ ){0,3}(?:exams?|tests?|class|course|finals?|school)\b|\bflunk\w*",
    Topic.STUDY, Topic.CAREER,
)  # fmt: skip
REFUSAL: Final = _make_event(
    r"拒签|驳回|不批",
    r"\b(?:visa|application|permit|passport)\b.{0,20}\b(?:refused|rejected|denied)",
    Topic.DOCUMENTS,
)
MISHAP: Final = _make_event(
    r"车祸|误机|误点|(?:航班|飞机|火车|高铁|行程|路上|途中).{0,6}"
    rf"(?:出事|晚点|延误|取消|危险|出意外|{_ACCIDENT})",
    r"\b(?:flight|plane|train|trip)\b.{0,20}\b(?:delayed|cancell?ed|crash)|\bcar accident\b"
    r"|\bmiss (?:my|the|our) (?:flight|train|plane)\b",
    Topic.TRAVEL,
)
LITIGATION: Final = _make_event(
    r"被起诉|被告(?!知|诉)|被抓|被捕|坐牢|判刑|拘留|入狱|败诉|输.{0,2}官司|官司.{0,4}输|[惹吃]官司|罚款",
    r"\bsued?\b|\barrest(?:ed)?\b|\bjail(?:ed)?\b|\bto prison\b|\bconvicted\b|\bprosecuted\b"
    r"|\bfined\b|\blos(?:e|es|ing) (?:\w+ ){0,2}(?:case|lawsuit|trial|custody)\b",
    Topic.LAWSUIT,
)
DANGER: Final = _make_event(
    r"失败|[会要]输|输掉|输给|被拒|被骗|骗[我你他她]|受骗|上当|被坑|被发现|被查|被举报|被报复|被害|被偷|被盗|被抢"
    rf"|被欺负|被排挤|(?:出|发生|遭遇)意外|{_ACCIDENT}"
    r"|背叛|出事|遇险|有灾|灾祸|[有遭]难(?!度)|倒霉|泡汤|黄了|白跑|有危险|惹祸|泄露",
    r"\bcaught\b|\bfound out\b|\bscammed\b|\b(?:be|get|being|getting) (?:cheated|robbed|attacked|"
    r"hurt|evicted|bullied|rejected|refused|exposed|betrayed|punished|expelled)\b|\bbetray\w*|\bfail(?:ing|ure)?\b"
    r"|\b(?:lose|losing)(?! weight)\b|\bgo(?:ing)? wrong\b|\bfall through\b"
    r"|\bin (?:danger|trouble)\b|(?<!by )\baccident\b",
)
_EVENTS: Final = (
    DISMISSAL, SEPARATION, LITIGATION, MISHAP, FAILURE, REFUSAL, RELAPSE, LOSS, DANGER,
)  # fmt: skip

_CLAUSE: Final = re.compile(r"[，,。.；;！!？?\n]+")
# What has happened, or is only a condition of what is asked.
_DONE: Final = LazyPattern(
    r"^(?:(?:快|已)?[一二两三四五六七八九十半几多\d]+个?(?:多?[年月天周]|星期)[多半]?了|了(?!吗|呢|吧|么)|过|后|之后|以后|的话|时|的(?!可能|风险|危险|几率|概率|名单|机会|事|苗头))"
)
_WHETHER: Final = LazyPattern("是不是|有没有|是否|会不会")
_CONDITION: Final = LazyPattern(
    r"如果|要是|假如|倘若|已经|刚|昨|去年|上次|上回|之前|曾|为什么|为何|自从"
    r"|\b(?:after|since|if|because|having|already|was|were|got|had|why|been|did|last)\b"
    r"|\bwhen (?:i|he|she|we|they|my)\b",
)
# Another wish in the same clause: 失业多久能找到工作, "win my divorce case".
_WISH_AFTER: Final = LazyPattern(
    r"^.{0,6}(?:能|可以|可否|多久|何时|什么时候|怎么(?!办)|如何)(?!.{0,3}(?:躲|逃|避|免|保|扛|离|分))"
    r"|\b(?:find|compensation|severance|back)\b",
)
_WISH_BEFORE: Final = LazyPattern(
    r"复合|走出|恢复|治好|\b(?:win|remarry|recover|heal|get over|move on|find|marry)\b",
)
# What the asker thinks of doing is not feared: 要不要离婚, unlike 他要不要和我离婚 and 要不要担心.
_DECIDED: Final = (SEPARATION, LITIGATION)
_DECISION: Final = LazyPattern(
    r"(?<![他她方公婆夫子友])(?:该不该|要不要|应不应该|是否(?:应该|该|要))(?!.*(?:担心|怕))"
    r"|\bshould (?:i|we)\b(?!.*\b(?:afraid|worr|fear))",
)

# The last clause asks whether the event of an earlier one reaches the asker.
_REACHES: Final = LazyPattern(
    r"轮到|影响|波及|我呢|有我|安全|危险|保住|留下|留任|躲|逃|避|会吗|会不会$"
    r"|\b(?:am|will) i (?:be )?(?:safe|affected|next|spared|one of)|\bmy (?:job|post) safe",
)

# The events that an adversary may be wished, and who that is: nobody the asker stands beside.
_WISHED_ON_OTHERS: Final = (LITIGATION, DANGER, LOSS)
_ADVERSARY: Final = (
    r"(?:小偷|盗贼|窃贼|贼|骗子|凶手|罪犯|犯人|坏人|人贩子|老赖"
    r"|肇事者|对手|敌人|仇人|仇家|小人|对方|情敌|小三)"
)
_ADVERSARY_EN: Final = (
    r"(?:thie(?:f|ves)|robbers?|burglars?|scammers?|fraudsters?|criminals?|killers?|murderers?"
    r"|culprits?|competitors?|opponents?|rivals?|enem(?:y|ies)|bull(?:y|ies)|stalkers?)"
)
# Whoever wronged the asker: 骗我钱的人, "the man who robbed me".
_WRONGED_ASKER: Final = (
    rf"[骗偷抢害打伤坑撞]了?我们?[^会能要]{{0,4}}的(?:那个)?(?:人|家伙|司机|公司|{_ADVERSARY})"
)
_WRONGED_ASKER_EN: Final = (
    r"\b(?:man|woman|men|person|people|guys?|driver|one)\b (?:who|that) \w+(?: from)?"
    r" (?:me|us|(?:my|our) \w+)\b"
)
# Who is spoken of; the first line is a party beside whom or against whom something is done.
_PARTIES: Final = (
    r"(?:[和跟与同对被给向把告因]|因为|\b(?:with|against|by|to|of) )(?P<beside>"
    rf"(?:我们?的?)?(?:竞争)?(?:{_ADVERSARY}|[他她])|(?:(?:my|our|the|an?) )?{_ADVERSARY_EN}\b)"
    rf"|(?P<adversary>(?:我们?的?)?(?:竞争)?{_ADVERSARY}|\b(?:(?:my|our) )?{_ADVERSARY_EN}\b)"
    r"|(?P<somebody>(?<![其吉])[他她]们?|\b(?:he|she|they)\b)"
    r"|(?P<asker>我|咱|自己|\b(?:i|we|me|us|my|our)\b)"
)
_ASKER: Final = LazyPattern(r"我|\b(?:me|us|my|our)\b")
_OBJECT: Final = LazyPattern(r"^\s*(?:我|(?:me|us|my|our)\b)")
# Prices that fall harm whoever holds the thing, not whoever waits to buy it.
_FALL: Final = LazyPattern(r"跌|fall|drop|crash")
_PRICE: Final = LazyPattern(r"价|房租|\bprices?\b")
_HELD: Final = LazyPattern(
    r"股|币|基金|我的|我家|手[里上头]|持有|买的|买了"
    r"|\b(?:stocks?|shares?|coins?|bitcoin|funds?|my|our|own|hold|bought)\b"
)
_TO_BUY: Final = LazyPattern(r"抄底|[再好]买|让我买|\bso (?:that )?(?:i|we) can\b|\bto buy\b")


def find_feared_event(question: str) -> FearedEvent | None:
    """The feared event that `question` asks about, if it asks about one."""
    text = fold_question(question)
    clauses = [part for part in _CLAUSE.split(text) if part.strip()]
    if not clauses:
        return None
    asked = _name_wrongdoers(clauses[-1])
    for event in _EVENTS:
        if _is_asked(event, asked, alone=len(clauses) == 1):
            return event
    if _REACHES.search(asked):
        return next((one for one in _EVENTS if one.find_words(text)), None)
    return None


def _name_wrongdoers(clause: str) -> str:
    """The clause with a plain noun for whoever wronged the asker: that wrong is done."""
    if "我" in clause:
        return re.sub(_WRONGED_ASKER, "骗子", clause)
    return re.sub(_WRONGED_ASKER_EN, "thief", clause, flags=re.IGNORECASE)


def _is_asked(event: FearedEvent, clause: str, *, alone: bool) -> bool:
    match = event.find_words(clause)
    if match is None:
        return False
    before, after = clause[: match.start()], clause[match.end() :]
    if alone and "怎么办" in after:
        return True
    is_done = _DONE.search(after) is not None
    if is_done and event.topics and after.strip("了") == "":
        # 他是不是出轨了 asks whether it has happened.
        is_done = _WHETHER.search(before) is None
    if is_done or _WISH_AFTER.search(after) or _WISH_BEFORE.search(clause):
        return False
    if _CONDITION.search(before) is not None:
        return False
    if event in _DECIDED and _DECISION.search(before):
        return False
    if event in _WISHED_ON_OTHERS and _befalls_others(event, before, match[0], after):
        return False
    return not _is_cheaper(before, match[0], after)


def _befalls_others(event: FearedEvent, before: str, words: str, after: str) -> bool:
    """Whether the event is one of an adversary, and not done to the asker."""
    if _ASKER.search(words) or _OBJECT.search(after):
        return False
    parties = [found.lastgroup for found in re.finditer(_PARTIES, before, re.IGNORECASE)]
    spoken_of = [party for party in parties if party != "beside"]
    if not spoken_of:
        return False
    # 他会出事吗 asks out of care; whether 他会坐牢吗 does is not known.
    return spoken_of[-1] == "adversary" or (spoken_of[-1] == "somebody" and event is not DANGER)


def _is_cheaper(before: str, words: str, after: str) -> bool:
    """Whether a price falls that the asker does not hold, or waits to pay."""
    if not _FALL.search(words):
        return False
    thing = before + words
    is_held = _PRICE.search(thing) is None or _HELD.search(thing) is not None
    return not is_held or _TO_BUY.search(after) is not None
