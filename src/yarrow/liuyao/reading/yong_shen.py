"""用神: which kin or line stands for what is asked; `find_focus` says where it is on the board.

The person asked about comes first, then the thing, then the topic (增删卜易·用神章). The words of
the question decide who is meant and how long an illness has lasted; they never touch the scoring
itself.
"""

from enum import StrEnum
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.five_elements import Relation
from yarrow.liuyao.reading.asker import Asker, AskerSource, KnownAsker
from yarrow.liuyao.reading.debts import is_owed_to_asker
from yarrow.liuyao.reading.feared_events import FAILURE, FearedEvent, find_feared_event
from yarrow.liuyao.reading.lost_items import choose_lost_item
from yarrow.liuyao.reading.parse_question import parse_question
from yarrow.liuyao.reading.persons import find_person, is_classical, strip_asker
from yarrow.liuyao.reading.topics import Topic, choose_topic, find_topic
from yarrow.liuyao.reading.word_lists import LazyPattern, WordList

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

    `asker` is set where the sex of the asker decided which kin the partner is, `topic_assumed`
    where neither label nor question names a topic.
    """

    topic: Topic
    focus: FocusKind
    own: bool
    illness: Illness = ""
    asks_when: bool = False
    partner_guessed: bool = False
    asker: Asker = Asker.UNKNOWN
    asker_source: AskerSource = AskerSource.UNKNOWN
    topic_assumed: bool = False
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
_THINGS: Final[tuple[tuple[str, Topic, FocusKind], ...]] = (
    ("dream", Topic.OTHER, "世"),
    ("rain", Topic.WEATHER, "父母"),
    ("wind", Topic.WEATHER, "兄弟"),
    ("thunder", Topic.WEATHER, "官鬼"),
    ("clear", Topic.WEATHER, "妻财"),
    ("pregnancy", Topic.CHILDREN, "子孙"),
    ("office", Topic.CAREER, "官鬼"),
    ("old_exam", Topic.STUDY, "官鬼"),
    ("wages", Topic.WEALTH, "妻财"),
    ("sale", Topic.WEALTH, "妻财"),
    ("proceeds", Topic.WEALTH, "妻财"),
    ("papers", Topic.DOCUMENTS, "父母"),
    ("purchase", Topic.DOCUMENTS, "父母"),
    ("parcel", Topic.DOCUMENTS, "父母"),
    ("ghost", Topic.HOME, "官鬼"),
)
# What comes back is money, not a person: 钱财 is 妻财 (增删卜易·用神章).
_MONEY_BACK: Final = frozenset({Topic.ABSENT, Topic.FRIENDS, Topic.OTHER})
# Labels too broad to decide against a thing that the question names.
_BROAD: Final = frozenset(
    {Topic.OTHER, Topic.CAREER, Topic.WEALTH, Topic.STUDY, Topic.DOCUMENTS, Topic.HOME,
     Topic.CHILDREN}
)  # fmt: skip
_SPECIAL: Final = (
    (Topic.CHILDREN, "pregnancy", SpecialMatter.PREGNANCY),
    (Topic.WEALTH, "sale", SpecialMatter.SALE),
    (Topic.DOCUMENTS, "purchase", SpecialMatter.PURCHASE),
    (Topic.DOCUMENTS, "parcel", SpecialMatter.PARCEL),
    (Topic.CAREER, "post_exam", SpecialMatter.EXAM),
)
_SEEKING: Final = LazyPattern(
    r"脱单|桃花|(?<!是)(?<!是我)(?<!是我的)正缘|[找有](?:到)?对象"
    r"|遇[到上见].{0,6}(?:对象|的人|良人|真爱|另一半)"
    r"|\b(?:meet|find) (?:someone|somebody|anyone|love|my soulmate"
    r"|a (?:partner|boyfriend|girlfriend|soulmate))\b"
)
# Who is there already, where no kin is named.
_PARTNER: Final = LazyPattern(
    r"对(?:方|象)|前任|伴侣|另一半|我们|[这那][个位]人|\b(?:partner|spouse|ex)\b"
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
_LASTING: Final = WordList("久病/多年/慢性/长期/老毛病/年久/几年/chronic/for years/long-term")
_RECENT: Final = WordList("近病/新病/刚/昨天/昨晚/前天/这几天/感冒/发烧/急性/acute/since yesterday")
_WHEN: Final = WordList(
    "何时/什么时候/啥时候/几时/哪天/哪年/哪月/何日/何年/何月/多久/多长时间/几月/几号/几点/when/"
    "how soon/how long"
)
_BESIDE: Final = WordList(
    "[和跟与](?!我)/陪/带(?![走来回给])/同(?![学事桌伴行意一])/with(?! (?:me|us))/against"
)
_HE: Final = LazyPattern(
    r"他(?![们人])|帅哥|小伙|男[生孩神]|[个位]男的|那个男|\bhe\b|\bhim\b|\bhis\b|\b(?:right"
    r"|new) (?:man|guy)\b"
)
_SHE: Final = LazyPattern(
    r"她(?!们)|姑娘|美女|女[生孩神]|[个位]女的|那个女|有夫之妇|\bshe\b|\bher\b|\b(?:right"
    r"|new) (?:woman|girl)\b"
)
# A child or a sibling whose own bond is asked about: the partner is of the other sex.
_DAUGHTER: Final = LazyPattern(r"女儿|闺女|孙女|姐|妹|姑娘|\b(?:daughter|sister|niece)\b")
_SON: Final = LazyPattern(r"儿子|孙子|侄子|哥|弟|\b(?:son|brother|nephew)\b")


def identify_matter(
    topic: Topic, question: str, asker: Asker | KnownAsker = Asker.UNKNOWN
) -> Matter:
    """What `question` asks under `topic`, and which line answers it."""
    question = fold_question(question)
    matter = _identify_matter(topic, question, asker)
    event = find_feared_event(question)
    if event is not None and (feared := _identify_feared(event, matter, question, asker)):
        return feared
    if special := _SPECIAL_FOCUS.get((matter.topic, matter.focus)):
        return replace(matter, special=special)
    parsed = parse_question(question)
    for named_topic, role, special in _SPECIAL:
        if matter.topic is named_topic and parsed.has(role):
            return replace(matter, special=special)
    if matter.topic is Topic.WEALTH and is_owed_to_asker(question):
        # Whoever owes the money, it is the asker's.
        return replace(matter, special=SpecialMatter.DEBT, own=True)
    if matter.topic is Topic.WEALTH and parsed.has("wages"):
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
            return _identify_love_matter(person, question, known, asks_when=asks_when)
        case Topic.HEALTH:
            illness = _classify_illness(question)
            return Matter(topic, person or usual, person is None, illness, asks_when)
        case Topic.LOST:
            return Matter(topic, choose_lost_item(question), own=True, asks_when=asks_when)
        case _ if topic in _BY_PERSON:
            person = None if _is_aside(topic, question) else person
            own = person is None if topic is not Topic.ABSENT else topic in _OWN_TOPICS
            return Matter(topic, person or usual, own, asks_when=asks_when)
        case _:
            own = topic in _OWN_TOPICS and _is_own(person, question)
            return Matter(topic, usual, own, asks_when=asks_when)


def _is_aside(topic: Topic, question: str) -> bool:
    """Whether who is named comes along, or stands against the asker, and is not asked about."""
    parsed = parse_question(question)
    if topic is Topic.FRIENDS or (topic is Topic.OTHER and parsed.has("slight")):
        return False
    sued = topic is Topic.LAWSUIT and parsed.has("sues")
    return sued or _BESIDE.search(strip_asker(question))


def _is_own(person: Relation | None, question: str) -> bool:
    """Whether the matter is the asker's, also where somebody takes part in it: 和朋友合伙."""
    return person in {None, "官鬼"} or _BESIDE.search(strip_asker(question))


