"""Words of a question that were not read as anything, to be told."""

import re
from typing import Final

from yarrow.charting.filters.unapplied import UnappliedWords
from yarrow.charting.notes import Note
from yarrow.charting.question_terms import CHART_NOUNS, NO_NAMES
from yarrow.charting.question_text import REMOVED, QuestionText

_WORD: Final = re.compile(r"[^\W\d_\u3400-\u9fff][\w'-]*")
_HAN_RUN: Final = re.compile(r"[\u3400-\u9fff]{2,}")
_MEANINGLESS: Final = frozenset(
    {
        *NO_NAMES,
        *CHART_NOUNS,
        *("a", "also", "am", "an", "another", "answer", "ask", "because", "been", "being", "both"),
        *("but", "calculate", "could", "count", "describe", "detail", "details", "explore", "find"),
        *("get", "help", "here", "higher", "if", "in", "into", "just", "know", "kindly", "let"),
        *("let's", "like", "list", "lower", "mine", "need", "now", "of", "ok", "only", "order"),
        *(
            "pattern",
            "patterns",
            "pls",
            "question",
            "quick",
            "quickly",
            "rank",
            "ranking",
            "really",
        ),
        *("see", "should", "so", "sort", "still", "such", "tell", "thank", "thanks", "then"),
        *("there", "through", "too", "understand", "use", "using", "very", "view", "visual"),
        *("visualise", "visualize", "want", "way", "well", "what's", "while", "whole", "would"),
        *("yes", "picture", "figure", "different", "kind", "kinds", "type", "types", "category"),
        *("categories", "one", "ones", "each", "across", "where", "whose", "having", "during"),
        *("overall", "altogether", "combined", "together", "respectively", "sizes", "size"),
        *("ascending", "descending", "looks", "doing", "perform", "performs", "performance"),
        *("increase", "increases", "decrease", "decreases", "rise", "rises", "fall", "falls"),
        *("decline", "over", "is", "it's", "i'd", "i'm", "me", "hi", "hello", "dear", "results"),
        *("result", "level", "levels", "amount", "amounts", "since", "after", "before", "until"),
        *("big", "large", "small", "high", "low", "long", "short", "good", "bad", "occur"),
        *("occurs", "often", "analysis", "analyse", "analyze", "insight", "insights", "report"),
        *("development", "over", "period", "periods", "year", "years", "month", "months", "week"),
        *("weeks", "day", "days", "quarter", "quarters", "date", "dates", "per", "vs", "versus"),
    }
)
_HAN_WORDS: Final = (
    "请 帮我 帮忙 给我 我想 我要 想要 看看 看一下 一下 显示 展示 画出 绘制 "
    "生成 统计 分析 计算 查询 列出 查看 告诉我 告诉 一张 一个 一幅 图表 表格 "
    "数据 是多少 多少 是什么 什么 怎么样 怎样 怎么 如何 哪个 哪些 几个 各个 每个 "
    "按照 根据 依据 以及 之间 对比 比较 相比 情况 变化 趋势 走势 分布 关系 "
    "占比 比例 份额 比重 排名 排行 排序 排列 从高到低 从低到高 降序 升序 最高 最低 "
    "最大 最小 最多 最少 最好 最差 分别 全部 所有 其中 以来 期间 时候 时间 "
    "随着 不同 之中 总体 整体 结果 季度 可以 需要 进行 差异 差别 区别 表现 "
    "具体 详细 问题 汇总 分组 分类 还有 还是 增长 下降 上升 减少 增加 变动 "
    "记录 折线 有多 多高 多大 月份 年份 "
)
_HAN_BREAKS: Final = re.compile(
    "|".join(sorted(_HAN_WORDS.split(), key=len, reverse=True))
    + "|[的了吗呢吧啊和与及或在是各每按从到对把将用为就也都有被跟]"
)
"""Words and particles that say nothing about rows."""
_HAN_WEAK: Final = re.compile(
    "[一二三四五六七八九十个名位种类项家条行列年月日天周季数值高低大小多少图表画看做想中里内上下时来去得地所其分成出随以之至这那它我你能只仅人]+"
)
"""Characters that mean nothing alone, but are parts of words."""


def is_meaningless(text: str) -> bool:
    """Whether the words say nothing about rows, in lower case."""
    return all(word in _MEANINGLESS for word in _WORD.findall(text))


def find_unread(rest: QuestionText, table: str) -> list[UnappliedWords]:
    """The words that are left and mean something; neighbours are told together."""
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(rest.text):
        spelled = rest.spelled[match.start() : match.end()]
        is_letter = len(spelled) == 1 and (spelled in "AI" or not spelled.isupper())
        if match.group() in _MEANINGLESS or is_letter:
            continue
        if spans and not rest.text[spans[-1][1] : match.start()].strip(" "):
            spans[-1] = (spans[-1][0], match.end())
        else:
            spans.append(match.span())
    plain = _HAN_BREAKS.sub(lambda match: REMOVED * len(match.group()), rest.text)
    runs = [match for match in _HAN_RUN.finditer(plain) if not _HAN_WEAK.fullmatch(match.group())]
    spans += [match.span() for match in runs]
    return [
        UnappliedWords(rest.spelled[start:end], Note.NOT_READ, {"table": table})
        for start, end in sorted(spans)
    ]
