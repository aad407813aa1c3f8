"""Search the docs that come with the server: how it is used and configured."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.tools.arguments import WITHOUT_NUL, Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

SECTION_CHARS = 1200
"""Of a section that the model reads."""
CARD_CHARS = 300

_FOLDERS: Final = {"quickstart": 1.2, "howto": 1.3, "": 0.6, "explanation": 0.8, "protocols": 0.7}
"""Weights of the folders by what a user looks for; decisions are left out."""
_CATALOGUES: Final = frozenset(("protocols/error-codes.md", "explanation/performance.md"))
"""Their long tables have a word of almost every question."""
_CATALOGUE_WEIGHT = 0.45
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
_SETTING_ROW = re.compile(r"^\| `(YARROW_[A-Z_]+)` \| (.+?) \| (.+?) \|$", re.MULTILINE)
_WORD = re.compile(r"[a-z0-9]+")
_MARKUP = re.compile(r"```\w*|[*`]|\[([^\]]+)\]\([^)]+\)")
_INTRODUCTION = 1.5
"""The weight of a page's beginning, which says what the page is about."""
_ABSENCE = 0.7
"""The weight of a section on how to do without a thing: most look for how to have it."""
_UNTITLED = 0.8
"""The weight of a section whose title has no word of the query."""
_STOP_WORDS = """
a about an and are be by can change configure do docs documentation does enable for from get
have how i in is it make me my of off on or own real see set setting settings should show switch
tell that the there this to turn two up use view want what when where which with
yarrow you your server
"""
_NO_PLURALS: Final = frozenset(("points", "windows"))
_SYNONYMS: Final = (
    dict.fromkeys(
        ("deepseek", "openai", "gemini", "claude", "anthropic", "qwen", "kimi", "mistral", "llm"),
        "model endpoint",
    )
    | {
        "postgres": "postgresql",
        "recognition": "recogniser",
        "cost": "price",
        "costs": "price",
        "bucket": "s3",
        "connect": "connect endpoint",
        "deploy": "scaling",
        "backup": "back",
        "remove": "delete",
        "ollama": "ollama model endpoint",
        "gpt": "model endpoint",
        "llama": "model endpoint",
        "resume": "reconnect",
    }
    | ({"hexagram": "cast board reading", "hexagrams": "cast board reading"})
)
"""Words of users for what the docs call otherwise."""
_IGNORED: Final = frozenset(_STOP_WORDS.split())
_TABLE_HEAD = re.compile(r"^\|.*\|\n\|[-| ]+\|$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^\| *(.*?) *\| *(.*?) *\|$", re.MULTILINE)
_CHINESE: Final = {
    "模型": "model",
    **dict.fromkeys(("千问", "千問", "豆包", "文心", "智谱", "混元", "大模型"), "model endpoint"),
    "接入": "endpoint",
    "删除": "delete",
    "刪除": "delete",
    "会话": "sessions",
    "會話": "sessions",
    "提问": "price run",
    "备份": "back",
    "備份": "back",
    "数据": "data",
    "密钥": "key",
    "密鑰": "key",
    "积分": "points",
    "積分": "points",
    "账户": "accounts",
    "帐户": "accounts",
    "账号": "accounts",
    "帳戶": "accounts",
    "注册": "signup",
    "充值": "points",
    "连接": "connect",
    "連接": "connect",
    "恢复": "restore",
    "恢復": "restore",
    "导出": "export",
    "匯出": "export",
    "停止": "stop",
    "启动": "quickstart",
    "啟動": "quickstart",
    "重启": "restart",
    "重啟": "restart",
    "登录": "login token",
    "数据库": "database postgresql",
    "資料庫": "database postgresql",
    "端口": "port",
    "语音": "speech recogniser",
    "語音": "speech recogniser",
    "图片": "images attachments",
    "圖片": "images attachments",
    "附件": "attachments",
    "存储": "storage s3",
    "上传": "upload",
    "上傳": "upload",
    "表格": "tables data",
    "图表": "charts",
    "字体": "fonts",
    "工具": "tools",
    "卡片": "card",
    "起卦": "divination derive",
    "六爻": "cast board reading",
    "日志": "log level",
    "跨域": "cors origins",
    "超时": "timeout",
    "时区": "timezone",
    "安装": "quickstart install",
    "部署": "scaling",
    "扩展": "scaling",
    "客户端": "clients ag-ui",
    "离线": "offline",
    "環境變數": "settings environment",
    "环境变量": "settings environment",
}

