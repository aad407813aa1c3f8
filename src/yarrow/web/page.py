"""The frame of every page, and the headers it goes out with."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Response

from yarrow import __version__
from yarrow.web.assets import asset_url
from yarrow.web.html import Html, el, join

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

_LINKS = (("Docs", "/docs"), ("API reference", "/reference"))


def page_response(page: Html, *, status: int = 200) -> Response:
    """A page as it is sent. It shows what is configured now, so nobody may keep it."""
    return Response(page, status, HEADERS | {"cache-control": "no-store"}, "text/html")


@dataclass(frozen=True, slots=True)
class Aside:
    """Links that stand beside a page; on a phone below it, with a way there at the top."""

    label: str
    links: Sequence[Html]


def page(title: str, body: Html, *, aside: Aside | None = None, here: str = "") -> Html:
    """A whole document; `here` is the link of the header that is current."""
    main = el("main", body, id="main")
    content = main if aside is None else _beside(main, aside)
    document = el("html", _head(title), el("body", _top(here), content, _foot()), lang="en")
    return Html(f"<!doctype html>\n{document}\n")


def _beside(main: Html, aside: Aside) -> Html:
    jump = el("a", aside.label, href="#contents", class_="jump")
    links = el("nav", *aside.links, id="contents", class_="contents", aria_label=aside.label)
    return el("div", jump, main, links, class_="columns")


def _head(title: str) -> Html:
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("link", rel="icon", href=asset_url("mark.svg"), type="image/svg+xml"),
        el("link", rel="stylesheet", href=asset_url("style.css")),
        el("script", src=asset_url("copy.js"), defer=True),
    )


def _top(here: str) -> Html:
    links = [
        el("a", label, href=href, aria_current="page" if href == here else None)
        for label, href in _LINKS
    ]
    home = el("a", mark(), el("span", "Yarrow"), href="/", class_="home")
    skip = el("a", "Skip to the page", href="#main", class_="skip")
    return el("header", skip, home, el("nav", *links, aria_label="Pages"), class_="top")


def _foot() -> Html:
    return el("footer", f"Yarrow {__version__}", class_="foot")


def mark() -> Html:
    """Six lines, as yarrow stalks give them: 泰, heaven below and earth above."""
    lines = [_line(place, broken=place < 3) for place in range(6)]
    return el("svg", *lines, class_="mark", viewBox="0 0 24 24", aria_hidden="true")


def _line(place: int, *, broken: bool) -> Html:
    top = str(1 + place * 4)
    if not broken:
        return el("rect", x="2", y=top, width="20", height="2", rx="1")
    left = el("rect", x="2", y=top, width="8.5", height="2", rx="1")
    right = el("rect", x="13.5", y=top, width="8.5", height="2", rx="1")
    return join([left, right])
