"""Feared events: whether a question asks if something bad will happen, and what that is.

Such a question is judged by the same 用神 as a wish of its kind, so that a good board means that
the event stays away: 占防参 asks after the post ("无累官乎,则官旺世实为吉", 易冒), a danger without
a kin of its own after 世, with 官鬼 as the danger and 子孙 as the relief (增删卜易·趋避章). Only
what is said about it differs. An event that has happened already, or is a mere condition ("分手后
能复合吗"), is not what is asked.
"""

import re
from importlib import import_module
from typing import Final

from msgspec import Struct

from yarrow.liuyao.reading.topics import LazyPattern, Topic


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


DISMISSAL: Final = _make_event(
    r"裁员|裁掉|被裁|辞退|开除|解雇|解聘|失业|下岗|炒鱿鱼|被炒|被优化|优化掉|降职|免职|撤职|革职|罢官"
    r"|防参|参劾|丢(?:了|掉)?(?:工作|饭碗|官)|保(?:得|不)?住.{0,4}(?:工作|饭碗|职位|岗位)",
    r"\bla(?:id|y|ying)[ -]?(?:me |us |him |her |people )?offs?\b"
    r"|\bfired\b|\bsacked\b|\blet (?:me )?go\b(?! of)"
    r"|\bredundan\w+|\bdemoted\b|\bunemployed\b"
    r"|\b(?:los\w+|keep) (?:my|his|her|our|their|the|this) (?:job|position|post|work)\b"
    r"|\b(?:job|position|post) (?:is )?(?:safe|secure|at risk)\b",
    Topic.CAREER,
)
LOSS: Final = _make_event(
    r"(?<![多幸理])亏(?!欠|待)|赔钱|赔本|蚀本|破财|降薪|扣钱|丢钱|损失|破产|倒闭|被套牢?|[会要]跌|下跌|暴跌|血本无归",
    r"\blos\w+ (?:\w+ )?(?:money|savings|investment|capital|everything|fortune)\b"
    r"|\bgo(?:ing)? (?:broke|bankrupt|under)\b|\bbankrupt\w*"
    r"|\b(?:stocks?|shares?|prices?|market|coins?|bitcoin|funds?)\b.{0,20}\b(?:fall|drop|crash)",
    Topic.WEALTH,
)
SEPARATION: Final = _make_event(
    r"离婚|离异|离成|离得[成掉了]|分手|被甩|甩了?我|抛弃|变心|出轨|外遇|劈腿|离开我",
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
    r"车祸|误机|误点|(?:航班|飞机|火车|高铁|行程|路上|途中).{0,6}(?:出事|晚点|延误|取消|危险|意外)",
    r"\b(?:flight|plane|train|trip)\b.{0,20}\b(?:delayed|cancell?ed|crash)|\bcar accident\b"
    r"|\bmiss (?:my|the|our) (?:flight|train|plane)\b",
    Topic.TRAVEL,
)
LITIGATION: Final = _make_event(
    r"被起诉|被告(?!知|诉)|被抓|被捕|坐牢|判刑|拘留|入狱|败诉|输.{0,2}官司|官司.{0,4}输|[惹吃]官司|罚款",
    r"\bsued?\b|\barrest(?:ed)?\b|\bjail(?:ed)?\b|\bto prison\b|\bconvicted\b|\bprosecuted\b"
    r"|\bfined\b|\blos\w+ (?:\w+ ){0,2}(?:case|lawsuit|trial|custody)\b",
    Topic.LAWSUIT,
)
DANGER: Final = _make_event(
    r"失败|[会要]输|输掉|输给|被拒|被骗|骗[我你他她]|受骗|上当|被坑|被发现|被查|被举报|被报复|被害|被偷|被盗|被抢"
    r"|被欺负|被排挤"
    r"|背叛|出事|遇险|意外|有灾|灾祸|[有遭]难(?!度)|倒霉|泡汤|黄了|白跑|有危险|惹祸|泄露",
    r"\bcaught\b|\bfound out\b|\bscammed\b|\b(?:be|get|being|getting) (?:cheated|robbed|attacked|"
    r"hurt|evicted|bullied|rejected|refused|exposed|betrayed|punished|expelled)\b|\bbetray\w*|\bfail(?:ing|ure)?\b"
    r"|\b(?:lose|losing)(?! weight)\b|\bgo(?:ing)? wrong\b|\bfall through\b"
    r"|\bin (?:danger|trouble)\b|\baccident\b",
)
_EVENTS: Final = (
    DISMISSAL, SEPARATION, LITIGATION, MISHAP, FAILURE, REFUSAL, RELAPSE, LOSS, DANGER,
)  # fmt: skip

_CLAUSE: Final = re.compile(r"[，,。.；;！!？?\n]+")
# What has happened, or is only a condition of what is asked.
_DONE: Final = LazyPattern(
    r"^(?:了(?!吗|呢|吧|么)|过|后|之后|以后|的话|时|的(?!可能|风险|危险|几率|概率|名单|机会|事|苗头))"
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
# The last clause asks whether the event of an earlier one reaches the asker.
_REACHES: Final = LazyPattern(
    r"轮到|影响|波及|我呢|有我|安全|危险|保住|留下|留任|躲|逃|避|会吗|会不会$"
    r"|\b(?:am|will) i (?:be )?(?:safe|affected|next|spared|one of)|\bmy (?:job|post) safe",
)


def find_feared_event(question: str) -> FearedEvent | None:
    """The feared event that `question` asks about, if it asks about one."""
    text = _fold(question)
    clauses = [part for part in _CLAUSE.split(text) if part.strip()]
    if not clauses:
        return None
    asked = clauses[-1]
    for event in _EVENTS:
        if _is_asked(event, asked, alone=len(clauses) == 1):
            return event
    if _REACHES.search(asked):
        return next((one for one in _EVENTS if one.find_words(text)), None)
    return None


def _fold(question: str) -> str:
    """The question in simplified script, as GB 2312 has it; a batch seldom needs the tables."""
    try:
        question.encode("gb2312")
    except UnicodeEncodeError:
        folded: str = import_module("yarrow.language.chinese_script").fold_script(question)
        return folded
    return question


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
    return _CONDITION.search(before) is None
