"""Markdown as safe HTML: no raw HTML, headings and table rows with anchors, links that lead."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from yarrow.web.html import Html

_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")

_HEADING, _ROW, _LINK, _CODE = "heading_open", "tr_open", "link_open", "code_inline"

_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def render_document(text: str, *, file: str, pages: Mapping[str, str]) -> Html:
    """A docs file as HTML. `pages` maps files to addresses, both from the docs folder down."""
    tokens = _markdown.parse(text)
    _add_heading_anchors(tokens)
    _add_row_anchors(tokens)
    for token in tokens:
        for part in token.children or []:
            if part.type == _LINK:
                _lead(part, file, pages)
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    return Html(
        html.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    )


def render_line(text: str) -> Html:
    """A sentence with code and emphasis in it."""
    return Html(_markdown.renderInline(text))


def title_of(text: str, *, default: str) -> str:
    """The first heading."""
    first = next((line for line in text.splitlines() if line.startswith("# ")), "")
    return first.removeprefix("# ").replace("`", "").strip() or default


def anchor_of(heading: str) -> str:
    """The anchor GitHub gives a heading, so that a link works in both places."""
    return _NOT_IN_ANCHOR.sub("", heading.strip().lower()).replace(" ", "-")


def link_target(href: str, *, file: str) -> tuple[str, str] | None:
    """The file in the docs folder that a relative link means, and its fragment."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return None
    if not parts.path:
        return file, parts.fragment
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), parts.path)), parts.fragment


def _add_heading_anchors(tokens: Sequence[Token]) -> None:
    taken: dict[str, int] = {}
    for token, content in pairwise(tokens):
        if token.type == _HEADING:
            anchor = anchor_of(_plain(content))
            again = taken.get(anchor, 0)
            taken[anchor] = again + 1
            token.attrSet("id", f"{anchor}-{again}" if again else anchor)


def _add_row_anchors(tokens: Sequence[Token]) -> None:
    """A row whose first cell is code is named after it: `error-codes#AGENT_SESSION_BUSY`."""
    for row, _, content in zip(tokens, tokens[1:], tokens[2:], strict=False):
        cell = content.children or []
        if row.type == _ROW and len(cell) == 1 and cell[0].type == _CODE:
            row.attrSet("id", cell[0].content)


def _plain(token: Token) -> str:
    return "".join(part.content for part in token.children or [])


def _lead(link: Token, file: str, pages: Mapping[str, str]) -> None:
    target = link_target(str(link.attrGet("href") or ""), file=file)
    if target is None:
        link.attrSet("rel", "noreferrer")
        return
    path, fragment = target
    if path in pages:
        link.attrSet("href", pages[path] + (f"#{fragment}" if fragment else ""))
    else:
        # A file of the repository outside the docs: there is no page to lead to.
        link.attrs.pop("href", None)
