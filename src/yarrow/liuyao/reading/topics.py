"""Topics of questions: rules over the roles that words have in a question."""

from enum import StrEnum
from typing import Final

from yarrow.liuyao.reading.parse_question import Question, parse_question


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
    HOME = "家宅"
    WEATHER = "天时"
    OTHER = "其他"


Rule = tuple[Topic, tuple[tuple[str, ...], ...]]


def _make_rules(*rows: tuple[Topic, *tuple[str, ...]]) -> tuple[Rule, ...]:
    return tuple((topic, tuple(tuple(one.split()) for one in sets)) for topic, *sets in rows)


# The first rule that holds names the topic. A rule is one or more sets of roles; of one set all
# roles are in the question, and those after `-` are not.
_RULES: Final = _make_rules(
    (Topic.OTHER, "dream"),
    (Topic.LAWSUIT, "court"),
    (Topic.WEATHER, "sky", "rain", "wind", "thunder", "clear"),
    (Topic.CHILDREN, "pregnancy"),
    (Topic.LOST, "lost -absent", "lost belonging", "belonging misses", "pet strayed"),
    (Topic.WEALTH, "farm"),
    (Topic.HEALTH, "illness", "heal kin -relation", "heal pet", "heal body"),
    (Topic.LOST, "lost"),
    (Topic.LAWSUIT, "police"),
    (Topic.WEALTH, "repays"),
    (Topic.LOVE, "former", "wooing"),
    (
        Topic.ABSENT,
        "absent",
        "silent kin",
        "comes kin",
        "comes caller",
        "comes lover",
        "goes_home kin",
    ),
    (Topic.FRIENDS, "slight peer"),
    (Topic.TRAVEL, "trip with_partner"),
    (Topic.LOVE, "bond"),
    (Topic.CAREER, "hired", "seeks_job"),
    (Topic.STUDY, "study -office"),
    (Topic.CAREER, "applies"),
    (Topic.WEALTH, "money"),
    (Topic.DOCUMENTS, "papers", "formality", "purchase", "parcel", "vehicle"),
    (Topic.HOME, "home", "ghost"),
    (Topic.TRAVEL, "trip"),
    (Topic.CAREER, "job", "office", "project peer"),
    (Topic.ABSENT, "silent"),
    (Topic.TRAVEL, "goes_home"),
    (Topic.CHILDREN, "offspring"),
    (Topic.LOVE, "with_partner", "courts lover", "courts pronoun"),
    (Topic.FRIENDS, "friends"),
    (Topic.OTHER, "luck"),
)
# What a question without such words is most likely about. The reading says that it assumed so.
_ASSUMED: Final = _make_rules(
    (Topic.CAREER, "employer", "superior"),
    (Topic.LOVE, "quarrel", "partner", "pronoun me -kin"),
    (Topic.CHILDREN, "child"),
    (Topic.FRIENDS, "peer"),
    (Topic.TRAVEL, "goes_to"),
)


def choose_topic(question_type: str, question: str = "") -> Topic:
    """The topic that a label names; the question helps when the label says nothing known."""
    named = find_topic(question_type) or find_topic(question)
    return named or _match_topic(_ASSUMED, parse_question(question)) or Topic.OTHER


def names_topic(question_type: str, question: str) -> bool:
    """Whether a label or a question names a topic, so that none has to be assumed."""
    return find_topic(question_type) is not None or find_topic(question) is not None


def find_topic(text: str) -> Topic | None:
    """The topic that the words of `text` name, if they name one."""
    exact = next((topic for topic in Topic if topic.value == text.strip()), None)
    if exact is not None and exact is not Topic.OTHER:
        return exact
    return _match_topic(_RULES, parse_question(text))


def _match_topic(rules: tuple[Rule, ...], question: Question) -> Topic | None:
    return next(
        (topic for topic, sets in rules if any(question.fits(roles) for roles in sets)), None
    )
