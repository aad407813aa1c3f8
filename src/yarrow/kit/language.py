"""Languages: those our own texts are written in, and the names of others for prompts."""

from enum import StrEnum
from typing import Final


class Language(StrEnum):
    """A language of our own texts; Chinese in both scripts."""

    HANS = "zh-Hans"
    HANT = "zh-Hant"
    ENGLISH = "en"


_TRADITIONAL: Final = frozenset({"hant", "tw", "hk", "mo"})


def nearest_language(tag: str, *, script: str = "hans") -> Language:
    """The language nearest to a tag such as `zh-TW` or `en-GB`.

    `script` is the one to write Chinese in where the tag leaves it open.
    """
    primary, *subtags = tag.lower().replace("_", "-").split("-")
    if primary != "zh":
        return Language.ENGLISH
    return Language.HANT if _TRADITIONAL & {*subtags, script} else Language.HANS


def english_name(code: str) -> str:
    """What a prompt calls the language of a two-letter code; the code itself if we do not know."""
    return _NAMES.get(code, code)


_NAMES: Final = {
    "zh": "Simplified Chinese",
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
