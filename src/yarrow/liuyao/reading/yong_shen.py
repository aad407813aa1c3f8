"""用神: which kin or line stands for what is asked; `find_focus` says where it is on the board.

The person asked about comes first, then the thing, then the topic (增删卜易·用神章). The words of
the question decide who is meant and how long an illness has lasted; they never touch the scoring
itself.
"""

from enum import StrEnum
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from yarrow.liuyao.five_elements import Relation
from yarrow.liuyao.reading.asker import Asker, AskerSource, KnownAsker
from yarrow.liuyao.reading.debts import is_owed_to_asker
from yarrow.liuyao.reading.feared_events import FAILURE, FearedEvent, find_feared_event
from yarrow.liuyao.reading.lost_items import choose_lost_item
from yarrow.liuyao.reading.persons import find_person, is_classical, strip_asker
from yarrow.liuyao.reading.topics import (
    PARCELS,
    PURCHASES,
    LazyPattern,
    Topic,
    WordList,
    choose_topic,
    find_topic,
)
from yarrow.liuyao.reading.word_senses import remove_other_senses

__all__ = ["FocusKind", "Illness", "Matter", "SpecialMatter", "Topic", "choose_topic", "find_topic"]

FocusKind = Relation | Literal["世", "应"]
Illness = Literal["近", "久", ""]


class SpecialMatter(StrEnum):
    """Matters that are judged like their topic and spoken of in other words."""

    PREGNANCY = "胎孕"
    SALE = "出售"
    PURCHASE = "置买"
    PARCEL = "寄件"
    EXAM = "应试"
    DEBT = "讨债"
    WAGES = "薪酬"
    SEEKING = "求缘"
    PET = "走失"
    RAIN = "雨"
    WIND = "风"
    THUNDER = "雷"
    DISMISSAL = "免职"
    LOSS = "破财"
    SEPARATION = "离异"
    RELAPSE = "染病"
    FAILURE = "落第"
    REFUSAL = "驳回"
    MISHAP = "行险"
    LITIGATION = "词讼"
    DANGER = "忧患"


class Matter(Struct, frozen=True):
    """A question as the judgement sees it. `own` says whether the asker's own strength counts.

    `asker` is set where the sex of the asker decided which kin the partner is.
    """

    topic: Topic
    focus: FocusKind
    own: bool
    illness: Illness = ""
    asks_when: bool = False
    partner_guessed: bool = False
    asker: Asker = Asker.UNKNOWN
    asker_source: AskerSource = AskerSource.UNKNOWN
    special: SpecialMatter | None = None

    @property
    def wording(self) -> Topic | SpecialMatter:
        """Which words to speak in."""
        return self.special or self.topic

    @property
    def is_feared(self) -> bool:
        """Whether the event asked about is one that the asker fears."""
        return self.special in FEARED


_FOCUS: Final[dict[Topic, FocusKind]] = {
    Topic.CAREER: "官鬼",
    Topic.WEALTH: "妻财",
    Topic.LOVE: "应",
    Topic.HEALTH: "世",
    Topic.STUDY: "父母",
    Topic.DOCUMENTS: "父母",
    Topic.TRAVEL: "世",
    Topic.ABSENT: "应",
    Topic.LOST: "妻财",
    Topic.LAWSUIT: "世",
    Topic.CHILDREN: "子孙",
    Topic.FRIENDS: "兄弟",
    Topic.HOME: "父母",
    Topic.WEATHER: "妻财",
    Topic.OTHER: "世",
}
_OWN_TOPICS: Final = frozenset(
    {Topic.CAREER, Topic.WEALTH, Topic.LOVE, Topic.STUDY, Topic.DOCUMENTS, Topic.LOST, Topic.HOME}
)
# Topics in which a named person is what is asked about; in the others it is the thing.
_BY_PERSON: Final = frozenset(
    {Topic.HEALTH, Topic.LAWSUIT, Topic.TRAVEL, Topic.ABSENT, Topic.OTHER, Topic.FRIENDS}
)

