"""What a question asks for, as far as the assistant's tools can answer it: text in, intent out.

The rules know English and Chinese in both scripts. They are tried in the order of `_RULES`; the
first one that recognises the text wins.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from yarrow.kit.json import JsonObject
from yarrow.llm.rules.arithmetic import find_expression
from yarrow.llm.rules.courtesies import (
    Courtesy,
    read_courtesy,
    read_self_harm,
    read_sorrow,
)
from yarrow.llm.rules.patterns import compile_any
from yarrow.llm.rules.time_questions import (
    EDGES,
    DateIntent,
    TimeIntent,
    read_date,
    read_time,
)


@dataclass(frozen=True, slots=True)
class ArithmeticIntent:
    expression: str


@dataclass(frozen=True, slots=True)
class PointsIntent:
    """How many points the account has."""


@dataclass(frozen=True, slots=True)
class LedgerIntent:
    """How the points moved."""


@dataclass(frozen=True, slots=True)
class SearchIntent:
    """Past sessions about `query`; empty if the question names no words."""

    query: str


@dataclass(frozen=True, slots=True)
class CastIntent:
    question: str


@dataclass(frozen=True, slots=True)
class CastFollowUpIntent:
    """A later question about the hexagram that was cast for `question`."""

    question: str
    follow_up: str
    cast: JsonObject | None = None
    """Its lines and time, as the tool takes them."""


@dataclass(frozen=True, slots=True)
class TableFigure:
    """A figure of a column, of all rows or for each value of the column `by`."""

    measure: str
    column: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class TableIntent:
    """Uploaded tables: a list, one table, or a figure of it."""

    table: str = ""
    figure: TableFigure | None = None


@dataclass(frozen=True, slots=True)
class DocsIntent:
    """How the server is used or configured."""

    query: str


@dataclass(frozen=True, slots=True)
class HelpIntent:
    """What the assistant can do."""


Intent = (
    TimeIntent
    | DateIntent
    | ArithmeticIntent
    | PointsIntent
    | LedgerIntent
    | SearchIntent
    | CastIntent
    | CastFollowUpIntent
    | TableIntent
    | DocsIntent
    | HelpIntent
    | Courtesy
)


def find_intent(text: str) -> Intent | None:
    """The intent of a question; None if no rule recognises it."""
    line = " ".join(text.split())
    if not line or len(line) > MAX_CHARS:
        return None
    return next((intent for rule in _RULES if (intent := rule(line)) is not None), None)


MAX_CHARS = 500
"""Longer texts are never a plain request for a tool."""


def _read_arithmetic(line: str) -> ArithmeticIntent | None:
    expression = find_expression(line)
    return None if expression is None else ArithmeticIntent(expression)


_LEDGER: Final = compile_any(
    r"\bledger\b",
    r"\b(?:points?|credits?)\b.{0,30}\b(?:go|gone|went|history|movements?|transactions?)\b",
    r"\b(?:history|movements?|transactions?|list) of (?:my )?(?:points|credits)\b",
    r"\b(?:spend|spent|use|used|charged).{0,12}\bpoints\b.{0,12}\b(?:on|for)\b",
    r"(?:积分|積分|点数|點數).{0,6}(?:流水|明细|明細|记录|記錄|变动|變動|去哪|花在|用在|账单|帳單)",
    r"(?:流水|账单|帳單|消费记录|消費記錄|扣费记录|扣費記錄)",
)
_POINTS: Final = compile_any(
    r"\b(?:how many|my|any|enough|have)\b.{0,20}\b(?:points|credits)\b",
    r"\b(?:points?|credits?)\b.{0,12}\b(?:balance|left|remain\w*|available)\b",
    r"\b(?:my|current|account) balance\b",
    r"(?:积分|積分|点数|點數)",
    r"(?:我的|账户|帳戶|帐户).{0,3}(?:余额|餘額)|(?:余额|餘額).{0,4}(?:多少|还有|還有)",
)
_CONFIGURING: Final = compile_any(
    r"\bYARROW_[A-Z_]+",
    r"\bhow (?:do|can|should|would|to)\b.{0,80}\b(?:yarrow|server|you|model|ollama|vllm|openai|endpoint|setting|key|"
    r"database|postgres\w*|port|speech|points?|accounts?|auth\w*|token|tools?|upload|attachments?|"
    r"images?|tables?|api|stream|run|runs|webhook|cors|log|logs|client|charts?|hexagram|session|"
    r"history|language|time ?zone|card|cards|worker|workers|scale|deploy|docs?)\b",
    r"\b(?:configure|configuration|install|set up|setup|environment variables?|deploy)\b",
    r"\b(?:docs|documentation|manual|settings?)\b",
    r"(?:怎么|怎麼|如何|怎样|怎樣).{0,24}(?:配置|设置|設置|设定|設定|安装|安裝|部署|启动|啟動|接入|使用|用(?!\s*[英中法日德汉漢]?[文语語])|"
    r"开启|開啟|打开|打開|换|換|改|连接|連接|上传|上傳|充值|获得|獲得)",
    r"(?:配置|设置|設置|设定|設定|文档|文檔|说明书|說明書|环境变量|環境變數)",
)


def _read_ledger(line: str) -> LedgerIntent | None:
    return LedgerIntent() if _LEDGER.search(line) and not _CONFIGURING.search(line) else None


def _read_points(line: str) -> PointsIntent | None:
    return PointsIntent() if _POINTS.search(line) and not _CONFIGURING.search(line) else None


_PAST = r"(?:my |our |the )?(?:past |old |older |earlier |previous )?"
_SESSIONS = r"(?:sessions?|conversations?|chats?|messages?|history|talks?)"
_SEARCH: Final = compile_any(
    rf"\b(?:search|look|find|check)\b.{{0,20}}?{_PAST}{_SESSIONS}\s*(?:for|about|with|on|where)?"
    r"\s*(?P<a>.*)",
    rf"\b(?:search|look) for (?P<b>.+?) in {_PAST}{_SESSIONS}",
    r"\b(?:did|have) (?:we|i|you)(?: ever| already)? (?:talk|talked|speak|spoken|spoke|discuss|"
    r"discussed|chat|chatted|mention|mentioned|ask|asked)(?: you)?(?: about| of| for)? (?P<c>.+)",
    r"\bwhat did (?:we|i|you) (?:say|talk|discuss|ask)(?: about)? (?P<d>.+)",
    rf"\b(?P<g>\S+) in my (?:past|old|earlier|previous) {_SESSIONS}",
    r"(?:搜索|搜尋|搜一下|搜|查找|查一下|查|找一下|找|翻一下|翻).{0,4}"
    r"(?:历史|歷史|过去|過去|以前|之前|过往|過往|我)?的?(?:会话|會話|对话|對話|聊天|记录|記錄|历史|歷史)+"
    r"(?:记录|記錄)?(?:里|裡|中|里面|裡面)?的?(?:关于|關於|有关|有關|提到)?(?P<e>.*)",
    r"(?:之前|以前|过去|過去|曾经|曾經|上次|我们|我們|我).{0,6}(?:聊过|聊過|说过|說過|问过|問過|提过|提過|"
    r"谈过|談過|讨论过|討論過|提到过|提到過)(?:关于|關於)?(?P<f>.*)",
)
_SEARCH_NOISE: Final = compile_any(
    r"^(?:the |a |an |word |words |anything |something |about |for )+",
    r"(?: before| earlier| already| in the past| last (?:week|month|time|year)| yet)$",
    r"^(?:的|有关|關於|关于|什么|什麼|哪些|一下)+",
    r"(?:吗|嗎|的事情|的事|的内容|的內容|的会话|的會話|的对话|的對話|的记录|的記錄|什么|什麼|哪些|呢|没有|沒有|没|沒)+$",
)


def _read_search(line: str) -> SearchIntent | None:
    match = _SEARCH.search(line)
    if match is None:
        return None
    query = next((group for group in match.groupdict().values() if group), "")
    query = query.strip(EDGES)
    for _ in range(2):
        query = _SEARCH_NOISE.sub("", query).strip(EDGES)
    return SearchIntent(query[:200])


_CAST: Final = compile_any(
    r"\b(?:cast|throw|draw|toss)\b.{0,24}\b(?:hexagrams?|coins?|i[ -]ching|yarrow|lots|divination)\b",
    r"\b(?:i[ -]ching|divination|divine for|tell my fortune|fortune[- ]tell\w*)\b",
    r"(?:起|占|算|卜|摇|搖|问|問|来|來|抽|求)(?:一|个|個|一个|一個|一次)?(?:卦|签|籤)",
    r"占卜|六爻|卜卦|算命|测一测|測一測|占一占|算一算运|算一算運",
)
_ASKS_MEANING: Final = compile_any(
    r"\bwhat(?:'s| is| are| does)\b.{0,12}\b(?:i[ -]ching|divination|hexagrams?|liu ?yao)\b",
    r"\b(?:explain|define)\b.{0,20}\b(?:i[ -]ching|divination|hexagrams?|liu ?yao)\b",
    r"(?:什么是|什麼是|何为|何為|介绍一?下?|介紹一?下?|解释一?下?|解釋一?下?).{0,4}(?:六爻|占卜|卦|纳甲|納甲)",
    r"(?:六爻|占卜|起卦|卦)(?:是什么|是什麼|是啥|是怎么|是怎麼|的原理|的历史|的意思)",
)
_CAST_WORDS: Final = compile_any(
    r"\b(?:please|can you|could you|would you|thanks|thank you|hi|hello)\b",
    r"\b(?:cast|throw|draw|toss)\b.{0,24}\b(?:hexagrams?|coins?|i[ -]ching|yarrow|lots)\b"
    r"(?: for me)?(?: (?:about|on|for|whether|if|to see|asking)\b)?",
    r"(?:请|請)?(?:帮我|幫我|给我|給我|为我|為我|替我)?(?:用六爻|六爻)?"
    r"(?:起|占|算|卜|摇|搖|来|來|抽|求)(?:一|个|個|一个|一個|一次)?(?:卦|签|籤)",
    r"(?:请|請)?(?:帮我|幫我|给我|給我|为我|為我|替我)?占卜(?:一下)?",
    r"^(?:看看|看一下|问问|問問|问一下|問一下|想问|想問|关于|關於|我想问|我想問|[问問](?![卜卦天]))",
)


def _read_cast(line: str) -> CastIntent | None:
    if not _CAST.search(line) or _ASKS_MEANING.search(line):
        return None
    rest = line
    for _ in range(2):
        rest = _CAST_WORDS.sub(" ", rest).strip(EDGES)
    question = " ".join(rest.split())
    return CastIntent((question or line)[:300])


_MEASURES: Final = {
    "sum": r"sum|total|add up|总和|總和|合计|合計|总计|總計|求和|总共|總共",
    "average": r"average|mean|avg|平均值?|均值",
    "max": r"max|maximum|highest|largest|biggest|最大值?|最高",
    "min": r"min|minimum|lowest|smallest|最小值?|最低",
    "count": r"count|how many rows|number of rows|多少行|[几幾]行|行数|行數",
}
_MEASURE: Final = re.compile(
    "|".join(
        rf"(?P<{name}>{_word})"
        for name, words in _MEASURES.items()
        for _word in ["|".join(rf"\b{w}\b" if w.isascii() else w for w in words.split("|"))]
    ),
    re.IGNORECASE,
)
_TABLE: Final = compile_any(
    r"\btables?\b",
    r"\b(?:csv|spreadsheet|dataset|uploaded (?:file|data)|(?:in|of|show|from) my data)\b",
    r"表格|数据表|數據表|数据集|數據集|上传的|上傳的|(?:张|張|个|個|这|這|哪些|什么|什麼|[A-Za-z0-9_])表|"
    r"表(?:里|裡|中|格|的)",
)
_TABLE_NAME: Final = compile_any(
    r"\btable (?:called |named )?[\"'`“]?(?P<a>[A-Za-z_]\w*)",
    r"[\"'`“]?\b(?P<b>[A-Za-z_]\w*)[\"'`”]? table\b",
    r"(?:表|表格|数据表|數據表)\s*[\"'`“「]?(?P<c>[A-Za-z_]\w*)",
    r"(?P<d>[A-Za-z_]\w*)[\"'`”」]?\s*(?:这张|這張|这个|這個|的)?(?:数据|數據)?表",
    r"\b(?:in|of|from) (?:the )?[\"'`“]?(?P<e>[A-Za-z_]\w*)[\"'`”]?[?.! ]*$",
)
_COMMON_WORDS = """
a all an and any are by data do does every file has have how in is it list many me my no of
our show some that the there these this those time uploaded what which your with
"""
_NO_NAMES: Final = frozenset(_COMMON_WORDS.split())
_COLUMN: Final = compile_any(
    r"\b(?:sum|total|average|mean|avg|max|maximum|highest|largest|min|minimum|lowest|smallest)\b"
    r" (?:of )?(?:the )?(?:column )?[\"'`“]?(?P<a>[A-Za-z_]\w*)",
    r"[\"'`“「]?(?P<b>\w+?)[\"'`”」]?\s*列?的?(?:总和|總和|合计|合計|总计|總計|平均值?|均值|最大值?|最高|最小值?|最低)",
    r"(?:平均|最大|最小|最高|最低|总|總)的?\s*(?P<c>[A-Za-z_]\w*)",
)
_BY: Final = compile_any(
    r"\b(?:by|per|for each|grouped by) (?:the )?(?P<a>[A-Za-z_]\w*)",
    r"(?:按照|按|每个|每個)\s*(?P<b>[A-Za-z_]\w*)",
)


def _read_table(line: str) -> TableIntent | None:
    measure = _MEASURE.search(line)
    column = _group(_COLUMN, line) if measure else ""
    by = _group(_BY, line)
    table = _group(_TABLE_NAME, line)
    is_figure = bool(measure and column and (table or by))
    if not is_figure and not _TABLE.search(line):
        return None
    if _CONFIGURING.search(line) and not measure:
        return None
    kind = measure.lastgroup or "" if measure else ""
    if kind != "count" and not column:
        kind = ""
    if table in (column, by):
        table = ""
    return TableIntent(table, TableFigure(kind, column, by) if kind else None)


def _group(pattern: re.Pattern[str], line: str) -> str:
    """The first name that the pattern finds and that is no common word."""
    for match in pattern.finditer(line):
        for name in match.groupdict().values():
            if name and name.lower() not in _NO_NAMES:
                return name
    return ""


def _read_docs(line: str) -> DocsIntent | None:
    is_asked = _CONFIGURING.search(line) or _ASKS_MEANING.search(line)
    return DocsIntent(line.strip(EDGES)[:200]) if is_asked else None


_HELP: Final = compile_any(
    r"^\W*help\W*$",
    r"\bwhat (?:can|could|do) (?:you|yarrow|this (?:server|assistant)|the (?:server|assistant)|i) "
    r"(?:do|help|offer|ask|answer|know)\b",
    r"\bwhat (?:are your (?:features|tools|abilities|skills)|tools do you have|is yarrow)\b",
    r"^\W*(?:please )?(?:can|could) you help(?: me)?\W*$|^\W*help me(?: please)?\W*$",
    r"\bwho (?:made|created|built) you\b|\bwhat model\b|\btell me about yourself\b",
    r"\bare you (?:an? )?(?:chatgpt|gpt|claude|bot|robot|ai|human|person|real|machine|computer)\b",
    r"\bhow can you help\b|\bwho are you\b|\bwhat are you\b|\byour name\b|\bintroduce yourself\b",
    r"(?:你|您|这个?(?:助手|服务器|系统)|這個?(?:助手|伺服器|系統)).{0,4}(?:能|会|會|可以)"
    r".{0,6}(?:什么|什麼|啥|哪些)",
    r"你是谁|你是誰|介绍一下(?:你|自己)|介紹一下(?:你|自己)|你叫什么|你叫什麼|有什么功能|有什麼功能|^\W*(?:帮助|幫助)\W*$",
)


def _read_help(line: str) -> HelpIntent | None:
    return HelpIntent() if _HELP.search(line) else None


_RULES: Final[tuple[Callable[[str], Intent | None], ...]] = (
    read_self_harm,
    read_courtesy,
    _read_arithmetic,
    _read_help,
    _read_cast,
    read_date,
    read_time,
    _read_search,
    _read_ledger,
    _read_points,
    _read_table,
    _read_docs,
    read_sorrow,
)
