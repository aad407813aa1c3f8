"""Render a page that is a client: the frame, its words and what its module starts with."""

from collections.abc import Mapping

from markupsafe import Markup

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.web.app_pages import AppPage
from yarrow.web.assets import list_imports
from yarrow.web.layout import render_page
from yarrow.web.words import make_translate, read_words


def render_app_page(
    page: AppPage, language: str, *, facts: Mapping[str, JsonValue], **values: object
) -> Markup:
    """Render the page. `facts` are public values that its module reads at start."""
    data: JsonObject = {"language": language, "words": read_words(language), **facts}
    name = make_translate(language)(page.title_key)
    return render_page(
        f"{page.name}.html",
        language,
        title="Yarrow" if page.address == "/" else f"{name} · Yarrow",
        current=page.address,
        page=page,
        modules=list_imports(page.module),
        page_data=data,
        **values,
    )
