"""The words of the pages in three languages: one table for templates and scripts."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec
from fastapi import Request

from yarrow.kit.json import JsonValue

TABLE = Path(__file__).parent / "words.json"
LANGUAGES = {"en": "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文"}
"""Language tags and their names in the language itself; the first one is the default."""
COOKIE = "yarrow_language"
FRAME_WORDS = ("frame.", "shortcut.")
"""Prefixes of the words that scripts need on every page."""

Translate: TypeAlias = Callable[[str], str]

_TRADITIONAL = re.compile(r"zh-(?:.*-)?(?:hant|tw|hk|mo)\b", re.IGNORECASE)


@cache
def read_words(language: str, prefixes: tuple[str, ...] = ("",)) -> dict[str, JsonValue]:
    """Read the words of one language by their keys, all or those with one of the prefixes."""
    table = msgspec.json.decode(TABLE.read_bytes(), type=dict[str, dict[str, str]])
    return {key: words[language] for key, words in table.items() if key.startswith(prefixes)}


def choose_language(request: Request) -> str:
    """Choose by the switch of the pages, which sets a cookie, else by the browser's languages."""
    if (chosen := request.cookies.get(COOKIE)) in LANGUAGES:
        return str(chosen)
    return match_language(request.headers.get("accept-language", ""))


def match_language(accepted: str) -> str:
    """Return the first language of an `Accept-Language` header that the pages have."""
    for tag in _order_tags(accepted):
        if tag.casefold().startswith("zh"):
            return "zh-Hant" if _TRADITIONAL.match(tag) else "zh-Hans"
        if tag.casefold().startswith("en"):
            return "en"
    return next(iter(LANGUAGES))


def _order_tags(accepted: str) -> list[str]:
    weighted = []
    for part in accepted.split(","):
        tag, _, weight = part.strip().partition(";q=")
        try:
            weighted.append((float(weight or 1), tag))
        except ValueError:
            continue
    return [tag for _, tag in sorted(weighted, key=lambda item: -item[0])]


def make_translate(language: str) -> Translate:
    """Make the function that templates call with a key."""
    words = read_words(language)

    def translate(key: str) -> str:
        return str(words[key])

    return translate
