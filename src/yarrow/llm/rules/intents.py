"""What a question asks for, as far as the assistant's tools can answer it: text in, intent out.

The rules know English and Chinese in both scripts. They are tried in the order of `_RULES`; the
first one that recognises the text wins.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from yarrow.llm.rules.arithmetic import find_expression
from yarrow.llm.rules.places import PlaceZone, find_places


@dataclass(frozen=True, slots=True)
class TimeIntent:
    """The time now, of the user or at these places; `unknown` is a place without a zone."""

    places: tuple[PlaceZone, ...] = ()
    unknown: str = ""


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


@dataclass(frozen=True, slots=True)
class GreetingIntent:
    pass


@dataclass(frozen=True, slots=True)
class ThanksIntent:
    pass


@dataclass(frozen=True, slots=True)
class FarewellIntent:
    pass


Intent = (
    TimeIntent
    | ArithmeticIntent
    | PointsIntent
    | LedgerIntent
    | SearchIntent
    | CastIntent
    | TableIntent
    | DocsIntent
    | HelpIntent
    | GreetingIntent
    | ThanksIntent
    | FarewellIntent
)


def find_intent(text: str) -> Intent | None:
    """The intent of a question; None if no rule recognises it."""
    line = " ".join(text.split())
    if not line or len(line) > MAX_CHARS:
        return None
    return next((intent for rule in _RULES if (intent := rule(line)) is not None), None)


MAX_CHARS = 500
"""Longer texts are never a plain request for a tool."""


def _compile(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_EDGES: Final = " \t,，。.?？!！:：;；、\"'“”‘’「」《》"

_TIME: Final = _compile(
    r"\bwhat(?:'s| is)? (?:the )?(?:current |local |exact )?time(?: is it)?(?: now| here| there)?"
    r"(?:,? please)?(?=[?.!, ]*$| in\b| at\b| for\b)",
    r"\bwhat time is it\b",
    r"\btime (?:is it |now )?(?:right now )?in [a-z]",
    r"\b(?:current|local) time\b",
    r"\btell me the time\b|^\W*(?:the )?time\W*$",
    r"\btime difference\b",
    r"\bwhat(?:'s| is) (?:the date|today'?s date)\b",
    r"\bwhat (?:day|date)(?: of the week)? is (?:it|today)\b",
    r"\bwhich day is (?:it|today)\b",
    r"[几幾][点點](?:[了钟鐘?？。!！ ]|$)",
    r"(?:现在|現在|当前|當前|此刻|目前).{0,12}(?:时间|時間|[几幾][点點])",
    r"(?:时间|時間)(?:是多少|是什么|是什麼)",
    r"今天.{0,4}(?:[几幾]号|[几幾]號|星期[几幾]|周[几幾]|週[几幾]|礼拜[几幾]|禮拜[几幾]|[几幾]月)",
    r"(?:星期|周|週|礼拜|禮拜)[几幾]",
    r"今天的?日期|时差|時差",
)
_PLACE_ASKED: Final = re.compile(
    r"\btime (?:is it |it is |now )?(?:right now )?(?:in|at) (?:the )?([A-Za-z][\w .'-]{1,40})",
    re.I,
)


def _read_time(line: str) -> TimeIntent | None:
    if not _TIME.search(line):
        return None
    places = tuple(find_places(line))
    asked = _PLACE_ASKED.search(line)
    unknown = asked[1].strip(_EDGES) if asked and not places else ""
    here = {"here", "my timezone", "my time zone", "moment", "my city"}
    return TimeIntent(places, "" if unknown.lower() in here else unknown)


def _read_arithmetic(line: str) -> ArithmeticIntent | None:
    expression = find_expression(line)
    return None if expression is None else ArithmeticIntent(expression)


_LEDGER: Final = _compile(
    r"\bledger\b",
    r"\b(?:points?|credits?)\b.{0,30}\b(?:go|gone|went|history|movements?|transactions?)\b",
    r"\b(?:history|movements?|transactions?|list) of (?:my )?(?:points|credits)\b",
    r"\b(?:spend|spent|use|used|charged).{0,12}\bpoints\b.{0,12}\b(?:on|for)\b",
    r"(?:积分|積分|点数|點數).{0,6}(?:流水|明细|明細|记录|記錄|变动|變動|去哪|花在|用在|账单|帳單)",
    r"(?:流水|账单|帳單|消费记录|消費記錄|扣费记录|扣費記錄)",
)
_POINTS: Final = _compile(
    r"\b(?:how many|my|any|enough|have)\b.{0,20}\b(?:points|credits)\b",
    r"\b(?:points?|credits?)\b.{0,12}\b(?:balance|left|remain\w*|available)\b",
    r"\b(?:my|current|account) balance\b",
    r"(?:积分|積分|点数|點數)",
    r"(?:我的|账户|帳戶|帐户).{0,3}(?:余额|餘額)|(?:余额|餘額).{0,4}(?:多少|还有|還有)",
)
_CONFIGURING: Final = _compile(
    r"\bYARROW_[A-Z_]+",
    r"\bhow (?:do|can|should|would|to)\b.{0,80}\b(?:yarrow|server|you|model|ollama|vllm|openai|endpoint|setting|key|"
    r"database|postgres\w*|port|speech|points?|accounts?|auth\w*|token|tools?|upload|attachments?|"
    r"images?|tables?|api|stream|run|runs|webhook|cors|log|logs|client|charts?|hexagram|session|"
    r"history|language|time ?zone|card|cards|worker|workers|scale|deploy|docs?)\b",
    r"\b(?:configure|configuration|install|set up|setup|environment variables?|deploy)\b",
    r"\b(?:docs|documentation|manual|settings?)\b",
    r"(?:怎么|怎麼|如何|怎样|怎樣).{0,24}(?:配置|设置|設置|设定|設定|安装|安裝|部署|启动|啟動|接入|使用|用|"
    r"开启|開啟|打开|打開|换|換|改|连接|連接|上传|上傳|充值|获得|獲得)",
    r"(?:配置|设置|設置|设定|設定|文档|文檔|说明书|說明書|环境变量|環境變數)",
)


def _read_ledger(line: str) -> LedgerIntent | None:
    return LedgerIntent() if _LEDGER.search(line) and not _CONFIGURING.search(line) else None


def _read_points(line: str) -> PointsIntent | None:
    return PointsIntent() if _POINTS.search(line) and not _CONFIGURING.search(line) else None


_PAST = r"(?:my |our |the )?(?:past |old |older |earlier |previous )?"
_SESSIONS = r"(?:sessions?|conversations?|chats?|messages?|history|talks?)"
_SEARCH: Final = _compile(
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
_SEARCH_NOISE: Final = _compile(
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
    query = query.strip(_EDGES)
    for _ in range(2):
        query = _SEARCH_NOISE.sub("", query).strip(_EDGES)
    return SearchIntent(query[:200])


_CAST: Final = _compile(
    r"\b(?:cast|throw|draw|toss)\b.{0,24}\b(?:hexagrams?|coins?|i[ -]ching|yarrow|lots|divination)\b",
    r"\b(?:i[ -]ching|divination|divine for|tell my fortune|fortune[- ]tell\w*)\b",
    r"(?:起|占|算|卜|摇|搖|问|問|来|來|抽|求)(?:一|个|個|一个|一個|一次)?(?:卦|签|籤)",
    r"占卜|六爻|卜卦|算命|测一测|測一測|占一占|算一算运|算一算運",
)
_CAST_WORDS: Final = _compile(
    r"\b(?:please|can you|could you|would you)\b",
    r"\b(?:cast|throw|draw|toss)\b.{0,24}\b(?:hexagrams?|coins?|i[ -]ching|yarrow|lots)\b"
    r"(?: for me)?(?: (?:about|on|for|whether|if|to see|asking)\b)?",
    r"(?:请|請)?(?:帮我|幫我|给我|給我|为我|為我|替我)?(?:用六爻|六爻)?"
    r"(?:起|占|算|卜|摇|搖|来|來|抽|求)(?:一|个|個|一个|一個|一次)?(?:卦|签|籤)",
    r"(?:请|請)?(?:帮我|幫我|给我|給我|为我|為我|替我)?占卜(?:一下)?",
    r"^(?:看看|看一下|问问|問問|问一下|問一下|想问|想問|关于|關於|我想问|我想問)",
)


def _read_cast(line: str) -> CastIntent | None:
    if not _CAST.search(line):
        return None
    rest = line
    for _ in range(2):
        rest = _CAST_WORDS.sub(" ", rest).strip(_EDGES)
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
_TABLE: Final = _compile(
    r"\btables?\b",
    r"\b(?:csv|spreadsheet|dataset|uploaded (?:file|data)|my data)\b",
    r"表格|数据表|數據表|数据集|數據集|上传的|上傳的|(?:张|張|个|個|这|這|哪些|什么|什麼|[A-Za-z0-9_])表|"
    r"表(?:里|裡|中|格|的)",
)
_TABLE_NAME: Final = _compile(
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
_COLUMN: Final = _compile(
    r"\b(?:sum|total|average|mean|avg|max|maximum|highest|largest|min|minimum|lowest|smallest)\b"
    r" (?:of )?(?:the )?(?:column )?[\"'`“]?(?P<a>[A-Za-z_]\w*)",
    r"[\"'`“「]?(?P<b>\w+?)[\"'`”」]?\s*列?的?(?:总和|總和|合计|合計|总计|總計|平均值?|均值|最大值?|最高|最小值?|最低)",
    r"(?:平均|最大|最小|最高|最低|总|總)的?\s*(?P<c>[A-Za-z_]\w*)",
)
_BY: Final = _compile(
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
    return DocsIntent(line.strip(_EDGES)[:200]) if _CONFIGURING.search(line) else None


_HELP: Final = _compile(
    r"^\W*help\W*$",
    r"\bwhat (?:can|could|do) (?:you|yarrow|this (?:server|assistant)|the (?:server|assistant)|i) "
    r"(?:do|help|offer|ask|answer|know)\b",
    r"\bwhat (?:are your (?:features|tools|abilities|skills)|tools do you have|is yarrow)\b",
    r"\bhow can you help\b|\bwho are you\b|\bwhat are you\b|\byour name\b|\bintroduce yourself\b",
    r"(?:你|您|这个?(?:助手|服务器|系统)|這個?(?:助手|伺服器|系統)).{0,4}(?:能|会|會|可以)"
    r".{0,6}(?:什么|什麼|啥|哪些)",
    r"你是谁|你是誰|介绍一下(?:你|自己)|介紹一下(?:你|自己)|你叫什么|你叫什麼|有什么功能|有什麼功能|^\W*(?:帮助|幫助)\W*$",
)
_GREETING: Final = _compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy)(?: there| yarrow| all)?\W*$",
    r"^\W*(?:please )?(?:just )?say (?:hello|hi)\b",
    r"^\W*(?:你好|您好|你们好|你們好|嗨|哈喽|哈囉|早上好|上午好|下午好|晚上好|早安|晚安|大家好)[呀啊吗嗎]?\W*$",
    r"(?:说|說|打)(?:一)?(?:声|聲|句|个|個)?(?:你好|招呼)",
)
_THANKS: Final = _compile(
    r"^\W*(?:ok(?:ay)?,? |great,? |many )?(?:thanks?|thank you|thx|cheers)\b.{0,20}$",
    r"^\W*(?:好的?[,， ]*)?(?:谢谢|謝謝|多谢|多謝|感谢|感謝|辛苦了).{0,8}$",
)
_FAREWELL: Final = _compile(
    r"^\W*(?:bye|goodbye|good ?bye|good night|see you|farewell)\b.{0,16}$",
    r"^\W*(?:再见|再見|拜拜|回头见|回頭見)\W*$",
)


def _read_help(line: str) -> HelpIntent | None:
    return HelpIntent() if _HELP.search(line) else None


def _read_courtesy(line: str) -> GreetingIntent | ThanksIntent | FarewellIntent | None:
    if _GREETING.search(line):
        return GreetingIntent()
    if _THANKS.search(line):
        return ThanksIntent()
    return FarewellIntent() if _FAREWELL.search(line) else None


_RULES: Final[tuple[Callable[[str], Intent | None], ...]] = (
    _read_courtesy,
    _read_arithmetic,
    _read_help,
    _read_cast,
    _read_time,
    _read_search,
    _read_ledger,
    _read_points,
    _read_table,
    _read_docs,
)
