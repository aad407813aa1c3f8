"""Questions about uploaded tables: which there are, one of them, a figure of a column."""

import re
from typing import Final

from msgspec import Struct

from yarrow.llm.rule_based.patterns import compile_any
from yarrow.llm.rule_based.time_questions import EDGES


class TableStatistic(Struct, frozen=True):
    """A figure of a column, of all rows or for each value of the column `by`."""

    measure: str
    column: str = ""
    by: str = ""


class TableIntent(Struct, frozen=True):
    """Uploaded tables: a list, one table, or a figure of it."""

    table: str = ""
    figure: TableStatistic | None = None
    is_guess: bool = False
    """The words name no table for sure: without such a table or column it was another question."""


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
our describe list open preview show some summarise summarize that the there these this those time uploaded what which your with
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


_SUMMING: Final = {
    "平均": "average",
    "总": "sum",
    "總": "sum",
    "合计": "sum",
    "合計": "sum",
    "最高": "max",
    "最大": "max",
    "最低": "min",
    "最小": "min",
}
_IN_TABLE = r"(?:(?P<table>(?!各|每|按)\w{1,40}?)(?:(?P<sure>(?:这张|這張)?表(?:里|裡|中)?面?|里面?|裡面?|中)的?|的))?"
_EACH = r"(?:各个?|各個|每个|每個|按照?|分)(?P<by>[A-Za-z_][A-Za-z0-9_]*|[^\WA-Za-z_]\w{0,19}?)(?:的|统计|統計|计算|計算|分组|分組)*"
_SUM = (
    "(?P<sum>平均|总(?![统理经裁部是体的])|總(?![統理經裁部是體的])|合计|合計|最高|最大|最低|最小)"
)
_ASKED = r"的?(?:是多少|有多少|多少|是|呢)?"
_FIGURES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_IN_TABLE}(?:{_EACH})?{_SUM}的?(?P<column>(?![值数數和])\w{{1,40}}?){_ASKED}",
        rf"{_IN_TABLE}(?:{_EACH})?(?P<column>\w{{1,40}}?)的?{_SUM}(?:值|和|数)?{_ASKED}",
        r"(?:the )?(?P<sum>sum|total|average|mean|max|maximum|min|minimum) (?:of )?(?:the )?(?P<column>\w+)"
        r"(?: (?:by|per|for each) (?P<by>\w+))? (?P<sure>in|of|from) (?:the )?(?:table )?(?P<table>\w+)(?: table)?"
        r"(?: (?:by|per|for each) (?P<by2>\w+))?",
    )
)
_COUNTS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:how many|(?:the )?number of|count(?: of)?(?: the)?) rows (?:are )?(?:there )?(?:in|of|does) (?:the )?"
        r"(?P<table>\w+)(?: table)?(?: have)?(?P<by>(?!))?",
        r"(?P<table>\w{1,40}?)(?:这张|這張)?表?(?:里|裡|中)?(?:一共|总共)?有(?:多少|[几幾])行(?P<by>(?!))?",
        r"(?:how many|(?:the )?(?:number|count) of|count) (?P<table>\w+) (?:by|per|for each) (?P<by>\w+)",
    )
)
_COLUMNS_OF: Final = re.compile(
    r"(?:what|which) columns (?:does|are in|has) (?:the )?(?:table )?(?P<a>\w+)(?: table)?(?: have)?"
    r"|(?P<b>\w{1,40}?)(?:这张|這張)?表?(?:里|裡|中)?有(?:哪些|什么|什麼|[几幾])(?:列|字段|欄位)",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"^(?:what is|what's|show me|tell me|give me|please|请问|請問|帮我|幫我|算一?下|统计一?下)\s*",
    re.IGNORECASE,
)


def _read_figure(line: str) -> TableIntent | None:
    """A figure if the whole line asks for one; whether there is such a table is seen later."""
    asked = _POLITE.sub("", line.strip(EDGES)).strip()
    if columns := _COLUMNS_OF.fullmatch(asked):
        return TableIntent(columns["a"] or columns["b"], is_guess=True)
    for pattern in _COUNTS:
        if match := pattern.fullmatch(asked):
            table, by = match["table"], match["by"] or ""
            is_word = table.lower() in _NO_NAMES
            return (
                None
                if is_word
                else TableIntent(table, TableStatistic("count", "", by), is_guess=True)
            )
    for pattern in _FIGURES:
        if match := pattern.fullmatch(asked):
            named = match.groupdict()
            by = named.get("by") or named.get("by2") or ""
            table = named["table"] or ""
            if (
                not (table or by)
                or {table.lower(), named["column"].lower(), by.lower()} & _NO_NAMES
            ):
                continue
            word = named["sum"].lower()
            measure = _SUMMING.get(word) or _name_measure(word)
            return TableIntent(table, TableStatistic(measure, named["column"], by), is_guess=True)
    return None


