"""Languages: those our own texts are written in, and the names of others for prompts."""

import re
from enum import StrEnum
from typing import Final


class Language(StrEnum):
    """A language of our own texts; Chinese in both scripts."""

    HANS = "zh-Hans"
    HANT = "zh-Hant"
    ENGLISH = "en"


_TRADITIONAL: Final = frozenset({"hant", "tw", "hk", "mo"})


def find_nearest_language(tag: str, *, script: str = "hans") -> Language:
    """The language nearest to a tag such as `zh-TW` or `en-GB`.

    `script` is the one to write Chinese in where the tag leaves it open.
    """
    primary, *subtags = tag.lower().replace("_", "-").split("-")
    if primary != "zh":
        return Language.ENGLISH
    return Language.HANT if _TRADITIONAL & {*subtags, script} else Language.HANS


_USING = r"(?<!怎么)(?<!怎麼)(?<!怎样)(?<!怎樣)(?<!怎么样)(?<!如何)(?:用|以)\s*"
_NOT_HOW = r"(?!\s*(?:应该|應該|该|該|要)?(?:怎|如何|是什么|是什麼|叫什么|叫什麼))"
"""怎么用英文说谢谢 asks about a language, not for an answer in it."""
_WRITE = r"(?<!how do i )(?<!how do you )(?<!how can i )(?<!how to )\bwrite"

_ASKS_ENGLISH: Final = re.compile(
    rf"{_USING}(?:英文|英语|英語){_NOT_HOW}\s*(?:回答|回复|回覆|作答|说|說|解|写|寫)?"
    rf"|(?:answer|reply|respond|read(?: it)?|{_WRITE})[^.?!]{{0,20}}\bin english\b"
    r"|\bin english,? please\b|english please",
    re.IGNORECASE,
)
_ASKS_HANT: Final = re.compile(
    rf"{_USING}(?:繁体|繁體|正体|正體)(?:中文|字)?+{_NOT_HOW}|in traditional chinese", re.IGNORECASE
)
_ASKS_CHINESE: Final = re.compile(
    rf"{_USING}(?:中文|汉语|漢語|国语|國語|简体|簡體){_NOT_HOW}"
    rf"|(?:answer|reply|respond|{_WRITE})[^.?!]{{0,20}}\bin (?:simplified )?chinese\b",
    re.IGNORECASE,
)


def find_requested_language(text: str) -> Language | None:
    """The language that a text asks to be answered in ("请用英文回答", "answer in English")."""
    if _ASKS_HANT.search(text):
        return Language.HANT
    if _ASKS_ENGLISH.search(text):
        return Language.ENGLISH
    return Language.HANS if _ASKS_CHINESE.search(text) else None


def remove_language_request(text: str) -> str:
    """The text without the words that ask for a language."""
    for pattern in (_ASKS_HANT, _ASKS_ENGLISH, _ASKS_CHINESE):
        if match := pattern.search(text):
            before, after = text[: match.start()], text[match.end() :]
            rest = f"{_REQUEST_START.sub('', before)} {_REQUEST_END.sub('', after)}".strip()
            return rest or text
    return text


_REQUEST_START: Final = re.compile(r"(?:请|請|please|,|，)\s*$", re.IGNORECASE)
_REQUEST_END: Final = re.compile(
    r"^\s*(?:回答|回复|回覆|作答)?(?:我|一下)?[\s:：,，.。!！]*(?:please\b)?[\s:：,，.。]*",
    re.IGNORECASE,
)


def find_english_name(code: str) -> str:
    """What a prompt calls the language of a code; the code itself if we do not know."""
    return _NAMES.get(code, code)


_NAMES: Final = {
    "zh": "Simplified Chinese",
    "zh-Hant": "Traditional Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "ru": "Russian",
    "ar": "Arabic",
    "hi": "Hindi",
    "nl": "Dutch",
    "pl": "Polish",
    "tr": "Turkish",
    "vi": "Vietnamese",
    "th": "Thai",
    "id": "Indonesian",
    "uk": "Ukrainian",
    "sv": "Swedish",
}
