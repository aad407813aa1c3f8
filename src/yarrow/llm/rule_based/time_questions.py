"""Questions for the time now, here or at places."""

import re
from typing import Final

from msgspec import Struct

from yarrow.language.number_words import write_digits
from yarrow.llm.rule_based.patterns import compile_any, has_unread
from yarrow.llm.rule_based.places import (
    PlaceZone,
    find_places,
    is_city,
    remove_accents,
    remove_places,
    remove_regions,
)


class TimeIntent(Struct, frozen=True):
    """The time now, of the user or at these places; `unknown` is a place without a zone."""

    places: tuple[PlaceZone, ...] = ()
    unknown: str = ""


EDGES: Final = " \t,，。.?？!！:：;；、\"'“”‘’「」《》"


_END = (
    r"(?=(?: today| now| right now| currently)*(?:,? please)?(?:[?.!,;\s]*$|[?.!,;]| and\b)"
    r"|(?: today| now| right now)* (?:in|at)\b)"
)
_TIME: Final = compile_any(
    r"\bwhat(?:'s|s| is)? (?:the )?(?:current |local |exact )?time(?: is it)?(?: now| here| there)?"
    r"(?:,? please)?(?=[?.!, ]*$| in\b| at\b| on\b)",
    r"\bwhat time (?:is it|it is)\b",
    r"(?:^\W*|[,.!?;] ?|\b(?:the|current|local|exact|what|know|me|please|now|and|hi|hello|hey|ok|check)\W+)"
    r"time (?:is it |now )?(?:right now )?in [^\W\d]",
    r"\b(?:current|local) time\b",
    r"\btell me the time\b|^\W*(?:the )?time\W*$|^\W*(?:utc|gmt)(?: time)?(?: now)?\W*$",
    r"\btime difference\b|\bhours?\b.{0,24}\b(?:ahead|behind)\b|\bahead of\b.*\bhours?\b",
    r"(?:差|相差|早|晚|快|慢)(?:多少|[几幾])[个個]?(?:小时|小時|钟头)",
    rf"\bwhat(?:'s| is) (?:the date|today'?s date){_END}",
    r"^\W*what(?:['’]?s| is) today\W*$",
    r"^\W*(?:(?:tell|give|show) me )?(?:the )?(?:today['’]?s date|date (?:of )?today)(?: please)?\W*$",
    rf"\bwhat (?:day|date|year|month)(?: of the week)? is (?:it|today){_END}",
    rf"\bwhich day is (?:it|today){_END}",
    r"[几幾][点點](?:[了钟鐘?？。!！ ]|$)",
    r"(?:现在|現在|当前|當前|此刻|目前).{0,12}(?:(?:时间|時間)(?!戳)|[几幾][点點])",
    r"(?:时间|時間)(?:是多少|是什么|是什麼)",
    r"今天.{0,4}(?:[几幾]号|[几幾]號|星期[几幾]|周[几幾]|週[几幾]|礼拜[几幾]|禮拜[几幾]|[几幾]月)",
    r"^\W*(?:星期|周|週|礼拜|禮拜)[几幾][了啊呀呢]?\W*$",
    r"今天的?日期|时差|時差|今年是?(?:哪一?年|什么年份|几几年)",
)
_DIFFERENCE: Final = compile_any(
    r"\btime difference\b|\bhours?\b.{0,24}\b(?:ahead|behind)\b|时差|時差",
    r"(?:差|相差|早|晚|快|慢)(?:多少|[几幾])[个個]?(?:小时|小時|钟头)",
)
CLOCK: Final = re.compile(
    r"\b\d{1,2}(?::\d{2})? ?(?:am|pm|a\.m|p\.m|o'clock)\b|\b\d{1,2}:\d{2}\b|\d[点點时時]"
    r"|\bnoon\b|\bmidnight\b|\bin the (?:morning|afternoon|evening)\b|\bat night\b|\btonight\b|[早晚]上[零一二三四五六七八九十两\d]+[点點]",
    re.IGNORECASE,
)
"""A time of the day: the question is about that one, not about now."""
OTHER_DAY: Final = compile_any(
    r"\b(?:next|last|previous|coming|ago|later|from now|before|after|eve|tomorrow|yesterday)\b",
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    r"\b(?:in|within) (?:[\w-]+ ){1,3}(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
    r"\b(?:in|within) (?:a|\d+) (?:fortnight|decade|centur)",
    r"[去前明后後]年|[上下前后後]1?[个個]?(?:月|周|週|星期|礼拜|禮拜)|[明昨后後前]天|[明昨]日",
    r"[天日周週月年期拜时時钟鐘][以之]?[后後前]|[以之][后後前]",
    r"\b(?:summer|winter|autumn|spring|daylight saving|dst|holidays?|weekends?)\b|[春夏秋冬][天季]|夏令|冬令|夏時制",
    r"\b(?:january|february|april|june|july|august|september|october|november|december)\b|\d月|月底|周末|週末",
    r"[那当當][天日]|[节節](?!目)|\b(?:that day|christmas|halloween|new year|ramadan|thanksgiving)\b",
    r"[那到届屆][个個一1]?[时時](?!差)|(?<!^)(?<!^and )\bthen\b(?! what)",
)
"""A day, time or season other than now, in a line with its numbers in digits."""
_ELSEWHERE: Final = compile_any(r"\b(?:there|that)\b", r"那[边邊里裡儿兒]|当地|當地")
"""A place that was named before."""
_MEANING: Final = compile_any(
    r"^\W*what(?:['’]s| is) time\W*$", r"^\W*(?:时间|時間)(?:是什么|是什麼)[呢啊]?\W*$"
)
"""What time is, not which."""
_DENIED: Final = compile_any(r"\b(?:not|left|never)\b|n['’]t\b", r"不[在是]|离开|離開")
_PLACE_ASKED: Final = re.compile(
    r"\b(?:time|day|date|month|year) (?:is it |it is |now )?(?:right now )?(?:in|at|on) (?:the )?"
    r"([^\W\d_][\w .'-]{1,40})",
    re.IGNORECASE,
)
_PLACE_ASKED_CHINESE: Final = re.compile(
    r"([\u3400-\u9fff]{2,10}?)(?:那边|那邊|那里|那裡|当地|當地)?的?(?:现在|現在|当前|當前|此刻|目前)?的?"
    r"(?:是|时间|時間)?(?:[几幾][点點]|时间|時間)"
)
_NO_PLACE: Final = re.compile(
    r"谢谢|謝謝|多谢|多謝|请问|請問|麻烦|麻煩|告诉我|告訴我|帮我|幫我|查一?下?|看一?下?|今天|现在|現在|当前|當前|此刻|目前|"
    r"这里|這裡|这边|這邊|我们|我們|你们|我|你|您|好|的|了|在|都|是|几点|幾點|本地|当地|當地|北京时间|是多少|"
    r"此时|此時|这会儿|知道|说|說|一下|和|与|與|跟|到底|啊|呀|那|么|麼|用|英文|中文|英语|回答"
)
_HERE: Final = frozenset(
    ("here", "my timezone", "my time zone", "moment", "my city", "my place", "my location")
)
_OF_WORDS: Final = compile_any(
    r"\b(?:what|what's|is|it|the|time|now|right|current|local|please|in|at|of|and|tell|me|for)\b",
    r"现在|現在|时间|時間|几点|幾點|的|[了钟鐘和与與跟]",
)
_OUTSIDE: Final = re.compile(r"^\W*,\s*([A-Z][\w .]{2,30}?)(?:[?.!,]|$)")


