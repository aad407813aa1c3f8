"""Extract summaries that a model wrote into its answer, between tags."""

import re

from msgspec import Struct

TAGS = ("summary", "摘要", "memory", "记忆", "memo")
_BLANK_LINES = re.compile(r"\n{3,}")


class ExtractedSummaries(Struct, frozen=True):
    """The answer without its summaries, and the summaries: by tag, then by position."""

    text: str
    summaries: tuple[str, ...]


def remove_summaries(text: str, summaries: list[str]) -> str:
    """Move what is between closed pairs of tags to the list; other tags stay in the text."""
    for tag in TAGS:
        text = _extract_tag(text, tag, summaries)
    return text


def extract_summaries(text: str) -> ExtractedSummaries:
    """Remove every closed pair of tags; a tag without its partner stays in the text."""
    summaries: list[str] = []
    text = remove_summaries(text, summaries)
    return ExtractedSummaries(
        text=_BLANK_LINES.sub("\n\n", text).strip(),
        summaries=tuple(summary for summary in map(str.strip, summaries) if summary),
    )


def _extract_tag(text: str, tag: str, summaries: list[str]) -> str:
    """Extract in one pass: a search from each opening tag would be quadratic."""
    parts: list[str] = []
    done = 0
    opened: re.Match[str] | None = None
    for mark in re.finditer(rf"<(/?){tag}>", text, re.IGNORECASE | re.ASCII):
        if not mark[1]:
            opened = opened or mark
        elif opened:
            summaries.append(text[opened.end() : mark.start()])
            parts.append(text[done : opened.start()])
            done, opened = mark.end(), None
    return "".join((*parts, text[done:]))
