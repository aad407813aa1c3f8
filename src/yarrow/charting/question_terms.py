"""Words of questions that name a chart, an aggregate, a grouping or a time, in two languages."""

import re
from collections.abc import Mapping
from typing import Final

from yarrow.charting.model import Aggregate

CHART_NOUNS: Final = frozenset(
    {"chart", "charts", "plot", "plots", "graph", "graphs", "diagram", "diagrams"}
)
PLAIN_TYPES: Final = frozenset(
    {
        *("bar", "bars", "barchart", "pie", "scatter", "scatterplot", "histogram", "hist", "line"),
        *("heatmap", "boxplot", "donut", "doughnut", "lollipop", "waterfall", "radar", "kpi"),
        *("candlestick", "streamgraph", "timeseries"),
    }
)
"""Words that name a chart without `chart` behind them; `area` and `rose` do not."""
CHINESE_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("横向柱状图", "横向条形图", "水平柱状图", "水平条形图", "横条图"), "horizontalbar"
    ),
    **dict.fromkeys(
        ("百分比堆叠柱状图", "百分比堆积柱状图", "百分比堆叠条形图"), "percentstackedbar"
    ),
    **dict.fromkeys(("分组柱状图", "分组条形图", "簇状柱形图"), "groupedbar"),
    **dict.fromkeys(("堆叠柱状图", "堆积柱状图", "堆叠条形图", "堆积条形图"), "stackedbar"),
    **dict.fromkeys(("柱状图", "柱形图", "条形图", "柱图", "条图", "柱状", "直条图"), "bar"),
    **dict.fromkeys(("折线图", "曲线图", "线图", "趋势图", "折线", "线形图"), "line"),
    **dict.fromkeys(("饼状图", "饼图", "圆饼图", "扇形图"), "pie"),
    **dict.fromkeys(("环形图", "圆环图"), "donut"),
    **dict.fromkeys(("散点图", "气泡图", "散点", "点图"), "scatter"),
    **dict.fromkeys(("直方图", "频率分布图", "频数分布图", "分布图"), "histogram"),
    **dict.fromkeys(("密度图",), "density"),
    **dict.fromkeys(("箱线图", "箱形图", "箱型图", "盒须图", "箱图"), "boxplot"),
    **dict.fromkeys(("面积图",), "area"),
    **dict.fromkeys(("热力图", "热图"), "heatmap"),
    **dict.fromkeys(("雷达图",), "radar"),
    **dict.fromkeys(("瀑布图",), "waterfall"),
    **dict.fromkeys(("玫瑰图",), "rose"),
    **dict.fromkeys(("k线图", "蜡烛图"), "candlestick"),
    **dict.fromkeys(("棒棒糖图",), "lollipop"),
    **dict.fromkeys(("河流图",), "streamgraph"),
    **dict.fromkeys(("金字塔图",), "pyramid"),
    **dict.fromkeys(("回归图",), "regression"),
    **dict.fromkeys(("世界地图", "地图"), "worldmap"),
}
UNKNOWN_TYPES: Final = re.compile(
    r"\b(sankey|tree ?map|funnel|sunburst|gantt|violin|chord|word ?cloud|gauge|network)\b"
    r"|(桑基图|矩形树图|树图|漏斗图|旭日图|甘特图|小提琴图|和弦图|词云图?|仪表盘|关系图)"
)
"""Charts that people know and that cannot be drawn."""

AGGREGATE_TERMS: Final[tuple[tuple[Aggregate, str], ...]] = (
    (
        Aggregate.DISTINCT,
        r"\b(?:(?:number of|how many|counts? of) different|(?:number of )?(?:distinct|unique))\b"
        r"|去重计数|去重",
    ),
    (
        Aggregate.COUNT,
        r"\b(?:total )?number of\b|\bhow (?:many|often)\b|\b(?:occurs?|occurred)\b|"
        r"\bmost (?:often|frequent(?:ly)?|common(?:ly)?)\b|\bcounts?\b|\bcounted\b|"
        r"\bfrequenc(?:y|ies)\b"
        r"|数量|个数|次数|(?<!统)计数|总数|行数|频次|频数|条数|数目|订单数|单量|笔数|件数|人数|户数|家数|多少[个条行次位名人种家款项]|有多少(?=[^\x00\W])|几[个条行次位名人种家款项]",
    ),
    (Aggregate.MEAN, r"\b(?:averages?|averaged|avg|means?)\b|平均值?|均值"),
    (Aggregate.MEDIAN, r"\bmedians?\b|中位数"),
    (Aggregate.STDEV, r"\b(?:standard deviations?|stdev|stddev)\b|标准差"),
    (Aggregate.MAX, r"\bmax(?:imum|ima)?\b|最大值?"),
    (Aggregate.MIN, r"\bmin(?:imum|ima)?\b|最小值?"),
    (Aggregate.SUM, r"\b(?:totals?|sums?|summed)\b|合计|总计|总和|求和|总量|总额|总"),
)
"""In the order in which they are searched: `total number of` is a count and no sum."""

