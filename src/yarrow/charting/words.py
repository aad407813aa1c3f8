"""Texts that charts add to those of their tables, in English and Chinese."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace

from yarrow.charting.model import Aggregate, ChartLanguage, VegaSpec
from yarrow.charting.notes import Note, write_note
from yarrow.language.chinese_script import to_traditional

Key = TypeVar("Key")


class ChartWords(Struct, frozen=True):
    """Axis titles, legend entries and labels that are not from the table."""

    count: str
    density: str
    share: str
    share_of: str
    """With a slot for the title of the field."""
    rank: str
    running_total: str
    other: str
    increase: str
    decrease: str
    total: str
    omitted: str
    """With a slot for the number."""
    language: ChartLanguage
    aggregates: Mapping[Aggregate, str]
    """Titles of aggregated fields, with a slot for the title of the field."""
    done: Mapping[Aggregate, str]
    """What an aggregate did to a field, as part of a sentence."""
    units: Mapping[str, str]
    """Units of time by their names in SQL."""
    world: str
    states: str

    def note(self, note: Note, **values: object) -> str:
        return write_note(self.language, note, **values)


class SuggestionReason(StrEnum):
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
    COUNT_OF_ROWS = "the number of rows"

    def describe(self, language: ChartLanguage) -> str:
        match language:
            case ChartLanguage.EN:
                return self.value
            case ChartLanguage.ZH:
                return CHINESE_REASONS[self]
            case ChartLanguage.HANT:
                return to_traditional(CHINESE_REASONS[self])

    def question(self, names: Sequence[str], language: ChartLanguage) -> str:
        """The question that a chart of these fields answers; the measured field comes first."""
        if language is ChartLanguage.HANT:
            return to_traditional(QUESTION_TEXTS[ChartLanguage.ZH][self]).format(*names)
        return QUESTION_TEXTS[language][self].format(*names)


CHINESE_REASONS: Final[Mapping[SuggestionReason, str]] = {
    SuggestionReason.OVER_TIME: "数值随时间的变化",
    SuggestionReason.BY_CATEGORY: "各类别的数值",
    SuggestionReason.SPREAD_WITHIN: "各类别内部的分布",
    SuggestionReason.PARTS: "整体的几个组成部分",
    SuggestionReason.TWO_CATEGORIES: "两个类别的对比",
    SuggestionReason.MANY_PAIRS: "多个类别的组合",
    SuggestionReason.TWO_MEASURES: "两个数值的关系",
    SuggestionReason.ONE_NUMBER: "单个数字",
    SuggestionReason.SPREAD: "数值的分布",
    SuggestionReason.OFTEN: "每个值出现的次数",
    SuggestionReason.COORDINATES: "带坐标的地点",
    SuggestionReason.PRICES: "一段时间的价格",
    SuggestionReason.COUNT_OF_ROWS: "行数",
}

QUESTION_TEXTS: Final[Mapping[ChartLanguage, Mapping[SuggestionReason, str]]] = {
    ChartLanguage.EN: {
        SuggestionReason.OVER_TIME: "How does {0} develop over {1}?",
        SuggestionReason.BY_CATEGORY: "How does {0} differ by {1}?",
        SuggestionReason.SPREAD_WITHIN: "How is {0} spread within each {1}?",
        SuggestionReason.PARTS: "What share of {0} does each {1} have?",
        SuggestionReason.TWO_CATEGORIES: "How does {0} differ by {1} and {2}?",
        SuggestionReason.MANY_PAIRS: "How does {2} differ by {1} and {0}?",
        SuggestionReason.TWO_MEASURES: "How does {0} go with {1}?",
        SuggestionReason.ONE_NUMBER: "What is {0}?",
        SuggestionReason.SPREAD: "How are the values of {0} spread?",
        SuggestionReason.OFTEN: "How often does each {0} occur?",
        SuggestionReason.COORDINATES: "Where do these places lie?",
        SuggestionReason.PRICES: "How do prices move over {1}?",
        SuggestionReason.COUNT_OF_ROWS: "How many rows are there?",
    },
    ChartLanguage.ZH: {
        SuggestionReason.OVER_TIME: "{0}随{1}如何变化？",
        SuggestionReason.BY_CATEGORY: "各{1}的{0}有什么不同？",
        SuggestionReason.SPREAD_WITHIN: "各{1}内部的{0}如何分布？",
        SuggestionReason.PARTS: "各{1}占{0}的比例是多少？",
        SuggestionReason.TWO_CATEGORIES: "{0}按{1}和{2}来看有什么不同？",
        SuggestionReason.MANY_PAIRS: "{2}按{1}和{0}来看有什么不同？",
        SuggestionReason.TWO_MEASURES: "{0}与{1}有什么关系？",
        SuggestionReason.ONE_NUMBER: "{0}是多少？",
        SuggestionReason.SPREAD: "{0}的数值如何分布？",
        SuggestionReason.OFTEN: "每个{0}出现多少次？",
        SuggestionReason.COORDINATES: "这些地点在哪里？",
        SuggestionReason.PRICES: "价格随{1}如何变化？",
        SuggestionReason.COUNT_OF_ROWS: "有多少行？",
    },
}

_WORDS: Final[Mapping[ChartLanguage, ChartWords]] = {
    ChartLanguage.EN: ChartWords(
        count="Count",
        density="Density",
        share="Share",
        share_of="share of {}",
        rank="Rank",
        running_total="Running total",
        other="Other",
        increase="increase",
        decrease="decrease",
        total="total",
        omitted="{} items omitted",
        language=ChartLanguage.EN,
        aggregates={
            Aggregate.SUM: "sum of {}",
            Aggregate.MEAN: "mean of {}",
            Aggregate.MEDIAN: "median of {}",
            Aggregate.MIN: "min of {}",
            Aggregate.MAX: "max of {}",
            Aggregate.COUNT: "count of {}",
            Aggregate.DISTINCT: "distinct {}",
            Aggregate.STDEV: "standard deviation of {}",
        },
        done={
            Aggregate.SUM: "summed",
            Aggregate.MEAN: "averaged",
            Aggregate.MEDIAN: "reduced to its median",
            Aggregate.MIN: "reduced to its smallest value",
            Aggregate.MAX: "reduced to its largest value",
            Aggregate.COUNT: "counted",
            Aggregate.DISTINCT: "reduced to the number of its distinct values",
            Aggregate.STDEV: "reduced to its standard deviation",
        },
        units={},
        world="the globe",
        states="the United States",
    ),
    ChartLanguage.ZH: ChartWords(
        count="数量",
        density="密度",
        share="占比",
        share_of="{}占比",
        rank="排名",
        running_total="累计",
        other="其他",
        increase="增加",
        decrease="减少",
        total="合计",
        omitted="省略 {} 项",
        language=ChartLanguage.ZH,
        aggregates={
            Aggregate.SUM: "{}合计",
            Aggregate.MEAN: "{}平均值",
            Aggregate.MEDIAN: "{}中位数",
            Aggregate.MIN: "{}最小值",
            Aggregate.MAX: "{}最大值",
            Aggregate.COUNT: "{}计数",
            Aggregate.DISTINCT: "{}去重计数",
            Aggregate.STDEV: "{}标准差",
        },
        done={
            Aggregate.SUM: "取合计",
            Aggregate.MEAN: "取平均值",
            Aggregate.MEDIAN: "取中位数",
            Aggregate.MIN: "取最小值",
            Aggregate.MAX: "取最大值",
            Aggregate.COUNT: "取计数",
            Aggregate.DISTINCT: "取去重计数",
            Aggregate.STDEV: "取标准差",
        },
        units={
            "second": "秒",
            "minute": "分钟",
            "hour": "小时",
            "day": "日",
            "week": "周",
            "month": "月",
            "quarter": "季度",
            "year": "年",
            "decade": "十年",
        },
        world="地球",
        states="美国",
    ),
}


def _convert_words(words: ChartWords) -> ChartWords:
    """The words in traditional script."""
    texts = {field.name: getattr(words, field.name) for field in fields(words)}
    return replace(
        words,
        **{name: to_traditional(text) for name, text in texts.items() if type(text) is str},
        language=ChartLanguage.HANT,
        aggregates=_convert_texts(words.aggregates),
        done=_convert_texts(words.done),
        units=_convert_texts(words.units),
    )


def _convert_texts(texts: Mapping[Key, str]) -> dict[Key, str]:
    return {key: to_traditional(text) for key, text in texts.items()}


WORDS: Final[Mapping[ChartLanguage, ChartWords]] = {
    **_WORDS,
    ChartLanguage.HANT: _convert_words(_WORDS[ChartLanguage.ZH]),
}

_MONTHS = [f"{number}月" for number in range(1, 13)]
_DAYS = ["周日", "周一", "周二", "周三", "周四", "周五", "周六"]


def _make_locale(days: list[str]) -> VegaSpec:
    return {
        "time": {
            "dateTime": "%Y年%-m月%-d日 %H:%M:%S",
            "date": "%Y年%-m月%-d日",
            "time": "%H:%M:%S",
            "periods": ["上午", "下午"],
            "days": days,
            "shortDays": days,
            "months": _MONTHS,
            "shortMonths": _MONTHS,
        }
    }


LOCALES: Final[Mapping[ChartLanguage, VegaSpec]] = {
    ChartLanguage.EN: {},
    ChartLanguage.ZH: _make_locale(_DAYS),
    ChartLanguage.HANT: _make_locale([to_traditional(day) for day in _DAYS]),
}
"""Vega's locale for dates; English is its default. Numbers have the same format in both."""