def read_time(line: str) -> TimeIntent | None:
    """The place whose time is asked for now; None for other questions and other times."""
    line = remove_regions(line)
    places = tuple(find_places(line))
    is_bare = places and re.search(r"\btime\b|时间|時間", line) and not _remove_read_words(line)
    if not (_TIME.search(line) or is_bare) or CLOCK.search(line):
        return None
    if OTHER_DAY.search(write_digits(line.lower())) or _MEANING.search(line):
        return None
    if places and _DENIED.search(line):
        return None
    if len(places) != 2 and _DIFFERENCE.search(line):
        return None
    if not places and _ELSEWHERE.search(line):
        return None
    intent = _find_asked_places(line, places)
    is_read = intent.unknown or not has_unread(remove_places(line), _FILLERS, _TIME)
    return intent if is_read else None


def _find_asked_places(line: str, places: tuple[PlaceZone, ...]) -> TimeIntent:
    asked = _PLACE_ASKED.search(line)
    if places:
        return TimeIntent(places, _find_other_place(line, places))
    if asked is not None:
        unknown = asked[1].strip(EDGES)
        return TimeIntent((), "" if unknown.lower() in _HERE else unknown)
    return TimeIntent((), _find_chinese_place(line))


_FILLERS: Final = compile_any(
    r"\b(?:what|what's|whats|what is|wat|is|are|the|time|it|now|here|there|right|currently|current|local|exact|please|"
    r"pls|plz|tell|give|show|me|my|can|could|would|will|you|u|i|i'm|we|know|to|in|at|of|and|on|for|a|an|rn|dates?|days?|"
    r"today|today's|months?|years?|week|hey|hi|hello|ok|okay|so|just|also|do|does|differences?|between|how|many|"
    r"hours?|ahead|behind|utc|gmt|thanks?|over|city|moment|want|like|need|friend|buddy|sir|quickly|asap|kindly|inform|exactly|really|actually|both|vs|versus|"
    r"from|with|compared|which|too|still|be|then what|yarrow|timezone|place|location|'s|s)\b",
    r"现在|現在|当前|當前|此刻|目前|此时|此時|这会儿|這會兒|时间|時間|时差|時差|时候|時候|小时|小時|钟头|鐘頭|日期|今天|今年|今日|年份|星期|礼拜|禮拜|"
    r"什么|什麼|多少|告诉|告訴|知道|谢谢|謝謝|多谢|多謝|你好|您好|麻烦|麻煩|一下|那边|那邊|那里|那裡|这里|這裡|这边|這邊|当地|當地|本地|到底|可以|"
    r"准确|準確|具体|具體|分别|分別|英文|中文|英语|英語|回答|大概|来着|來着|哥们|哥們|兄弟|朋友|老板|大哥|大家|帅哥|美女|查询|查詢|确切|確切|"
    r"[几幾点點钟鐘了是号號周週月日年请請问問您你我们們帮幫忙看查想吗嗎呢啊呀吧啦哈亲的和与與跟同差相早晚快慢个個比在哪说說给給能那这這么麼都分秒报報为為用一二两兩下儿兒是不有也嘛呗現现时時间間得]",
)
"""Words of questions for the time; with others a question asks for something else, such as when
the sun sets."""