BOUND_END: Final = re.compile(
    r"(?:\b(?:above|below|under|over|than|exceed\w*)\s+(?:the\s+)?|[高低大小多少]于|超过|不到)$"
)
"""The end of the text before an aggregate that numbers are compared with: `above average`."""
COUNTED_END: Final = re.compile(
    r"(?:\b(?:number of|how many|counts? of)\s+(?:the\s+)?|(?:多少|几)[个条位名种家款项]?\s*)$"
)
"""The end of the text before what is counted."""
HAN_COUNTED_NEXT: Final = re.compile(
    r"^的?(?:总数量?|数量|个数|数目|有多少[个种家款项]?)(?!的?分布)"
)
"""After what is counted: 门店数量, but not 各门店数量."""
HAN_JOINED_END: Final = re.compile(r"[和与及、跟,，]\s*$")
ROW_COUNT_END: Final = re.compile(r"\bcounts? of\s+(?:the\s+)?$")
"""Before a column whose values are counted, never added."""
COUNTED_NAME: Final = re.compile(r"[a-z][a-z-]*s\b\s*")

EXTREME_END: Final = re.compile(
    r"(?:\b(?:(?P<largest>highest|largest|biggest|greatest)|lowest|smallest)\s+"
    r"|(?P<most>最[高大])的?|最[低小]的?)$"
)
"""The end of the text before a measure of which the largest or smallest value is meant."""
RANKING_END: Final = re.compile(
    r"\b(?:has|have|had|with|having|by|is|are|whose|reached|which|who)\s+(?:the\s+)?$"
)
"""Before `highest` where the place with that value is meant."""

TIME_TERMS: Final = re.compile(
    r"^\s*when\b|什么时候|何时"
    r"|\b(time|date|dates|days?|daily|weeks?|weekly|months?|monthly|quarters?|quarterly|years?"
    r"|yearly|annual|annually|trends?|evolution|evolv(?:e[sd]?|ing)|develop(?:s|ed|ing|ment)?"
    r"|chang(?:e[sd]?|ing)(?!\s+(?:with|by|across|between|per|depending|as|when|if)))\b"
    r"|(时间|日期|走势|趋势|变化|演变|逐月|逐年|逐日|[按各每]个?(?:年|月|日|周|天|季度?)份?"
    r"|月份|年份|年度)"
)
"""Words by which a time is meant: `how does revenue develop`."""

TIME_NOUNS: Final = re.compile(r"(?:days?|weeks?|months?|quarters?|years?|dates?)")
TIME_PLACES: Final = re.compile(
    r"\b(?:by|per|over|across|along|each|every|and|&|versus|vs\.?|which|what|when|"
    r"number of|how many|counts? of)"
    r"\s+(?:the\s+|calendar\s+|different\s+)?$|,\s*$"
)
"""The end of the text before a unit of time by which is grouped, or that is counted."""

TIME_UNIT_TERMS: Final[Mapping[str, re.Pattern[str]]] = {
    "day": re.compile(r"\b(?:days?|daily)\b|[按各每]个?[日天]|逐日"),
    "week": re.compile(r"\b(?:weeks?|weekly)\b|[按各每]个?周|逐周"),
    "month": re.compile(r"\b(?:months?|monthly)\b|[按各每]个?月|逐月|月份"),
    "quarter": re.compile(r"\b(?:quarters?|quarterly)\b|[按各每]个?季"),
    "year": re.compile(r"\b(?:years?|yearly|annual|annually)\b|[按各每]个?年|逐年|年份|年度"),
}
"""How finely a question wants a time."""
UNIT_GROUPED_END: Final = re.compile(r"\b(?:by|per|each|every|for each)\s+(?:the\s+|calendar\s+)?$")
UNIT_GROUPED: Final = re.compile(
    r"\b(?:by|per|each|every)\s+(?:the\s+|calendar\s+)?(?:week|month|quarter|year)s?\b"
)
SHARE_TERMS: Final = re.compile(
    r"\b(?:shares?|percentages?|percent|proportions?|fractions?)(?:\s+of)?\b"
    r"|占比|份额|比重|比例|百分比|占(?![地用据领])"
)
SPREAD_TERMS: Final = re.compile(r"\bdistribut(?:ion|ions|ed)\b|\bspread\b|分布")

GROUPING_END: Final = re.compile(
    r"(?:\b(?:by|per|across|among|between|within|over|along|against|versus|vs\.?|each|every|"
    r"for each|for every|colou?red by)\s+(?:the\s+|each\s+|every\s+|all\s+)?|"
    r"(?:按照?|各个?|每个?一?个?|不同的?|分|随着?|跨|依)\s*)$"
)
"""The end of the text before a column by which rows are grouped."""
BETWEEN_END: Final = re.compile(r"\bbetween\s+(?:the\s+)?$")
"""Before the first of two measures whose relation is meant."""
PAIRING_END: Final = re.compile(r"(?:\b(?:against|versus|vs\.?)\s+(?:the\s+)?)$")
"""The end of the text before a column that is the other axis of a scatter plot."""
RATIO_END: Final = re.compile(r"\b(?:per|divided\s+by)\s+(?:the\s+|unit of\s+)?$")
JOINED: Final = re.compile(r"^\s*(?:,|&|/|、|，|and|和|与|及|以及|跟)?\s*(?:the\s+|by\s+|各)?$")
"""The whole text between two columns that have the same role."""

