"""How questions are worded, in English and Chinese; the first wording whose slots exist is used.

They are asked without a model too, so they say only what `question_reader` reads.
"""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from yarrow.charting.model import ChartLanguage
from yarrow.language.chinese_script import to_traditional


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
            text="How does {measure} develop over {time} by {place}?",
            goal="See which **{place}** drives **{measure}**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="How does {measure} develop over {time}?",
            goal="Find turning points of **{measure}**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="Which {place} has the highest {measure}?",
            goal="Compare **{measure}** across **{place}**",
        ),
        _make_wording(
            MEASURE,
            text="How are the values of {measure} distributed?",
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
            text="How does {measure} differ by {place2}?",
            goal="Turn from **{place}** to **{place2}**",
        ),
        _make_wording(
            *(MEASURE, MEASURE2),
            text="How are the values of {measure2} distributed?",
            goal="Turn from **{measure}** to **{measure2}**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="What share of the total {measure} does each {place} have?",
            goal="Show each **share** of **{measure}**",
        ),
        _make_wording(
            text="How many rows does each value of {column} have?",
            goal="Look at the **rare** values first",
        ),
    ),
    QuestionTag.BROADEN: (
        _make_wording(
            *(PLACE, MEASURE, MEASURE2),
            text="How do {measure} and {measure2} compare by {place}?",
            goal="Rate **{place}** on **both measures**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="How many rows are there by {time}?",
            goal="Count the **rows** over **{time}**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="How many rows are there by {place}?",
            goal="Count the **rows** by **{place}**",
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
            text="How is {measure} distributed by {place}?",
            goal="Compare the **spread** between **{place}**",
        ),
        _make_wording(
            MEASURE,
            text="What does a box plot of {measure} look like?",
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
            text="各{place}的{measure}随{time}如何变化？",
            goal="查看哪个**{place}**带动**{measure}**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="{measure}随{time}如何变化？",
            goal="找出**{measure}**的**转折点**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="哪个{place}的{measure}最高？",
            goal="比较各**{place}**的**{measure}**",
        ),
        _make_wording(
            MEASURE,
            text="{measure}如何分布？",
            goal="查看**{measure}**的**分布**",
        ),
        _make_wording(text="{column}中哪些值出现得最多？", goal="统计**{column}**的**频次**"),
    ),
    QuestionTag.PIVOT: (
        _make_wording(
            *(PLACE, PLACE2, MEASURE),
            text="按{place2}看，{measure}有什么差异？",
            goal="从**{place}**转到**{place2}**",
        ),
        _make_wording(
            *(MEASURE, MEASURE2),
            text="{measure2}如何分布？",
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
            text="各{place}的{measure}和{measure2}对比如何？",
            goal="用**两个指标**评价**{place}**",
        ),
        _make_wording(
            *(TIME, MEASURE),
            text="各{time}有多少记录？",
            goal="按**{time}**统计**记录**",
        ),
        _make_wording(
            *(PLACE, MEASURE),
            text="各{place}有多少记录？",
            goal="按**{place}**统计**记录**",
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
            text="{measure}与{measure2}的相关性如何？",
            goal="检验两者的**相关性**",
        ),
        _make_wording(
            *(GROUPS, MEASURE),
            text="各{place}的{measure}如何分布？",
            goal="比较各**{place}**的**分布**",
        ),
        _make_wording(
            MEASURE,
            text="{measure}的箱线图是怎样的？",
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
