"""Questions for past sessions: the words that are to be in them."""

import re
from typing import Final

from msgspec import Struct

from yarrow.llm.rule_based.patterns import compile_any
from yarrow.llm.rule_based.time_questions import EDGES


class SearchIntent(Struct, frozen=True):
    """Past sessions about `query`; empty if the question names no words."""

    query: str


_PAST = r"(?:my |our |the )?(?:past |old |older |earlier |previous )?"
_SESSIONS = r"(?:sessions?|conversations?|chats?|messages?|history|talks?)"
_TALKS = r"\b(?:sessions?|conversations?|chats?|messages|message(?= (?:about|on|with|where)\b))"
_SEARCH: Final = compile_any(
    rf"\b(?:search|look|find)(?: for)? (?P<b>(?!my\b|our\b|the\b|in\b|through\b)\S.*?) (?:in|through) {_PAST}{_SESSIONS}\W*$",
    r"(?:在|从|從)?(?:历史|歷史|过去|過去|以前|之前|过往|過往|我)?的?(?:会话|會話|对话|對話|聊天)?(?:记录|記錄|历史|歷史)(?:里|裡|中)?"
    r"(?:搜索|搜尋|搜一下|搜|查找|查一下|查|找一下|找)(?:一下)?(?P<h>.+)",
    r"(?:找|搜|查)(?:找|一找|一下)?我?(?:之前|以前|过去|過去)?(?:关于|關於|有关|有關)(?P<i>.+?)的?(?:会话|會話|对话|對話|聊天)(?:记录|記錄)?\W*$",
    rf"\b(?:search|look|find|check)\b.{{0,20}}?(?:\b(?:my|our|past|old|older|earlier|previous) {_SESSIONS}|{_TALKS})\s*(?:for|about|with|on|where)?"
    r"\s*(?P<a>.*)",
    r"\b(?:did|have) (?:we|i|you)(?: ever| already)? (?:(?:discuss|discussed|mention|mentioned)|"
    r"(?:talk|talked|speak|spoken|spoke|chat|chatted|ask|asked)(?: you)? (?:about|of|for)) (?P<c>.+)",
    r"\bwhat did (?:we|i|you) (?:say|talk|discuss|ask)(?: about)? (?P<d>.+)",
    rf"\b(?P<g>\S+) in my (?:past|old|earlier|previous) {_SESSIONS}",
    r"(?:搜索|搜尋|搜一下|搜|查找|查一下|查|找一下|找|翻一下|翻).{0,4}"
    r"(?:历史|歷史|过去|過去|以前|之前|过往|過往|我)?的?(?:会话|會話|对话|對話|聊天|记录|記錄|历史|歷史)+"
    r"(?:记录|記錄)?(?:里|裡|中|里面|裡面)?的?(?:关于|關於|有关|有關|提到)?(?P<e>.*)",
    r"(?:之前|以前|过去|過去|曾经|曾經|上次|我们|我們|我).{0,6}(?:聊过|聊過|说过|說過|问过|問過|提过|提過|"
    r"谈过|談過|讨论过|討論過|提到过|提到過)(?:关于|關於)?(?P<f>.*)",
)
_WHEN_ONLY: Final = compile_any(
    r"(?:you )?(?:about |from |of )?(?:so far|until now|yesterday|today|before|earlier|last (?:time|week|month|night)|this (?:week|morning)|just now|什么|什麼|啥)"
)
"""A time without words to look for, which the search cannot read."""
_SEARCH_NOISE: Final = compile_any(
    r"^(?:where |when |that |in which )?(?:we|i|you) (?:\w+ )?(?:talked|spoke|asked|discussed|chatted|mentioned|said)"
    r"(?: you)?(?: about| of| for)? ",
    r"^(?:you )?(?:the |a |an |word |words |anything |something |about |for )+",
    r"(?: before| earlier| already| yesterday| today| recently| in the past| last (?:week|month|time|year)| yet)$",
    r"^(?:的|有关|關於|关于|什么|什麼|哪些|一下)+",
    r"(?:吗|嗎|的事情|的事|的内容|的內容|的会话|的會話|的对话|的對話|的记录|的記錄|什么|什麼|哪些|呢|没有|沒有|没|沒)+$",
)


def read_search(line: str) -> SearchIntent | None:
    match = _SEARCH.search(line)
    if match is None or _NO_SEARCH.search(line):
        return None
    query = next((group for group in match.groupdict().values() if group), "")
    if _WHEN_ONLY.fullmatch(query.strip(EDGES)):
        return None
    query = query.strip(EDGES)
    for _ in range(2):
        query = _SEARCH_NOISE.sub("", query).strip(EDGES)
    if _ASKS_MORE.search(query):
        return None
    query = _ALL_OF.sub(" ", query)
    return SearchIntent(_PLURAL.sub(r"\1", query)[:200])


_NO_SEARCH: Final = compile_any(
    r"\bhow (?:many times|often)\b|\bthis (?:chat|conversation|session)\b",
    r"(?:多少|[几幾])(?:次|回|遍)|(?:这|這)[个個]?(?:会话|會話|对话|對話|聊天)",
)
"""How often, or in the session itself, which is not searched."""
_ASKS_MORE: Final = compile_any(
    r"\b(?:or|what|how|who|why|when|which|(?:and|then) (?:tell|say|show|give|list|find|also))\b",
    r"多少|怎么|怎麼|为什么|為什麼|时候|時候|还是|還是|或者",
)
"""In the words of a search: one of several, or a question about what is found."""
_ALL_OF: Final = re.compile(
    r"\s+and\s+|(?<=[\u3400-\u9fff]{2})[和与與跟](?=[\u3400-\u9fff]{2})", re.IGNORECASE
)
"""All words of a search have to be in a message."""
_PLURAL: Final = re.compile(r"^([A-Za-z]{3,}[^\Wsui])s$")
"""One word that a message may have in the singular: words are searched for as parts of others."""


_PAST_TALK: Final = compile_any(
    r"(?:之前|以前|过去|過去|曾经|曾經|上次|我们|我們).{0,6}(?:聊过|聊過|说过|說過|提过|提過|谈过|談過|讨论过|討論過)"
)


def read_past_talk(line: str) -> SearchIntent | None:
    """A question for what was talked about, which may be a hexagram."""
    return read_search(line) if _PAST_TALK.search(line) else None