# Things that name their own 用神, whatever broad label the question came with.
_THING_WORDS: Final[tuple[tuple[Topic, FocusKind, str], ...]] = (
    (Topic.WEATHER, "父母", "下雨/有雨/求雨/占雨/雨水/降雨/下雪/有雪/rain/snow"),
    (Topic.WEATHER, "兄弟", "刮风/颳風/台风/颱風/大风/大風/多云/多雲/windy/typhoon"),
    (Topic.WEATHER, "官鬼", "打雷/雷电/雷電/雷雨/thunder/thunderstorm"),
    (Topic.WEATHER, "妻财", "天气/天氣/天晴/晴天/占晴/放晴/weather/sunny"),
    (Topic.CHILDREN, "子孙",
        "怀孕/懷孕/求子/受孕/怀上/懷上/试管/試管/占胎/胎孕/胎儿/胎兒/二胎/pregnant/"
        "pregnancy/conceive"),
    (Topic.CAREER, "官鬼",
        "公务员/公務員/考公/编制/編制/功名/升迁/升遷/升职/升職/官运/官運/补官/補官/升选/"
        "升選/提拔/晋升/晉升/升否/捐官/援例/出仕/中举/中舉/及第/promotion/civil servant/"
        "civil service"),
    (Topic.STUDY, "官鬼", "乡试/鄉試/会试/會試/殿试/殿試/道考/童试/童試/科举/科舉/连捷/連捷"),
    (Topic.WEALTH, "妻财",
        "加薪/涨薪/漲薪/工资/工資/薪水/薪资/薪資/奖金/獎金/年终奖/年終獎/中标/中標/投标/"
        "投標/卖房/賣房/卖车/賣車/卖掉/賣掉/脱手/脫手/出手/回款/借钱/借錢/讨债/討債/欠款/"
        "欠钱/欠錢/求财/求財/财福/財福/salary/raise/bonus/tender"),
    (Topic.DOCUMENTS, "父母",
        "签证/簽證/护照/護照/合同/契约/契約/批文/执照/執照/绿卡/綠卡/录取通知/錄取通知/"
        f"{PURCHASES}/{PARCELS}/"
        "过户/過戶/移民申请/移民申請/visa/contract/passport/citizenship"),
    (Topic.HOME, "官鬼", "庙/廟/祠/神位/鬼/祟/闹邪/鬧邪/捕盗/捕盜/捕贼/捕賊/盗贼/盜賊"),
)  # fmt: skip
_THINGS: Final = tuple((topic, focus, WordList(words)) for topic, focus, words in _THING_WORDS)
# What comes back is money, not a person: 钱财 is 妻财 (增删卜易·用神章).
_MONEY_BACK: Final = frozenset({Topic.ABSENT, Topic.FRIENDS, Topic.OTHER})
_MONEY: Final = WordList(
    "钱/錢/款/工资/工資/薪/押金/债/債/账/賬/money/debt/pay (?:me|it) back/repay/owes? me/I lent"
)
# Labels too broad to decide against a thing that the question names.
_BROAD: Final = frozenset(
    {Topic.OTHER, Topic.CAREER, Topic.WEALTH, Topic.STUDY, Topic.DOCUMENTS, Topic.HOME,
     Topic.CHILDREN}
)  # fmt: skip
_SPECIAL: Final = (
    (Topic.CHILDREN, SpecialMatter.PREGNANCY, WordList(
        "怀孕/懷孕/求子/受孕/怀上/懷上/试管/試管/占胎/胎孕/胎儿/胎兒/二胎/孕/pregnant/pregnancy/"
        "conceive/是男是女/男孩还是女孩/boy or (?:a )?girl")),
    (Topic.WEALTH, SpecialMatter.SALE, WordList(
        "卖房/賣房/卖车/賣車/卖掉/賣掉/卖出/賣出/脱手/脫手/出手/sell my/sell the/sell our")),
    (Topic.DOCUMENTS, SpecialMatter.PURCHASE, WordList(
        f"{PURCHASES}/"
        "这套房/這套房/那套房/买到/買到/house purchase/"
        "(?:buy|get|purchase) (?:an?|the|this|that|my|our) (?:\\w+ ){0,2}"
        "(?:house|flat|apartment|car|home)")),
    (Topic.DOCUMENTS, SpecialMatter.PARCEL, WordList(
        f"{PARCELS}/快件/my delivery")),
    (Topic.CAREER, SpecialMatter.EXAM, WordList(
        "考公/考上/考试/考試/考编/考編/国考/國考/省考/上岸/笔试/筆試/exam")),
)  # fmt: skip
_WAGES: Final = WordList(
    "加薪/涨薪/漲薪/工资/工資/薪水/薪资/薪資/年终奖/年終獎/salary/pay raise/pay rise/"
    "(?:get|ask for|give me) a raise/bonus"
)
_SEEKING: Final = LazyPattern(
    r"[脱脫][单單]|桃花|(?<!是)(?<!是我)(?<!是我的)正[缘緣]|找(?:到)?[对對]象"
    r"|遇[到见見].{0,6}(?:[对對]象|的人|良人|真[爱愛]|另一半)"
    r"|\b(?:meet|find) (?:someone|somebody|anyone|love|my soulmate"
    r"|a (?:partner|boyfriend|girlfriend|soulmate))\b"
)
# Who is there already, where no kin is named.
_PARTNER: Final = LazyPattern(
    r"[对對](?:方|象)|前任|伴[侣侶]|另一半|我[们們]|[这這那][个個位]人|\b(?:partner|spouse|ex)\b"
)
_SPECIAL_FOCUS: Final[dict[tuple[Topic, FocusKind], SpecialMatter]] = {
    (Topic.LOST, "子孙"): SpecialMatter.PET,
    (Topic.WEATHER, "父母"): SpecialMatter.RAIN,
    (Topic.WEATHER, "兄弟"): SpecialMatter.WIND,
    (Topic.WEATHER, "官鬼"): SpecialMatter.THUNDER,
}
_FEARED_BY_TOPIC: Final = {
    Topic.CAREER: SpecialMatter.DISMISSAL,
    Topic.WEALTH: SpecialMatter.LOSS,
    Topic.LOVE: SpecialMatter.SEPARATION,
    Topic.HEALTH: SpecialMatter.RELAPSE,
    Topic.STUDY: SpecialMatter.FAILURE,
    Topic.DOCUMENTS: SpecialMatter.REFUSAL,
    Topic.TRAVEL: SpecialMatter.MISHAP,
    Topic.LAWSUIT: SpecialMatter.LITIGATION,
}
FEARED: Final = frozenset({*_FEARED_BY_TOPIC.values(), SpecialMatter.DANGER})
# A failure or a refusal says too little to be one of these.
_NEVER_VAGUE: Final = frozenset({SpecialMatter.DISMISSAL, SpecialMatter.SEPARATION})
_BEARING: Final = WordList("怀孕/懷孕/求子/受孕/怀上/懷上/试管/試管/pregnant/pregnancy/conceive")
_LASTING: Final = WordList(
    "久病/多年/慢性/长期/長期/老毛病/年久/几年/幾年/chronic/for years/long-term"
)
_RECENT: Final = WordList(
    "近病/新病/刚/剛/昨天/昨晚/前天/这几天/這幾天/感冒/发烧/發燒/急性/acute/since yesterday"
)
_WHEN: Final = WordList(
    "何时/何時/什么时候/什麼時候/啥时候/几时/幾時/哪天/哪年/哪月/何日/何年/何月/多久/多长时间/"
    "多長時間/几月/幾月/几号/幾號/when/how soon/how long"
)
_BESIDE: Final = WordList("和/跟/与/與/陪/带/帶/同/with/against")
_HE: Final = LazyPattern(r"他(?!们|們|人)|\bhe\b|\bhim\b|\bhis\b")
_SHE: Final = LazyPattern(r"她(?!们|們)|\bshe\b|\bher\b")


