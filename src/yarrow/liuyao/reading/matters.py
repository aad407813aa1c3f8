"""What is asked: the topic, the 用神 it takes, and whose matter it is.

The words of the question decide who is meant and how long an illness has lasted; they never
touch the scoring itself.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from yarrow.liuyao.symbols import Relation


class Topic(StrEnum):
    CAREER = "事业"
    WEALTH = "财运"
    LOVE = "感情"
    HEALTH = "健康"
    STUDY = "学业"
    DOCUMENTS = "文书"
    TRAVEL = "出行"
    ABSENT = "行人"
    LOST = "失物"
    LAWSUIT = "官司"
    CHILDREN = "子女"
    FRIENDS = "朋友"
    OTHER = "其他"


class Asker(StrEnum):
    """Who asks, as far as it is known; it decides which kin a partner is."""

    MAN = "男"
    WOMAN = "女"
    UNKNOWN = ""


FocusKind = Relation | Literal["世", "应"]
Illness = Literal["近", "久", ""]


@dataclass(frozen=True, slots=True)
class Matter:
    """A question as the judgement sees it. `own` says whether the asker's own strength counts."""

    topic: Topic
    focus: FocusKind
    own: bool
    illness: Illness = ""
    asks_when: bool = False
    partner_guessed: bool = False


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
    Topic.OTHER: "世",
}
_OWN_TOPICS: Final = frozenset(
    {Topic.CAREER, Topic.WEALTH, Topic.LOVE, Topic.STUDY, Topic.DOCUMENTS, Topic.LOST}
)


def _pattern(words: str) -> re.Pattern[str]:
    """Any of the `/`-separated words; English ones only as whole words."""
    parts = (rf"\b{word}s?\b" if word.isascii() else word for word in words.split("/"))
    return re.compile("|".join(parts), re.IGNORECASE)


# The first topic with a word in the label wins, then the first with a word in the question.
_TOPICS: Final = tuple(
    (topic, _pattern(words))
    for topic, words in (
        (Topic.LAWSUIT, "官司/诉讼/訴訟/官非/起诉/起訴/仲裁/lawsuit/legal/court"),
        (
            Topic.HEALTH,
            "健康/疾病/身体/身體/病/就医/就醫/手术/手術/怀孕/懷孕/health/illness/sick/surgery",
        ),
        (Topic.LOST, "失物/寻物/尋物/丢失/丟失/遗失/遺失/丢了/丟了/lost"),
        (
            Topic.ABSENT,
            "行人/寻人/尋人/归期/歸期/何时回来/何時回來/失联/失聯/走失/missing person",
        ),
        (
            Topic.TRAVEL,
            "出行/旅行/旅游/旅遊/搬迁/搬遷/搬家/出差/出国/出國/移民/travel/trip",
        ),
        (Topic.CHILDREN, "子女/孩子/小孩/宠物/寵物/下属/下屬/child/children/pet"),
        (
            Topic.LOVE,
            "感情/婚/恋爱/戀愛/爱情/愛情/姻缘/姻緣/桃花/复合/復合/对象/對象"
            "/love/marriage/relationship",
        ),
        (
            Topic.DOCUMENTS,
            "文书/文書/合同/证照/證照/签证/簽證/房产/房產/买房/買房/买车/買車/车辆/車輛/批文"
            "/contract/visa/document",
        ),
        (
            Topic.STUDY,
            "学业/學業/学习/學習/考试/考試/升学/升學/考研/考公/高考/留学/留學/论文/論文"
            "/study/studies/exam/school",
        ),
        (
            Topic.WEALTH,
            "财/財/投资/投資/生意/买卖/買賣/借贷/借貸/股票/赚钱/賺錢/回款/收入"
            "/wealth/money/finance/investment/business",
        ),
        (
            Topic.CAREER,
            "事业/事業/工作/求职/求職/升迁/升遷/升职/升職/功名/面试/面試/跳槽/晋升/晉升"
            "/offer/career/job/work",
        ),
        (Topic.FRIENDS, "朋友/合伙/合夥/兄弟/人际/人際/friend/friendship"),
    )
)
# Kin named in the question, for matters that may be somebody else's. The order decides: 男朋友
# is a partner before he is a 朋友.
_KIN: Final[tuple[tuple[Relation, re.Pattern[str]], ...]] = (
    (
        "父母",
        _pattern(
            "父亲/父親/母亲/母親/爸/妈/媽/父母/岳父/岳母/公公/婆婆/爷爷/爺爺/奶奶/外公/外婆"
            "/祖父/祖母/长辈/長輩/father/mother/dad/mum/mom/parent/grandmother/grandfather"
        ),
    ),
    (
        "子孙",
        _pattern(
            "儿子/兒子/女儿/女兒/孩子/小孩/宝宝/寶寶/孙子/孫子/孙女/孫女/狗/猫/貓/宠物/寵物"
            "/son/daughter/child/children/baby/pet/dog/cat"
        ),
    ),
    ("妻财", _pattern("妻子/老婆/太太/女友/女朋友/媳妇/媳婦/wife/girlfriend")),
    ("官鬼", _pattern("丈夫/老公/男友/男朋友/husband/boyfriend")),
    (
        "兄弟",
        _pattern(
            "哥哥/弟弟/姐姐/妹妹/兄弟/姐妹/姊妹/我哥/我弟/我姐/我妹/朋友/brother/sister/friend"
        ),
    ),
)
_LASTING: Final = _pattern("久病/多年/慢性/长期/長期/老毛病/chronic/for years/long-term")
_RECENT: Final = _pattern(
    "近病/刚/剛/昨天/前天/这几天/這幾天/感冒/发烧/發燒/急性/acute/since yesterday"
)
_WHEN: Final = _pattern(
    "何时/何時/什么时候/什麼時候/几时/幾時/哪天/何日/多久/几月/幾月/when/how soon/how long"
)
_BESIDE: Final = _pattern("和/跟/与/與/陪/带/帶/with/against")
_PAPERS: Final = _pattern("证/證/文件/合同/护照/護照/衣/书/書/passport/document/paper")