def continue_time(line: str) -> TimeIntent | None:
    """A question that only names another place, after one for the time: "and in London?", 那上海呢."""
    match = ELLIPSIS.match(line)
    rest = match["a"] or match["b"] or match["c"] if match else line
    rest = remove_regions(rest.strip(EDGES))
    places = tuple(find_places(rest))
    if places and not _remove_read_words(rest):
        return TimeIntent(places, _find_other_place(rest, places))
    is_place = _NAMES_PLACE.match(line) and 0 < len(rest.split()) <= 3 and len(rest) <= 24
    return TimeIntent((), rest) if is_place and not _NO_NAME.search(rest) else None


ELLIPSIS: Final = re.compile(
    r"^\W*(?:(?:and|what|how|also|then|ok(?:ay)?)[, ]+)+(?:about |for |in |at )*(?:the )?(?P<a>.+)$"
    r"|^\W*(?:那么|那|还有|還有|换成|換成)(?P<b>.+?)(?:呢|的呢|又如何|怎么样)?\W*$"
    r"|^(?P<c>.+?)呢\W*$",
    re.IGNORECASE,
)
_NAMES_PLACE: Final = re.compile(
    r"^\W*(?:(?:and|what|how|also|then|ok(?:ay)?)[, ]+)+(?:about )?in |^\W*那.+呢\W*$",
    re.IGNORECASE,
)
"""Follow-ups in which an unknown name stands for a place."""
_NO_NAME: Final = compile_any(
    r"\b(?:why|when|who|how|what|you|i|is|are|do|does|it|that|this|me|my|tomorrow|yesterday|by|then)\b",
    r"为什么|為什麼|什么|什麼|怎么|怎麼|谁|誰|时候|時候|[你我他她它这這]|天|年|月|原因",
)


def _remove_read_words(line: str) -> str:
    """What the line has besides places and the words of asking for the time."""
    return _OF_WORDS.sub(" ", remove_places(line)).strip(EDGES)


def _find_other_place(line: str, places: tuple[PlaceZone, ...]) -> str:
    """A namesake of a place, such as Paris, Texas, or Perth, Scotland; empty if there is none."""
    plain, name = remove_accents(line), places[0].name
    after = plain[plain.find(name) + len(name) :] if name in plain else ""
    if len(places) == 2 and not (_DIFFERENCE.search(line) or is_city(places[1].name)):
        is_namesake = re.match(rf",? {re.escape(places[1].name)}(?!,? and\b)", after)
        return f"{name}, {places[1].name}" if is_namesake else ""
    outside = _OUTSIDE.match(after)
    if len(places) != 1 or outside is None:
        return ""
    if find_places(outside[1]) or _OF_WORDS.match(outside[1]):
        return ""
    return f"{name}, {outside[1].strip()}"


def _find_chinese_place(line: str) -> str:
    asked = _PLACE_ASKED_CHINESE.search(line)
    name = _NO_PLACE.sub("", asked[1]) if asked else ""
    return name if len(name) >= 2 else ""