NAME_AFTER: Final = re.compile(
    r"\b(?:of|by|per|across|over|against|versus|vs\.?|each|every)\s+"
    r"(?:(?:the|a|an|each|every|all|its|their|our)\s+)*"
    r"(?=([^\W\d_][\w-]*(?:\s+[^\W\d_][\w-]*){0,2}))"
)
NAME_BEFORE: Final = re.compile(
    r"([^\W\d_][\w-]*(?:\s+[^\W\d_][\w-]*)?)\s+(?:by|per|across|over|against|versus|vs\.?)\b"
)
NAME_PLACES: Final = (
    *("of", "by", "vs", "and", "over", "per", "average", "mean", "median", "total", "sum"),
    *("maximum", "minimum", "max", "min"),
)
"""Words before the name of a column, also of one that is a common word: `average share`."""
NAME_OPENINGS: Final = ("", "show ", "show me ", "show the ", "plot ", "draw ", "the ")
"""What stands before such a name at the beginning of a question."""
HAN_NAMES_NEXT: Final = ("合计", "总计", "总和", "求和", "平均", "均值", "中位数", "最大", "最小")
"""Words after the Chinese name of a column that is a common word."""
NAME_JOINED: Final = re.compile(r"\b\w+_\w+\b")
CHINESE_NAMES: Final = (
    re.compile(
        r"(?:按照?|各个?|每个?|不同)([\u4e00-\u9fff]{1,6}?)(?=的|统计|画|分组|来|\x00|[,,。??]|$)"
    ),
    re.compile(
        r"的([\u4e00-\u9fff]{2,6}?)(?=\x00|[,,。??]|是|有|多少|分布|趋势|变化|情况|对比|比较|图|$)"
    ),
)
NO_NAMES: Final = frozenset(
    {
        *("a", "an", "the", "of", "by", "in", "on", "at", "to", "for", "from", "and", "or", "as"),
        *("is", "are", "was", "were", "be", "do", "does", "did", "has", "have", "had", "can"),
        *("will", "it", "its", "this", "that", "these", "those", "them", "they", "their", "our"),
        *("i", "we", "us", "me", "my", "you", "your", "who", "what", "which", "when", "where"),
        *("why", "how", "much", "many", "more", "most", "less", "least", "all", "any", "each"),
        *("every", "some", "other", "others", "per", "across", "over", "against", "versus", "vs"),
        *("with", "without", "between", "among", "within", "along", "than", "please", "show"),
        *("draw", "plot", "make", "give", "create", "display", "chart", "charts", "graph"),
        *("graphs", "plots", "data", "dataset", "table", "tables", "row", "rows", "record"),
        *("records", "value", "values", "column", "columns", "number", "numbers", "time", "times"),
        *("differ", "differs", "different", "difference", "differences", "vary", "varies"),
        *("change", "changes", "changed", "develop", "develops", "development", "distribution"),
        *("distributed", "distributions", "grow", "grows", "growth", "split", "grouped", "group"),
        *("groups", "broken", "down", "compare", "compared", "comparison", "spread", "look"),
        *("sorted", "ordered", "ranked", "colored", "coloured", "divided", "separated", "trend"),
        *("trends", "evolve", "evolves", "evolved", "go", "goes", "relation", "relationship"),
        *("correlation", "correlated", "top", "bottom", "highest", "lowest", "largest"),
        *("smallest", "best", "worst", "first", "last", "biggest", "share", "shares", "part"),
        *("parts", "percentage", "percent", "breakdown", "overview", "summary", "thing", "things"),
        *(
            "people",
            "person",
            "persons",
            "up",
            "out",
            "bar",
            "bars",
            "line",
            "lines",
            "pie",
            "one",
            "two",
            "three",
            "four",
        ),
        *("数据", "情况", "变化", "趋势", "分布", "对比", "关系", "数值", "占比", "比例", "比较"),
        *("图", "图表", "数字", "表", "数据表", "走势", "个", "种", "类", "一张图", "一张", "差异"),
        *("不同", "是多少", "多少", "排名", "平均", "合计"),
    }
)
"""Words in the place of a name that name no column."""


def find_time_unit(text: str) -> str:
    """The unit of time by which a question groups, else the first one; empty if it names none."""
    found = [
        (not UNIT_GROUPED_END.search(text[: match.start()]), match.start(), unit)
        for unit, pattern in TIME_UNIT_TERMS.items()
        for match in pattern.finditer(text)
    ]
    return min(found, default=(False, 0, ""))[2]