_CHINESE_STOP: Final = re.compile(
    r"查看|识别|識別|有?哪些|设定|获得|獲得|更新|安裝|怎么样?|怎麼樣?|怎样|怎樣|如何|什么|什麼|哪里|哪裡|哪儿|多少|可以|能不能|是否|请问|請問|设置|設置|設定|配置|更改|修改"
    r"|开启|開啟|启用|啟用|打开|打開|关闭|關閉|使用|服务器|服務器|伺服器|这个|這個|自己|文档|文檔|[一二两兩三四几幾多][个個台部]"
    r"|[我你您要想能会會吗嗎呢的得在到把用给給和与與是有没沒请請让讓换換改设設做对對为為里裡上下了一个個]"
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]{2,}")


class DocsArguments(Arguments, frozen=True):
    query: Annotated[
        str,
        Meta(
            description="A few English words, or the name of a setting",
            min_length=1,
            max_length=200,
            pattern=WITHOUT_NUL,
        ),
    ]
    limit: Annotated[int, Meta(ge=1, le=5, description="How many sections at most")] = 3


class DocSection(Struct, frozen=True):
    """A section of a page, or one row of the table of settings."""

    document: str
    title: str
    text: str
    address: str
    weight: float
    """How likely a user looks for it."""
    setting: str = ""
    """The setting whose row it is."""


class SearchDocs:
    """Ranks the sections of the docs folder by the words of the query."""

    description = ToolDescription(
        name="search_docs",
        description="Search the documentation of this server (Yarrow): how it is configured, "
        "deployed and used, its settings, protocols and limits.",
        parameters=build_parameters(DocsArguments),
    )

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        search = read_arguments(DocsArguments, arguments)
        words = _read_words(search.query)
        if not words:
            raise ToolError("query must name what to look for, such as: model endpoint")
        ranked = self._rank_sections(words) if self._is_about_us(search.query) else []
        # The setting that the query names comes first.
        ranked.sort(key=lambda section: section.setting not in search.query.split())
        sections = ranked[: search.limit]
        described = [
            {
                "title": section.title,
                "document": section.document,
                "address": section.address,
                "text": section.text[:SECTION_CHARS],
            }
            for section in sections
        ]
        missing = self._find_missing(search.query, words, sections[0]) if sections else []
        unknown = self._find_unknown(search.query)
        found = {"sections": described, "missing": missing, "unknown": unknown}
        text = encode_json(found).decode()
        return ToolAnswer(text, _make_card(sections, WORDS[caller.language]))

    @cached_property
    def _sections(self) -> Sequence[tuple[DocSection, Counter[str], Counter[str]]]:
        return [
            (
                section,
                Counter(_split_words(section.text)),
                Counter(_split_words(f"{section.title} {section.title} {section.document}")),
            )
            for section in _read_sections(self._folder)
        ]

    def _is_about_us(self, query: str) -> bool:
        """Whether the docs have most of the query's own words: "install photoshop" is not ours."""
        own = _find_own_words(query)
        return 2 * sum(word in self._find_unknown(query) for word in own) < len(own) or not own

    def _find_unknown(self, query: str) -> list[JsonValue]:
        """The words of the query that stand nowhere in the docs: "a bank", 空调."""
        known = self._vocabulary
        unknown = (
            word
            for word in _find_own_words(query)
            if word.isalpha() and word not in known and word not in _SYNONYMS
        )
        return [*dict.fromkeys(unknown), *_find_untranslated(query)]

    def _find_missing(
        self, query: str, words: Sequence[str], section: DocSection
    ) -> list[JsonValue]:
        """The words of the query that the section does not have, if they are half of them or more,
        or all of them if none is in its title: it is then only the nearest one."""
        unknown = _find_untranslated(query)
        text, title = next((text, title) for each, text, title in self._sections if each is section)
        is_own = not {*words}.isdisjoint(_split_words(query))
        if is_own and not any(word in title for word in words):
            return [*words]
        missing = [*(word for word in words if word not in text and word not in title), *unknown]
        return [*missing] if 2 * len(missing) >= len(words) + len(unknown) else []

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(word for _, text, title in self._sections for word in (*text, *title))

    def _rank_sections(self, words: Sequence[str]) -> list[DocSection]:
        """The sections that have a word, best first: rare words and headings count most."""
        count = len(self._sections)
        having = Counter(
            word for _, text, title in self._sections for word in {*text, *title} & {*words}
        )
        scores: list[tuple[float, int]] = []
        for at, (section, text, title) in enumerate(self._sections):
            score = sum(
                math.log(1 + count / having[word])
                * (min(title[word], 3) + text[word] / (text[word] + 1.5))
                for word in words
                if word in text or word in title
            )
            if score:
                score *= section.weight * _rate_coverage(words, section, text, title)
                scores.append((score, -at))
        return [self._sections[-at][0] for _, at in sorted(scores, reverse=True)]


