"""Render a page that is a client: the frame, its words and what its module starts with."""

from collections.abc import Mapping
from functools import cache

from markupsafe import Markup

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.liuyao import list_classic_hant_forms, list_hant_forms
from yarrow.web.app_pages import AppPage
from yarrow.web.layout import render_page
from yarrow.web.words import make_translate, read_words

_NOTES = "note."
"""The beginning of many keys, which are about files."""
_PAGES_WITH_FILES = {"data", "stories"}


@cache
def _list_hant_forms() -> JsonObject:
    """List the traditional forms for text of the board, which is in simplified script."""
    prose = list_hant_forms()
    return {"prose": {**prose}, "classic": {**list_classic_hant_forms(prose)}}


def render_app_page(
    page: AppPage, language: str, *, facts: Mapping[str, JsonValue], **values: object
) -> Markup:
    """Render the page. `facts` are public values that its module reads at start."""
    words = read_words(language)
    if page.name not in _PAGES_WITH_FILES:
        words = {key: text for key, text in words.items() if not key.startswith(_NOTES)}
    data: JsonObject = {"language": language, "words": words, **facts}
    if page.shows_boards and language == "zh-Hant":
        data["hant"] = _list_hant_forms()
    name = make_translate(language)(page.title_key)
    return render_page(
        f"{page.name}.html",
        language,
        title="Yarrow" if page.address == "/" else f"{name} · Yarrow",
        current=page.address,
        sheet=page.name,
        module=page.module,
        page_data=data,
        **values,
    )