def _name_measure(word: str) -> str:
    match = _MEASURE.fullmatch(word)
    return match.lastgroup or "" if match else ""


_TOLD: Final = re.compile(
    r"^\W*(?:i|we|he|she|they|you|there|my)\b(?!(?:'d|'ve)? (?:want|need|would|like|wish|have (?:up)?load|uploaded|"
    r"table|data|csv|file))(?!.*[?？])"
    r"|^\W*(?:我|我们|我們)(?:在|把|买|買|坐|去|想[买買])",
    re.IGNORECASE,
)
"""A statement, in which a table is a piece of furniture or somebody else's."""


def read_table(line: str) -> TableIntent | None:
    """The table or the figure that a question asks for."""
    return _read_figure(line) or (None if _TOLD.search(line) else _read_words(line))


def _read_words(line: str) -> TableIntent | None:
    measure = _MEASURE.search(line)
    column = _find_name(_COLUMN, line) if measure else ""
    by = _find_name(_BY, line)
    table = _find_name(_TABLE_NAME, line)
    is_figure = bool(measure and column and (table or by))
    if not is_figure and not _TABLE.search(line):
        return None
    kind = measure.lastgroup or "" if measure else ""
    if kind != "count" and not column:
        kind = ""
    if table in (column, by):
        table = ""
    # A word that was not read may pick rows or ask for something else: January, which region.
    if _OTHER_ACTS.search(line) or _find_unread(line, {table, column, by}):
        return None
    if not kind:
        return TableIntent(table)
    return TableIntent(table, TableStatistic(kind, column, by))


_OTHER_ACTS: Final = compile_any(
    r"\b(?:delete|drop|remove|rename|download|export|join|merge|compare|plot|draw|chart|sort|filter|update|edit|"
    r"insert|clean|where|which region|top \d+)\b",
    r"删除|刪除|删掉|下载|下載|导出|導出|匯出|合并|合併|比较|比較|排序|筛选|篩選|修改|清洗|[画畫]",
)
"""What the tool for tables cannot do."""
_ASKING: Final = compile_any(
    r"\b(?:what|whats|s|is|are|was|the|of|in|on|from|for each|by|per|grouped|group|show|tell|give|get|find|compute|"
    r"calculate|me|us|please|can|could|you|table|tables?|dataset|csv|file|uploaded|column|columns?|values?|my|our|your|"
    r"its?|this|that|how|many|rows|number|there|does|do|have|has|and|a|an|all|data|called|named|add|up|i|want|need|"
    r"would|like|to|know|see|describe|summari[sz]e|list|about|look|at|view|open|preview|which|any|some|"
    r"so far|yet|please|pls|named|hi|hello|hey|thanks?|inside|contents?|fields?|with|shape|structure|schema|names?)\b",
    r"请|請|问|問|帮|幫|给|給|我|你|您|算|一下|统计|統計|查|看|告诉|告訴|表格?|数据|數據|上传|上傳|里面?|裡面?|中|这张?|這張?|那张?|这个|這個|"
    r"列|哪些?|了|的|是|有|共|多少|几|幾|什么|什麼|各个?|各個|每个?|每個|按照?|分别|分別|行数?|行數|和|呢|吗|嗎|想|知道|要|张|張|个|個|值|数|數|在",
)


def _find_unread(line: str, names: set[str]) -> bool:
    """Whether the line has words besides names, measures and those of asking."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        line = re.sub(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", " ", line)
    rest = _ASKING.sub(" ", _MEASURE.sub(" ", line))
    return bool(re.search(r"\w", rest.replace("_", "")))


def _find_name(pattern: re.Pattern[str], line: str) -> str:
    """The first name that the pattern finds and that is no common word."""
    match = pattern.search(line)
    while match is not None:
        for name in match.groupdict().values():
            if name and name.lower() not in _NO_NAMES:
                return name
        # Not after the match: "describe table" overlaps "table sales".
        match = pattern.search(line, match.start() + 1)
    return ""
