"""Markdown as safe HTML: raw HTML is escaped, headings and table rows get anchors."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markupsafe import Markup

from yarrow.kit.markdown_parser import make_markdown_parser

if TYPE_CHECKING:
    from markdown_it.token import Token

_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")

_HEADING, _ROW, _LINK, _CODE = "heading_open", "tr_open", "link_open", "code_inline"
_IMAGE = "image"

_get_parser = cache(make_markdown_parser)


def render_document(text: str, *, file: str, pages: Mapping[str, str]) -> Markup:
    """Render a docs file. `pages` maps files, relative to the docs folder, to addresses."""
    markdown = _get_parser()
    tokens = markdown.parse(text)
    _add_heading_anchors(tokens)
    _add_row_anchors(tokens)
    for token in tokens:
        for part in token.children or []:
            if part.type == _LINK:
                _resolve_link(part, file, pages)
            elif part.type == _IMAGE:
                part.attrSet("loading", "lazy")
    html = markdown.renderer.render(tokens, markdown.options, {})
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<table>", '<div class="scroll"><table>')
    html = html.replace("</table>", "</table></div>")
    return Markup(html)  # noqa: S704 - the parser escapes raw HTML


def render_line(text: str) -> Markup:
    """Render a sentence with code and emphasis in it, without a paragraph around it."""
    return Markup(_get_parser().renderInline(text))  # noqa: S704 - the parser escapes raw HTML


def find_first_heading(text: str, *, default: str) -> str:
    """Return the text of the first heading."""
    first = next((line for line in text.splitlines() if line.startswith("# ")), "")
    return first.removeprefix("# ").replace("`", "").strip() or default


def make_heading_anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading, so that a link works in both places."""
    return _NOT_IN_ANCHOR.sub("", heading.strip().lower()).replace(" ", "-")


def resolve_link_target(href: str, *, file: str) -> tuple[str, str] | None:
    """Resolve a relative link to a file in the docs folder and its fragment."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return None
    if not parts.path:
        return file, parts.fragment
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), parts.path)), parts.fragment


def _add_heading_anchors(tokens: "Sequence[Token]") -> None:
    uses: dict[str, int] = {}
    for token, content in pairwise(tokens):
        if token.type == _HEADING:
            anchor = make_heading_anchor(_extract_text(content))
            earlier = uses.get(anchor, 0)
            uses[anchor] = earlier + 1
            token.attrSet("id", f"{anchor}-{earlier}" if earlier else anchor)


def _add_row_anchors(tokens: "Sequence[Token]") -> None:
    """Give a row whose first cell is code its anchor: `error-codes#AGENT_SESSION_BUSY`."""
    for row, _, content in zip(tokens, tokens[1:], tokens[2:], strict=False):
        cell = content.children or []
        if row.type == _ROW and len(cell) == 1 and cell[0].type == _CODE:
            row.attrSet("id", cell[0].content)


def _extract_text(token: "Token") -> str:
    return "".join(part.content for part in token.children or [])


def _resolve_link(link: "Token", file: str, pages: Mapping[str, str]) -> None:
    target = resolve_link_target(str(link.attrGet("href") or ""), file=file)
    if target is None:
        link.attrSet("rel", "noreferrer")
        return
    path, fragment = target
    if path in pages:
        link.attrSet("href", pages[path] + (f"#{fragment}" if fragment else ""))
    else:
        # A file of the repository outside the docs has no page.
        link.attrs.pop("href", None)
