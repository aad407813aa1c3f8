"""CommonMark with tables and strikethrough, HTML as text: for reports and for the manual."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def make_markdown_parser() -> "MarkdownIt":
    """A parser; the first call imports its library."""
    from markdown_it import MarkdownIt  # noqa: PLC0415

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