def _find_thing(topic: Topic, question: str) -> tuple[Topic, FocusKind] | None:
    """The thing that a question names, where the label leaves room for it."""
    parsed = parse_question(question)
    if topic is Topic.HEALTH and parsed.has("pregnancy"):
        return Topic.CHILDREN, "子孙"
    if topic is Topic.ABSENT and choose_lost_item(question) == "子孙":
        return Topic.LOST, "子孙"  # 六畜 is 子孙 (增删卜易·用神章), and nobody travels.
    if topic in _MONEY_BACK and parsed.has("cash") and is_owed_to_asker(question):
        return Topic.WEALTH, "妻财"
    for role, named_topic, focus in _THINGS:
        if (topic in _BROAD or topic is named_topic) and parsed.has(role):
            return named_topic, focus
    return None


def _identify_love_matter(
    person: Relation | None, question: str, known: KnownAsker, *, asks_when: bool
) -> Matter:
    """The partner's kin; 应爻 when neither question nor account says who asks."""
    kin: FocusKind = "应"
    asker, source = Asker.UNKNOWN, AskerSource.UNKNOWN
    is_own = person not in {"子孙", "兄弟"} or _is_own(person, question)
    is_of_daughter = bool(_DAUGHTER.search(question))
    if person in {"妻财", "官鬼"}:
        kin = person
    elif not is_own and is_of_daughter != bool(_SON.search(question)):
        kin = "官鬼" if is_of_daughter else "妻财"
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
        own=bool(is_own),
        asks_when=asks_when,
        partner_guessed=kin == "应",
        asker=asker,
        asker_source=source,
    )


def _classify_illness(question: str) -> Illness:
    if _LASTING.search(question):
        return "久"
    return "近" if _RECENT.search(question) else ""
