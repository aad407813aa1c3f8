"""The layout of every page, and the headers that pages are sent with."""

from pathlib import Path

from fastapi import Response
from markupsafe import Markup

from yarrow import __version__
from yarrow.web.assets import asset_url
from yarrow.web.templating import Templates

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

_templates = Templates(Path(__file__).parent / "templates")


def render_page(template: str, *, title: str, current: str = "", **values: object) -> Markup:
    """Render a template that extends `layout.html`; `current` is the header link to highlight."""
    return _templates.render(
        template,
        title=title,
        current=current,
        version=__version__,
        asset_url=asset_url,
        **values,
    )


def page_response(page: Markup, *, status: int = 200) -> Response:
    """Build the response. A page shows the present configuration, so it must not be cached."""
    return Response(page, status, HEADERS | {"cache-control": "no-store"}, "text/html")


def not_found_response() -> Response:
    """Build the 404 page."""
    page = render_page("not_found.html", title="Not found · Yarrow")
    return page_response(page, status=404)