def identify_matter(
    topic: Topic, question: str, asker: Asker | KnownAsker = Asker.UNKNOWN
) -> Matter:
    """What `question` asks under `topic`, and which line answers it."""
    matter = _identify_matter(topic, question, asker)
    event = find_feared_event(question)
    if event is not None and (feared := _identify_feared(event, matter, question, asker)):
        return feared
    if special := _SPECIAL_FOCUS.get((matter.topic, matter.focus)):
        return replace(matter, special=special)
    for named_topic, special, words in _SPECIAL:
        if matter.topic is named_topic and words.search(question):
            return replace(matter, special=special)
    if matter.topic is Topic.WEALTH and is_owed_to_asker(question):
        # Whoever owes the money, it is the asker's.
        return replace(matter, special=SpecialMatter.DEBT, own=True)
    if matter.topic is Topic.WEALTH and _WAGES.search(question):
        return replace(matter, special=SpecialMatter.WAGES)
    if matter.topic is Topic.LOVE and _is_seeking(question):
        return replace(matter, special=SpecialMatter.SEEKING)
    return matter


def _is_seeking(question: str) -> bool:
    """Whether somebody is looked for, and the question names nobody who is there already."""
    match = _SEEKING.search(question)
    if match is None:
        return False
    rest = f"{question[: match.start()]} {question[match.end() :]}"
    if find_person(rest) in {"妻财", "官鬼"} or _PARTNER.search(rest):
        return False
    return not (_HE.search(rest) or _SHE.search(rest))


