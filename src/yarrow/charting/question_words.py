"""How questions are worded, in English and Chinese; the first one that leads to its chart is used.

They are asked without a model too, so they say only what `question_reader` reads.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from yarrow.charting.model import ChartLanguage, ChartType
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

    COLUMN = "column"
    REPEATED = "repeated"
    """A column of which several rows have the same value."""
    TIME = "time"
    MOMENT = "moment"
    """A time that several rows have."""
    MEASURE = "measure"
    MEASURE2 = "measure2"
    AMOUNT = "amount"
    """A measure that may be summed."""
    PLACE = "place"
    PLACE2 = "place2"
    PART = "part"
    """A place with few values."""
    GROUP = "group"
    """A place with few values that several rows have."""
    SAMPLE = "sample"
    """How many rows there are, if enough to tell a correlation from chance."""
    GROUPS = "groups"
    """The place, if it has more rows than values, so that its values can be compared."""


class QuestionWording(Struct, frozen=True):
    chart: ChartType
    """What it leads to."""
    needs: frozenset[QuestionSlot]
    text: str
    goal: str


def _make_wording(chart: ChartType, *needs: QuestionSlot, text: str, goal: str) -> QuestionWording:
    return QuestionWording(chart, frozenset(needs), text, goal)


COLUMN, REPEATED = QuestionSlot.COLUMN, QuestionSlot.REPEATED
TIME, MOMENT = QuestionSlot.TIME, QuestionSlot.MOMENT
MEASURE, MEASURE2, AMOUNT = QuestionSlot.MEASURE, QuestionSlot.MEASURE2, QuestionSlot.AMOUNT
PLACE, PLACE2, PART = QuestionSlot.PLACE, QuestionSlot.PLACE2, QuestionSlot.PART
GROUP = QuestionSlot.GROUP
SAMPLE, GROUPS = QuestionSlot.SAMPLE, QuestionSlot.GROUPS
LINE, BAR, PIE, HISTOGRAM = ChartType.LINE, ChartType.BAR, ChartType.PIE, ChartType.HISTOGRAM
SCATTER, BOXPLOT, CARD = ChartType.SCATTER, ChartType.BOXPLOT, ChartType.KPI_CARD

ENGLISH: Mapping[QuestionTag, tuple[QuestionWording, ...]] = {
    QuestionTag.DEEP_DIVE: (
        _make_wording(
            *(LINE, TIME, MEASURE, PLACE),
            text="How does {measure} develop over {time} by {place}?",
            goal="See which **{place}** drives **{measure}**",
        ),
        _make_wording(
            *(LINE, TIME, MEASURE),
            text="How does {measure} develop over {time}?",
            goal="Find turning points of **{measure}**",
        ),
        _make_wording(
            *(BAR, PLACE, MEASURE),
            text="Which {place} has the highest {measure}?",
            goal="Compare **{measure}** across **{place}**",
        ),
        _make_wording(
            *(BAR, PLACE, MEASURE),
            text="How does {measure} differ by {place}?",
            goal="Compare **{measure}** across **{place}**",
        ),
        _make_wording(
            *(HISTOGRAM, MEASURE),
            text="How are the values of {measure} distributed?",
            goal="See the spread of **{measure}**",
        ),
        _make_wording(
            *(BAR, REPEATED),
            text="Which values of {repeated} occur most often?",
            goal="Count the values of **{repeated}**",
        ),
        _make_wording(
            *(CARD, AMOUNT),
            text="What is the total {amount}?",
            goal="See the **total** of **{amount}**",
        ),
        _make_wording(
            *(CARD, COLUMN),
            text="How many different values does {column} have in all?",
            goal="See how **varied** **{column}** is",
        ),
    ),
    QuestionTag.PIVOT: (
        _make_wording(
            *(BAR, PLACE2, MEASURE),
            text="How does {measure} differ by {place2}?",
            goal="Compare **{measure}** across **{place2}**",
        ),
        _make_wording(
            *(HISTOGRAM, MEASURE2),
            text="How are the values of {measure2} distributed?",
            goal="See the spread of **{measure2}**",
        ),
        _make_wording(
            *(PIE, PART, AMOUNT),
            text="What share of the total {amount} does each {part} have?",
            goal="Show each **share** of **{amount}**",
        ),
        _make_wording(
            *(BAR, PLACE, MEASURE),
            text="How does {measure} differ by {place}?",
            goal="Compare **{measure}** across **{place}**",
        ),
        _make_wording(
            *(PIE, GROUP),
            text="What percentage of rows does each {group} have?",
            goal="Show each **share** of the **rows**",
        ),
        _make_wording(
            *(CARD, MEASURE),
            text="What is the average {measure}?",
            goal="Reduce **{measure}** to **one number**",
        ),
    ),
    QuestionTag.BROADEN: (
        _make_wording(
            *(BAR, PLACE, MEASURE2),
            text="How does {measure2} differ by {place}?",
            goal="Rate **{place}** by **{measure2}** too",
        ),
        _make_wording(
            *(LINE, TIME, MEASURE2),
            text="How does {measure2} develop over {time}?",
            goal="Find turning points of **{measure2}**",
        ),
        _make_wording(
            *(BAR, MOMENT),
            text="How many rows are there by {moment}?",
            goal="Count the **rows** over **{moment}**",
        ),
        _make_wording(
            *(BAR, REPEATED),
            text="How many rows are there by {repeated}?",
            goal="Count the **rows** by **{repeated}**",
        ),
        _make_wording(
            *(CARD, AMOUNT),
            text="What is the total {amount}?",
            goal="See the **total** of **{amount}**",
        ),
        _make_wording(
            CARD, text="How many rows are there in all?", goal="See how **large** the table is"
        ),
    ),
    QuestionTag.STATISTICAL: (
        _make_wording(
            *(SCATTER, MEASURE, MEASURE2, SAMPLE),
            text="How strong is the correlation between {measure} and {measure2}?",
            goal="Test **correlation** with **{measure2}**",
        ),
        _make_wording(
            *(BOXPLOT, GROUPS, MEASURE),
            text="How is {measure} distributed by {groups}?",
            goal="Compare the **spread** between **{groups}**",
        ),
        _make_wording(
            *(BOXPLOT, MEASURE),
            text="What does a box plot of {measure} look like?",
            goal="Summarise **{measure}** with **statistics**",
        ),
        _make_wording(
            *(CARD, REPEATED),
            text="How many different values does {repeated} have in all?",
            goal="See how **varied** **{repeated}** is",
        ),
    ),
}

CHINESE: Mapping[QuestionTag, tuple[QuestionWording, ...]] = {
    QuestionTag.DEEP_DIVE: (
        _make_wording(
            *(LINE, TIME, MEASURE, PLACE),
            text="各{place}的{measure}随{time}如何变化？",
            goal="查看哪个**{place}**带动**{measure}**",
        ),
        _make_wording(
            *(LINE, TIME, MEASURE),
            text="{measure}随{time}如何变化？",
            goal="找出**{measure}**的**转折点**",
        ),
        _make_wording(
            *(BAR, PLACE, MEASURE),
            text="哪个{place}的{measure}最高？",
            goal="比较各**{place}**的**{measure}**",
        ),
        _make_wording(
            *(BAR, PLACE, MEASURE),
            text="按{place}看，{measure}有什么差异？",
            goal="比较各**{place}**的**{measure}**",
        ),
        _make_wording(
            *(HISTOGRAM, MEASURE),
            text="{measure}如何分布？",
            goal="查看**{measure}**的**分布**",
        ),
        _make_wording(
            *(BAR, REPEATED),
            text="各{repeated}有多少记录？",
            goal="统计**{repeated}**的**频次**",
        ),
        _make_wording(
            *(CARD, AMOUNT), text="{amount}合计是多少？", goal="查看**{amount}**的**合计**"
        ),
        _make_wording(
            *(CARD, COLUMN),
            text="{column}去重计数是多少？",
            goal="查看**{column}**有**多少种**",
        ),
    ),
    QuestionTag.PIVOT: (
        _make_wording(
            *(BAR, PLACE2, MEASURE),
            text="按{place2}看，{measure}有什么差异？",
            goal="比较各**{place2}**的**{measure}**",
        ),
        _make_wording(
            *(HISTOGRAM, MEASURE2),
            text="{measure2}如何分布？",
            goal="查看**{measure2}**的**分布**",
        ),
        _make_wording(
            *(PIE, PART, AMOUNT),
            text="各{part}占{amount}总量的比例是多少？",
            goal="查看**{amount}**的**占比**",
        ),
        _make_wording(
            *(BAR, PLACE, MEASURE),
            text="按{place}看，{measure}有什么差异？",
            goal="比较各**{place}**的**{measure}**",
        ),
        _make_wording(
            *(PIE, GROUP), text="各{group}占比是多少？", goal="查看各**{group}**的**占比**"
        ),
        _make_wording(
            *(CARD, MEASURE), text="{measure}的平均值是多少？", goal="查看**{measure}**的**平均值**"
        ),
    ),
    QuestionTag.BROADEN: (
        _make_wording(
            *(BAR, PLACE, MEASURE2),
            text="按{place}看，{measure2}有什么差异？",
            goal="也用**{measure2}**评价**{place}**",
        ),
        _make_wording(
            *(LINE, TIME, MEASURE2),
            text="{measure2}随{time}如何变化？",
            goal="找出**{measure2}**的**转折点**",
        ),
        _make_wording(
            *(BAR, MOMENT), text="各{moment}有多少记录？", goal="按**{moment}**统计**记录**"
        ),
        _make_wording(
            *(BAR, REPEATED), text="各{repeated}有多少记录？", goal="按**{repeated}**统计**记录**"
        ),
        _make_wording(
            *(CARD, AMOUNT), text="{amount}合计是多少？", goal="查看**{amount}**的**合计**"
        ),
        _make_wording(CARD, text="有多少条记录？", goal="查看表的**大小**"),
    ),
    QuestionTag.STATISTICAL: (
        _make_wording(
            *(SCATTER, MEASURE, MEASURE2, SAMPLE),
            text="{measure}与{measure2}的相关性如何？",
            goal="检验两者的**相关性**",
        ),
        _make_wording(
            *(BOXPLOT, GROUPS, MEASURE),
            text="各{groups}的{measure}如何分布？",
            goal="比较各**{groups}**的**分布**",
        ),
        _make_wording(
            *(BOXPLOT, MEASURE),
            text="{measure}的箱线图是怎样的？",
            goal="**统计**概括**{measure}**",
        ),
        _make_wording(
            *(CARD, REPEATED),
            text="{repeated}去重计数是多少？",
            goal="查看**{repeated}**有**多少种**",
        ),
    ),
}

QUESTIONS: Mapping[ChartLanguage, Mapping[QuestionTag, tuple[QuestionWording, ...]]] = {
    ChartLanguage.EN: ENGLISH,
    ChartLanguage.ZH: CHINESE,
    ChartLanguage.HANT: {
        tag: tuple(
            QuestionWording(w.chart, w.needs, to_traditional(w.text), to_traditional(w.goal))
            for w in wordings
        )
        for tag, wordings in CHINESE.items()
    },
}
QUOTATION_MARKS: Final[Mapping[ChartLanguage, str]] = {
    ChartLanguage.EN: '"{}"',
    ChartLanguage.ZH: "“{}”",
    ChartLanguage.HANT: "「{}」",
}
"""Around the name of a column that is also a word of questions."""