def choose_topic(question_type: str, question: str = "") -> Topic:
    """The topic that a label names; the question helps when the label says nothing known."""
    return find_topic(question_type) or find_topic(question) or Topic.OTHER


def find_topic(text: str) -> Topic | None:
    """The topic that the words of `text` name, if they name one."""
    return next((topic for topic, words in _TOPICS if words.search(text)), None)


def _find_kin(question: str) -> Relation | None:
    return next((kin for kin, words in _KIN if words.search(question)), None)


def identify_matter(topic: Topic, question: str, asker: Asker = Asker.UNKNOWN) -> Matter:
    """What `question` asks under `topic`, and which line answers it."""
    usual, kin = _FOCUS[topic], _find_kin(question)
    focus: FocusKind
    illness: Illness = ""
    own, guessed = topic in _OWN_TOPICS, False
    match topic:
        case Topic.LOVE:
            focus, guessed = _partner(kin, asker)
        case Topic.HEALTH:
            focus, own, illness = kin or usual, kin is None, _illness(question)
        case Topic.LAWSUIT | Topic.TRAVEL | Topic.OTHER:
            # Whoever comes along, or stands against the asker, is not the one asked about.
            kin = None if _BESIDE.search(question) else kin
            focus, own = kin or usual, kin is None
        case Topic.ABSENT:
            focus = kin or usual
        case Topic.LOST:
            focus = _choose_lost_item(question)
        case _:
            focus = usual
    asks_when = _WHEN.search(question) is not None
    return Matter(topic, focus, own, illness, asks_when, guessed)


def _partner(kin: Relation | None, asker: Asker) -> tuple[FocusKind, bool]:
    """The partner's kin; 应爻 when neither question nor account says who asks."""
    if kin in {"妻财", "官鬼"}:
        return kin, False
    match asker:
        case Asker.MAN:
            return "妻财", False
        case Asker.WOMAN:
            return "官鬼", False
        case Asker.UNKNOWN:
            return "应", True


def _illness(question: str) -> Illness:
    if _LASTING.search(question):
        return "久"
    return "近" if _RECENT.search(question) else ""


def _choose_lost_item(question: str) -> Relation:
    if _PAPERS.search(question):
        return "父母"
    kin = _find_kin(question)
    return "子孙" if kin == "子孙" else "妻财"