def _rate_coverage(
    words: Sequence[str], section: DocSection, text: Counter[str], title: Counter[str]
) -> float:
    """How much of the query a section has, and for a setting also how much of its name."""
    share = sum(word in text or word in title for word in words) / len(words)
    if not any(word in title for word in words):
        share *= _UNTITLED
    if not section.setting:
        return share
    name = _split_words(section.setting.replace("_", " "))[1:]
    return share * sum(word in words for word in name) / max(len(name), 1)


_LOG_IN: Final = re.compile(r"\b(?:log|sign)(?:ging|ning)?[ -]in\b", re.IGNORECASE)


_INSTALL: Final = re.compile(r"安[装裝](?=.{0,3}模型)")
"""A model is configured; what is installed is the server."""


def _read_words(query: str) -> list[str]:
    query = _INSTALL.sub("", _LOG_IN.sub("login", query))
    translated = " ".join(english for chinese, english in _CHINESE.items() if chinese in query)
    words = [
        _SYNONYMS.get(word, word)
        for word in _WORD.findall(f"{query} {translated}".lower())
        if word not in _IGNORED
    ]
    return [w for w in dict.fromkeys(_split_words(" ".join(words))) if w not in _IGNORED]


def _find_own_words(query: str) -> list[str]:
    """The English words of the query besides those of asking."""
    query = _LOG_IN.sub("login", query)
    return _split_words(" ".join(w for w in _WORD.findall(query.lower()) if w not in _IGNORED))


def _find_untranslated(query: str) -> list[str]:
    """Chinese words of the query that no word of the docs is known for."""
    for chinese in sorted(_CHINESE, key=len, reverse=True):
        query = query.replace(chinese, " ")
    return _HAN.findall(_CHINESE_STOP.sub(" ", query))


def _split_words(text: str) -> list[str]:
    """The words in lower case, without the plural's s; points are no point."""
    words = _WORD.findall(text.lower())
    return [
        word[:-1] if len(word) > 3 and word[-1] == "s" and word not in _NO_PLURALS else word
        for word in words
    ]


def _read_sections(folder: Path) -> Iterator[DocSection]:
    for path in sorted(folder.rglob("*.md")):
        file = path.relative_to(folder).as_posix()
        weight = _FOLDERS.get(file.rpartition("/")[0])
        if weight is None:
            continue
        if file in _CATALOGUES:
            weight *= _CATALOGUE_WEIGHT
        text = path.read_text("utf-8")
        slug = file.removesuffix(".md").removesuffix("README").rstrip("/")
        yield from _split_sections(text, address=f"/docs/{slug}".rstrip("/"), weight=weight)


def _split_sections(text: str, *, address: str, weight: float) -> Iterator[DocSection]:
    """The page at its headings; rows of settings are sections of their own."""
    # A comment in a code block is no heading.
    bare = _CODE.sub(lambda block: block[0].replace("#", " "), text)
    headings = list(_HEADING.finditer(bare))
    document = _strip_markdown(headings[0][1]) if headings else address
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for at, (heading, end) in enumerate(zip(headings, ends, strict=True)):
        body = text[heading.end() : end]
        if address.endswith("/settings"):
            for row in _SETTING_ROW.finditer(body):
                meaning = _strip_markdown(f"{row[1]}: {row[3]} Default: {row[2]}.")
                yield DocSection(
                    document, row[1].replace("_", " "), meaning, address, weight, setting=row[1]
                )
            body = _SETTING_ROW.sub("", body)
        if plain := _strip_markdown(body):
            importance = weight if at else weight * _INTRODUCTION
            if heading[1].startswith("Without "):
                importance *= _ABSENCE
            yield DocSection(document, _strip_markdown(heading[1]), plain, address, importance)


def _strip_markdown(markdown: str) -> str:
    """The text on one line; a row of a table is "first cell: other cells;"."""
    rows = _TABLE_ROW.sub(r"\1: \2;", _TABLE_HEAD.sub("", markdown))
    return " ".join(_MARKUP.sub(r"\1", rows).replace(" | ", ", ").split())


def _make_card(sections: Sequence[DocSection], words: ToolWords) -> JsonObject:
    if not sections:
        return {"title": words.no_docs}
    items = [
        {
            "title": f"{section.document}: {section.title}"[:200],
            "detail": f"{section.address}　{section.text[:CARD_CHARS]}",
        }
        for section in sections
    ]
    return {"title": words.docs, "items": items}
