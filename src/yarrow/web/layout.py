"""The frame of every page, and the headers that pages are sent with."""

import gzip
from pathlib import Path

from fastapi import Request, Response
from markupsafe import Markup
from msgspec import Struct

from yarrow import __version__
from yarrow.kit.json import JsonObject
from yarrow.web.app_pages import APP_PAGES
from yarrow.web.assets import list_imports, make_asset_url, make_stylesheet_path
from yarrow.web.templating import Templates
from yarrow.web.words import (
    FRAME_WORDS,
    LANGUAGES,
    choose_language,
    make_translate,
    read_words,
)

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

_FRAME_MODULE = "kit/frame.js"

_templates = Templates(Path(__file__).parent / "templates")


class PageView(Struct, frozen=True):
    """What a page depends on besides its content: the reader's language and encodings."""

    language: str
    accepts_gzip: bool

    @classmethod
    def from_request(cls, request: Request) -> "PageView":
        accepted = request.headers.get("accept-encoding", "")
        return cls(choose_language(request), "gzip" in accepted)


def render_page(
    template: str,
    language: str,
    *,
    title: str,
    current: str = "",
    sheet: str = "frame",
    module: str | None = None,
    page_data: JsonObject | None = None,
    **values: object,
) -> Markup:
    """Render a template that extends `layout.html`; `current` is the header link to highlight.

    `sheet` is one of `STYLESHEETS`, `module` is what the page runs beside the frame's own.
    """
    modules = (module, _FRAME_MODULE) if module else (_FRAME_MODULE,)
    return _templates.render(
        template,
        title=title,
        current=current,
        sheet=make_stylesheet_path(sheet),
        modules=modules,
        preloads=list_imports(*modules),
        version=__version__,
        asset_url=make_asset_url,
        language=language,
        languages=LANGUAGES,
        app_pages=APP_PAGES,
        t=make_translate(language),
        page_data=page_data or {"language": language, "words": read_words(language, FRAME_WORDS)},
        **values,
    )


def build_page_response(page: Markup, view: PageView, *, status: int = 200) -> Response:
    """Build the response. A page shows the present configuration, so it must not be cached."""
    headers = HEADERS | {"cache-control": "no-store", "content-language": view.language}
    body = page.encode()
    if view.accepts_gzip:
        headers["content-encoding"] = "gzip"
        body = gzip.compress(body, 5)
    return Response(body, status, headers, "text/html")


def build_not_found_response(view: PageView) -> Response:
    """Build the 404 page."""
    title = f"{make_translate(view.language)('not_found.title')} · Yarrow"
    return build_page_response(
        render_page("not_found.html", view.language, title=title), view, status=404
    )


def show_missing_page(request: Request) -> Response:
    """Answer a browser at an address that has no page."""
    return build_not_found_response(PageView.from_request(request))
