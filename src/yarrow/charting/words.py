"""The words that a chart adds to those of its table, in English and Chinese."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from yarrow.charting.model import ChartLanguage, VegaSpec


@dataclass(frozen=True, slots=True)
class ChartWords:
    """Axis titles, legend entries and labels that no table holds."""

    count: str
    density: str
    share: str
    rank: str
    running_total: str
    other: str
    increase: str
    decrease: str
    total: str
    omitted: str
    """With a slot for the number."""


class Reason(StrEnum):
    """Why a chart is suggested, in English."""

    OVER_TIME = "a measure over time"
    BY_CATEGORY = "a measure by category"
    SPREAD_WITHIN = "the spread within each category"
    PARTS = "few parts of a whole"
    TWO_CATEGORIES = "two categories compared"
    MANY_PAIRS = "many pairs of categories"
    TWO_MEASURES = "two measures"
    ONE_NUMBER = "one number"
    SPREAD = "how values are spread"
    OFTEN = "how often each value occurs"
    COORDINATES = "places with coordinates"
    PRICES = "prices of a period"

    def said(self, language: ChartLanguage) -> str:
        match language:
            case ChartLanguage.EN:
                return self.value
            case ChartLanguage.ZH:
                return CHINESE_REASONS[self]

    def asked(self, fields: Sequence[str], language: ChartLanguage) -> str:
        """The question that a chart of these fields answers, the measured one first."""
        return ASKED[language][self].format(*fields)


CHINESE_REASONS: Final[Mapping[Reason, str]] = {
    Reason.OVER_TIME: "数值随时间的变化",
    Reason.BY_CATEGORY: "各类别的数值",
    Reason.SPREAD_WITHIN: "各类别内部的分布",
    Reason.PARTS: "整体的几个组成部分",
    Reason.TWO_CATEGORIES: "两个类别的对比",
    Reason.MANY_PAIRS: "多个类别的组合",
    Reason.TWO_MEASURES: "两个数值的关系",
    Reason.ONE_NUMBER: "单个数字",
    Reason.SPREAD: "数值的分布",
    Reason.OFTEN: "每个值出现的次数",
    Reason.COORDINATES: "带坐标的地点",
    Reason.PRICES: "一段时间的价格",
}

ASKED: Final[Mapping[ChartLanguage, Mapping[Reason, str]]] = {
    ChartLanguage.EN: {
        Reason.OVER_TIME: "How does {0} develop over {1}?",
        Reason.BY_CATEGORY: "How does {0} differ by {1}?",
        Reason.SPREAD_WITHIN: "How is {0} spread within each {1}?",
        Reason.PARTS: "What share of {0} does each {1} have?",
        Reason.TWO_CATEGORIES: "How does {0} differ by {1} and {2}?",
        Reason.MANY_PAIRS: "How does {2} differ by {1} and {0}?",
        Reason.TWO_MEASURES: "How does {0} go with {1}?",
        Reason.ONE_NUMBER: "What is {0}?",
        Reason.SPREAD: "How are the values of {0} spread?",
        Reason.OFTEN: "How often does each {0} occur?",
        Reason.COORDINATES: "Where do these places lie?",
        Reason.PRICES: "How do prices move over {1}?",
    },
    ChartLanguage.ZH: {
        Reason.OVER_TIME: "{0}随{1}如何变化?",
        Reason.BY_CATEGORY: "各{1}的{0}有什么不同?",
        Reason.SPREAD_WITHIN: "各{1}内部的{0}如何分布?",
        Reason.PARTS: "各{1}占{0}的比例是多少?",
        Reason.TWO_CATEGORIES: "{0}按{1}和{2}来看有什么不同?",
        Reason.MANY_PAIRS: "{2}按{1}和{0}来看有什么不同?",
        Reason.TWO_MEASURES: "{0}与{1}有什么关系?",
        Reason.ONE_NUMBER: "{0}是多少?",
        Reason.SPREAD: "{0}的数值如何分布?",
        Reason.OFTEN: "每个{0}出现多少次?",
        Reason.COORDINATES: "这些地点在哪里?",
        Reason.PRICES: "价格随{1}如何变化?",
    },
}

WORDS: Final[Mapping[ChartLanguage, ChartWords]] = {
    ChartLanguage.EN: ChartWords(
        count="Count",
        density="Density",
        share="Share",
        rank="Rank",
        running_total="Running total",
        other="Other",
        increase="increase",
        decrease="decrease",
        total="total",
        omitted="{} items omitted",
    ),
    ChartLanguage.ZH: ChartWords(
        count="数量",
        density="密度",
        share="占比",
        rank="排名",
        running_total="累计",
        other="其他",
        increase="增加",
        decrease="减少",
        total="合计",
        omitted="省略 {} 项",
    ),
}

_MONTHS = [f"{number}月" for number in range(1, 13)]
_DAYS = ["周日", "周一", "周二", "周三", "周四", "周五", "周六"]

LOCALES: Final[Mapping[ChartLanguage, VegaSpec]] = {
    ChartLanguage.EN: {},
    ChartLanguage.ZH: {
        "time": {
            "dateTime": "%Y年%-m月%-d日 %H:%M:%S",
            "date": "%Y年%-m月%-d日",
            "time": "%H:%M:%S",
            "periods": ["上午", "下午"],
            "days": _DAYS,
            "shortDays": _DAYS,
            "months": _MONTHS,
            "shortMonths": _MONTHS,
        }
    },
}
"""How Vega writes moments; its own way is English. Numbers are written alike in both."""