def _identify_feared(
    event: FearedEvent, matter: Matter, question: str, asker: Asker | KnownAsker
) -> Matter | None:
    """The matter of a feared event, or None where the words of the topic tell of it already."""
    if event.topics and matter.topic not in event.topics and matter.topic in _BROAD:
        matter = _identify_matter(event.topics[0], question, asker)
    if matter.topic is Topic.LOST:
        matter = _identify_matter(Topic.OTHER, question, asker)  # 会被偷: nothing is lost yet.
    if matter.topic in {Topic.WEATHER, Topic.ABSENT}:
        return None
    special = _FEARED_BY_TOPIC.get(matter.topic, SpecialMatter.DANGER)
    if matter.topic not in event.topics and (event.topics or special in _NEVER_VAGUE):
        special = SpecialMatter.DANGER
    elif event is FAILURE:
        special = SpecialMatter.FAILURE
    return replace(matter, special=special)


def _identify_matter(topic: Topic, question: str, asker: Asker | KnownAsker) -> Matter:
    known = asker if isinstance(asker, KnownAsker) else KnownAsker(asker)
    asks_when = _WHEN.search(question)
    person, thing = find_person(question), _find_thing(topic, question)
    if thing is not None:
        named_topic, focus = thing
        own = named_topic in _OWN_TOPICS and _is_own(person, question)
        return Matter(named_topic, focus, own, asks_when=asks_when)
    usual = _FOCUS[topic]
    match topic:
        case Topic.LOVE:
            return _love_matter(person, question, known, asks_when=asks_when)
        case Topic.HEALTH:
            illness = _illness(question)
            return Matter(topic, person or usual, person is None, illness, asks_when)
        case Topic.LOST:
            return Matter(topic, choose_lost_item(question), own=True, asks_when=asks_when)
        case _ if topic in _BY_PERSON:
            # Whoever comes along, or stands against the asker, is not the one asked about.
            beside = topic is not Topic.FRIENDS and _BESIDE.search(strip_asker(question))
            person = None if beside else person
            own = person is None if topic is not Topic.ABSENT else topic in _OWN_TOPICS
            return Matter(topic, person or usual, own, asks_when=asks_when)
        case _:
            own = topic in _OWN_TOPICS and _is_own(person, question)
            return Matter(topic, usual, own, asks_when=asks_when)


def _is_own(person: Relation | None, question: str) -> bool:
    """Whether the matter is the asker's, also where somebody takes part in it: 和朋友合伙."""
    return person in {None, "官鬼"} or _BESIDE.search(strip_asker(question))


def _find_thing(topic: Topic, question: str) -> tuple[Topic, FocusKind] | None:
    """The thing that a question names, where the label leaves room for it."""
    if topic is Topic.HEALTH and _BEARING.search(question):
        return Topic.CHILDREN, "子孙"
    if topic is Topic.ABSENT and choose_lost_item(question) == "子孙":
        return Topic.LOST, "子孙"  # 六畜 is 子孙 (增删卜易·用神章), and nobody travels.
    if topic in _MONEY_BACK and _MONEY.search(question) and is_owed_to_asker(question):
        return Topic.WEALTH, "妻财"
    text = remove_other_senses(question)
    for named_topic, focus, words in _THINGS:
        if (topic in _BROAD or topic is named_topic) and words.search(text):
            return named_topic, focus
    return None


def _love_matter(
    person: Relation | None, question: str, known: KnownAsker, *, asks_when: bool
) -> Matter:
    """The partner's kin; 应爻 when neither question nor account says who asks."""
    kin: FocusKind = "应"
    asker, source = Asker.UNKNOWN, AskerSource.UNKNOWN
    if person in {"妻财", "官鬼"}:
        kin = person
    elif known.asker is not Asker.UNKNOWN:
        asker, source = known.asker, known.source
        kin = "妻财" if asker is Asker.MAN else "官鬼"
    elif bool(_HE.search(question)) != bool(_SHE.search(question)):
        # 他 is a man's pronoun, and a man's kin is 官鬼, whoever asks.
        kin = "官鬼" if _HE.search(question) else "妻财"
    elif is_classical(question):
        # The books speak of a man's marriage unless they say otherwise.
        kin, asker = "妻财", Asker.MAN
    return Matter(
        Topic.LOVE,
        kin,
        own=True,
        asks_when=asks_when,
        partner_guessed=kin == "应",
        asker=asker,
        asker_source=source,
    )


def _illness(question: str) -> Illness:
    if _LASTING.search(question):
        return "久"
    return "近" if _RECENT.search(question) else ""
