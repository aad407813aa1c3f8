"""How questions are worded, in English and Chinese; the first wording whose slots exist is used."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from yarrow.charting.model import ChartLanguage
from yarrow.kit.chinese_script import to_traditional


class QuestionTag(StrEnum):
    """In which direction a question leads."""

    DEEP_DIVE = "deep-dive"
    PIVOT = "pivot"
    BROADEN = "broaden"
    CROSS_DATA = "cross-data"
    STATISTICAL = "statistical"


class QuestionSlot(StrEnum):
    """What a wording can name."""

    TABLE = "table"
    TABLE2 = "table2"
    COLUMN = "column"
    TIME = "time"
    MEASURE = "measure"
    MEASURE2 = "measure2"
    OTHER_MEASURE = "other_measure"
    PLACE = "place"
    PLACE2 = "place2"
    SHARED = "shared"
    OTHER_COLUMN = "other_column"
    SAMPLE = "sample"
    """How many rows there are, if enough to tell a correlation from chance."""
    GROUPS = "groups"
    """The place, if it has more rows than values, so that its values can be compared."""


class QuestionWording(Struct, frozen=True):
    needs: frozenset[QuestionSlot]
    text: str
    goal: str


def _make_wording(*needs: QuestionSlot, text: str, goal: str) -> QuestionWording:
    return QuestionWording(frozenset(needs), text, goal)


TIME, MEASURE, MEASURE2, OTHER = (
    QuestionSlot.TIME,
    QuestionSlot.MEASURE,
    QuestionSlot.MEASURE2,
    QuestionSlot.OTHER_MEASURE,
)
PLACE, PLACE2, SHARED = QuestionSlot.PLACE, QuestionSlot.PLACE2, QuestionSlot.SHARED
OTHER_COLUMN, SAMPLE, GROUPS = QuestionSlot.OTHER_COLUMN, QuestionSlot.SAMPLE, QuestionSlot.GROUPS

ENGLISH: Mapping[QuestionTag, tuple[QuestionWording, ...]] = {
    QuestionTag.DEEP_DIVE: (
        _make_wording(
            *(TIME, MEASURE, PLACE),
            text="How does {measure} develop over {time}, and which {place} drives the change?",
            goal="Find what drives **{measure}** over **{time}**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="How does {measure} develop over {time}, and when does it turn?",
            goal="Find turning points of **{measure}**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="Which {place} has the highest and which the lowest {measure}?",
            goal="Compare **{measure}** across **{place}**",
        ),
        _make_wording(
            MEASURE,
            text="How are the values of {measure} spread, and which rows stand out?",
            goal="See the spread of **{measure}**",
        ),
        _make_wording(
            text="Which values of {column} occur most often?",
            goal="Count the values of **{column}**",
        ),
    ),
    QuestionTag.PIVOT: (
        _make_wording(
            *(PLACE, PLACE2, MEASURE),
            text="How does {measure} look by {place2} instead of {place}?",
            goal="Turn from **{place}** to **{place2}**",
        ),
        _make_wording(
            *(MEASURE, MEASURE2),
            text="What changes when we look at {measure2} instead of {measure}?",
            goal="Turn from **{measure}** to **{measure2}**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="What share of the total {measure} does each {place} have?",
            goal="Show each **share** of **{measure}**",
        ),
        _make_wording(
            text="How many rows does each value of {column} have, smallest first?",
            goal="Look at the **rare** values first",
        ),
    ),
    QuestionTag.BROADEN: (
        _make_wording(
            *(PLACE, MEASURE, MEASURE2),
            text="How does each {place} do on {measure}, {measure2} and all the rest together?",
            goal="Rate **{place}** on **all measures**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="If the pattern of {measure} over {time} goes on, what comes next?",
            goal="Look ahead at **{measure}**",
        ),
        _make_wording(
            *(MEASURE, OTHER_COLUMN),
            text="Which other columns go along with high values of {measure}?",
            goal="Find **companions** of **{measure}**",
        ),
        _make_wording(
            MEASURE,
            text="Which ranges hold most of the values of {measure}?",
            goal="See where **{measure}** is **dense**",
        ),
        _make_wording(
            OTHER_COLUMN,
            text="What do the columns of this table say together that {column} alone does not?",
            goal="See the table as a **whole**",
        ),
        _make_wording(
            text="How many different values does {column} have in all?",
            goal="See how **varied** **{column}** is",
        ),
    ),
    QuestionTag.CROSS_DATA: (
        _make_wording(
            *(SHARED, MEASURE, OTHER),
            text="By {shared}, how does {measure} in {table} go with {other_measure} in {table2}?",
            goal="Join **two tables** on **{shared}**",
        ),
        _make_wording(
            SHARED,
            text="Which {shared} appear in {table} but not in {table2}?",
            goal="Match **{shared}** between **tables**",
        ),
        _make_wording(
            text="What do {table} and {table2} have in common, and how could they be joined?",
            goal="Find a **link** between the **tables**",
        ),
    ),
    QuestionTag.STATISTICAL: (
        _make_wording(
            *(MEASURE, MEASURE2, SAMPLE),
            text="How strong is the correlation between {measure} and {measure2}?",
            goal="Test **correlation** with **{measure2}**",
        ),
        _make_wording(
            *(GROUPS, MEASURE),
            text="Are the differences of {measure} between {place} larger than chance?",
            goal="Test **differences** between **{place}**",
        ),
        _make_wording(
            MEASURE,
            text="What are mean, median and outliers of {measure}?",
            goal="Summarise **{measure}** with **statistics**",
        ),
        _make_wording(
            text="How many values of {column} are missing or repeated?",
            goal="Check **quality** of **{column}**",
        ),
    ),
}

CHINESE: Mapping[QuestionTag, tuple[QuestionWording, ...]] = {
    QuestionTag.DEEP_DIVE: (
        _make_wording(
            *(TIME, MEASURE, PLACE),
            text="{measure}随{time}如何变化，主要由哪个{place}带动？",
            goal="找出**{measure}**变化的**原因**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="{measure}随{time}如何变化，转折出现在什么时候？",
            goal="找出**{measure}**的**转折点**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="哪个{place}的{measure}最高，哪个最低？",
            goal="比较各**{place}**的**{measure}**",
        ),
        _make_wording(
            MEASURE,
            text="{measure}的数值如何分布，哪些记录明显异常？",
            goal="查看**{measure}**的**分布**",
        ),
        _make_wording(text="{column}中哪些值出现得最多？", goal="统计**{column}**的**频次**"),
    ),
    QuestionTag.PIVOT: (
        _make_wording(
            *(PLACE, PLACE2, MEASURE),
            text="如果不按{place}而按{place2}来看，{measure}是怎样的？",
            goal="从**{place}**转到**{place2}**",
        ),
        _make_wording(
            *(MEASURE, MEASURE2),
            text="如果改看{measure2}而不是{measure}，结论会变吗？",
            goal="从**{measure}**转到**{measure2}**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="各{place}占{measure}总量的比例是多少？",
            goal="查看**{measure}**的**占比**",
        ),
        _make_wording(text="{column}中哪些值最少见？", goal="先看**少见**的值"),
    ),
    QuestionTag.BROADEN: (
        _make_wording(
            *(PLACE, MEASURE, MEASURE2),
            text="综合{measure}、{measure2}等全部指标，各{place}表现如何？",
            goal="用**全部指标**评价**{place}**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="如果{measure}的趋势延续，接下来会怎样？",
            goal="展望**{measure}**的**走势**",
        ),
        _make_wording(
            *(MEASURE, OTHER_COLUMN),
            text="{measure}较高时，其他列有什么共同特点？",
            goal="寻找与**{measure}**相关的**因素**",
        ),
        _make_wording(
            MEASURE,
            text="{measure}的数值主要集中在哪些区间？",
            goal="查看**{measure}**的**集中区间**",
        ),
        _make_wording(
            OTHER_COLUMN, text="除了{column}，整张表还说明了什么？", goal="看**整体**情况"
        ),
        _make_wording(text="{column}一共有多少种不同的值？", goal="查看**{column}**有**多少种**"),
    ),
    QuestionTag.CROSS_DATA: (
        _make_wording(
            *(SHARED, MEASURE, OTHER),
            text="按{shared}关联后，{table}的{measure}与{table2}的{other_measure}有什么关系？",
            goal="按**{shared}**关联**两张表**",
        ),
        _make_wording(
            SHARED,
            text="哪些{shared}出现在{table}中，却不在{table2}中？",
            goal="核对两表的**{shared}**",
        ),
        _make_wording(
            text="{table}和{table2}有什么联系，可以怎样关联？", goal="寻找**两张表**的**联系**"
        ),
    ),
    QuestionTag.STATISTICAL: (
        _make_wording(
            *(MEASURE, MEASURE2, SAMPLE),
            text="{measure}与{measure2}的相关性有多强？",
            goal="检验两者的**相关性**",
        ),
        _make_wording(
            *(GROUPS, MEASURE),
            text="各{place}之间{measure}的差异是否显著？",
            goal="检验**{place}**间的**差异**",
        ),
        _make_wording(
            MEASURE,
            text="{measure}的均值、中位数和异常值是多少？",
            goal="**统计**概括**{measure}**",
        ),
        _make_wording(text="{column}有多少缺失或重复的值？", goal="检查**{column}**的**质量**"),
    ),
}

QUESTIONS: Mapping[ChartLanguage, Mapping[QuestionTag, tuple[QuestionWording, ...]]] = {
    ChartLanguage.EN: ENGLISH,
    ChartLanguage.ZH: CHINESE,
    ChartLanguage.HANT: {
        tag: tuple(
            QuestionWording(w.needs, to_traditional(w.text), to_traditional(w.goal))
            for w in wordings
        )
        for tag, wordings in CHINESE.items()
    },
}
