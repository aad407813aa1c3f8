"""Words of questions that pick no rows and change no number, in English and Chinese.

The lists are closed: what is neither read nor listed here is reported as not read. A word that can
restrict, negate, compare or compute (`us`, `or`, `high`, `growth`, `weekends`, 或, 上旬) is none.
"""

import re
from typing import Final

PHRASES: Final = re.compile(
    r"\b(?:(?:show|give|tell|let|get|help|make|draw) us|(?:in|from) (?:highest|largest|biggest) to "
    r"(?:lowest|smallest)|from (?:highest|largest|high|most) to (?:lowest|smallest|low|least)|"
    r"(?:in )?descending(?: order)?|(?:largest|highest|biggest) first|in order to|in terms of|"
    r"with (?:respect|regard) to|break(?:s|ing)?(?: it)? down|broken down|find out|"
    r"look(?:s|ed)? like|"
    r"in (?:total|all|general|detail)|as a (?:whole|function of)|over the (?:whole )?period|"
    r"(?:kinds?|types?|amounts?|levels?|sizes?|categor(?:y|ies)|values?|sets?|rows?|"
    r"records?) of|"
    r"(?:which|each|every|this|that) one|how (?:big|large|small|high|low|long|short|good|strong|"
    r"strongly|well|far|much)|so far|at all|as well(?: as)?|side by side|each other|"
    r"(?<=ascending )order|depend(?:s|ed|ing)? on|for me|with each other|one another)\b"
    r"|从[高大多]到[低小少]|由[高大多][到至][低小少]|降序(?:排列|排序)?|从大到小|有什么|有何|是不是有"
)
"""Some of their words would mean something alone, or look like a part of a column's name."""

_WORDS: Final = (
    "a an the this that these those it its it's they them their our we i i'd i'm i've me my "
    "mine you your who whom whose what what's whats which when where how is are was were be "
    "been being am do does did done has have had having can could will would should shall "
    "might let lets let's there there's here of by in on at to for from as with into through "
    "throughout during per across among different people person persons respondents "
    "individuals along against versus vs via between within about regarding and both also too "
    "then so if while just only such each every all any over please pls kindly show showing "
    "shown shows draw plot plotted make give create display tell find get list see want need "
    "like know help look looks looking view visualise visualize use using calculate compute "
    "describe explore understand ask answer present provide check generate build chart charts "
    "graph graphs plots diagram diagrams picture figure image visual visualization "
    "visualisation compare compared compares comparing comparison comparisons analyse analyze "
    "analysis analysed analyzed summarise summarize summary overview breakdown insight "
    "insights report question quick quickly thanks thank hi hello hey dear ok okay really "
    "very well simple nice data dataset table tables row rows record records value values "
    "column columns field fields number numbers entries entry result results group grouped "
    "groups grouping split splits divided separated sort sorted order ordered rank ranks "
    "ranked ranking colored coloured color colour respectively together altogether combined "
    "overall whole entire relation relations relationship relationships correlation "
    "correlated correlate correlates related relate relates affect affects influence "
    "influences differ differs difference differences vary varies varied variation "
    "distribution distributions distributed spread perform performs performed performing "
    "performance doing go goes going went axis pattern patterns "
)
WORDS: Final = frozenset(_WORDS.split())
_CHANGES: Final = (
    "change changes changed changing develop develops developed developing development evolve "
    "evolves evolved evolution trend trends progress history "
)
CHANGES: Final = frozenset(_CHANGES.split())
"""Fillers where a time is drawn: `how does revenue develop`."""
_GROWTH: Final = (
    "grow grows grew grown growing rise rises rose rising fall falls fell falling increase "
    "increases increased increasing decrease decreases decreased decline declines declined "
)
GROWTH: Final = frozenset(_GROWTH.split())
"""Fillers where a time is drawn and the question is how: `how did revenue grow`."""
PERIODS_COMPARED: Final = re.compile(
    r"\b(day|week|month|quarter|year)s?[ -](?:over|on|to|vs\.?|versus)[ -]\1s?\b"
)
"""A difference of each period to the one before: `year over year change`."""
HOW: Final = re.compile(r"\bhow\b|如何|怎么|怎样")
_NO_PLACE = r"(?<!\bof )(?<!\bof the )(?<!\bin the )(?<!\bfor the )(?<!\bin )(?<!\bfor )"
_NO_RANK = r"(?! than| \d| (?:two|three|four|five|six|seven|eight|nine|ten)\b)"
LARGEST: Final = re.compile(
    rf"{_NO_PLACE}\b(?:the )?(?:most|highest|largest|biggest|greatest|best|top|higher)\b{_NO_RANK}"
    r"|最为?[高大多好长贵]"
)
"""Fillers where the places are drawn from the largest on: `region with the highest`."""
EXTREMES: Final = re.compile(
    rf"{LARGEST.pattern}"
    rf"|{_NO_PLACE}\b(?:the )?(?:least|lowest|smallest|fewest|lower)\b{_NO_RANK}"
    r"|最为?[低小少短]"
)
"""Fillers where the answer names the largest and the smallest of all places."""
SUPERLATIVES: Final = re.compile(rf"{EXTREMES.pattern}|{_NO_PLACE}\b(?:the )?worst\b|最为?差")
"""Words about the order of places; they are no part of a name beside them."""
NAME_ENDS: Final = re.compile(
    r"(?<=\x00)(?:['’]s?(?![a-z])|\s+(?:levels?|types?|kinds?|categor(?:y|ies)|names?)\b)"
)
"""After a name that was read: `education level`, `the region's revenue`."""

_HAN_WORDS: Final = (
    "请问 请 帮我 帮忙 给我 给出 给 我们 我想 我要 想要 想知道 知道 想看 看看 看一下 一下 "
    "看 显示 展示 展现 呈现 画出 画一张 画个 画 绘制 做一张 做 生成 制作 统计 分析 计算 "
    "查询 列出 查看 查 告诉我 告诉 一张 一个 一幅 一份 图表 图形 图 表格 数据 是多少 "
    "有多少 多少 是什么 什么 怎么样 怎样 怎么 如何 哪个 哪些 哪种 哪一个 哪位 哪家 哪 谁 "
    "各个 每个 每一个 各种 每种 各类 每 各 按照 根据 依据 依照 按 以及 之间 对比 比较 "
    "情况 状况 关系 相关性 相关 关联 影响 排名 排行 排序 排列 分别 全部 所有 其中 时候 "
    "时间 随着 随 不同 之中 总体 整体 结果 可以 需要 进行 差异 差别 区别 表现 具体 详细 "
    "问题 汇总 分组 分类 还有 条记录 记录 方面 来说 而言 关于 来自 属于 并且 以 之 的 了 吗 呢 "
    "吧 啊 呀 嘛 和 与 及 在 是 从 到 对 把 将 用 为 就 也 都 有 被 跟 中 里 这 那 它 我 "
    "你 您 能 想 来 于 由 所 个 种 只 仅 并 且 分布 "
)
HAN_FILLER: Final = re.compile(
    "|".join(sorted(map(re.escape, _HAN_WORDS.split()), key=len, reverse=True))
)
HAN_CHANGES: Final = re.compile("变化|趋势|走势|变动|发展")
HAN_GROWTH: Final = re.compile("增长|下降|上升|减少|增加")
HAN_PARTICLES: Final = "的了吗呢吧啊呀嘛和与及或在是各每按"
"""Characters that are hardly a part of a longer word."""
