"""Search over the docs: sections that have all words of a query, best first. No index is kept."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from yarrow.web.markdown import heading_anchor

RESULTS_MAX = 40
QUERY_MAX = 100
_EXCERPT = 160
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$", re.MULTILINE)
_MARKUP = re.compile(r"[`*|]|:?-{3,}:?|\[([^\]]*)\]\([^)]*\)")
_TITLE_WEIGHT = 20


@dataclass(frozen=True, slots=True)
class DocsSearchResult:
    """A section of a page; words of the query are marked in its excerpt."""

    address: str
    page: str
    heading: str
    excerpt: Markup


@dataclass(frozen=True, slots=True)
class _ManualSection:
    address: str
    page: str
    heading: str
    text: str
    folded: str
    folded_heading: str


def search_manual(
    pages: Iterable[tuple[str, str, str]], query: str
) -> tuple[DocsSearchResult, ...]:
    """Search pages, each an address, a title and its Markdown."""
    words = query[:QUERY_MAX].casefold().split()
    if not words:
        return ()
    scored = [
        (_score(section, words), section)
        for address, title, text in pages
        for section in _split_page(address, title, text)
        if all(word in section.folded or word in section.folded_heading for word in words)
    ]
    scored.sort(key=lambda item: -item[0])
    return tuple(_make_result(section, words) for _, section in scored[:RESULTS_MAX])


def _score(section: _ManualSection, words: Sequence[str]) -> float:
    """Words in a heading count most; long sections have more words by chance."""
    in_heading = sum(word in section.folded_heading for word in words)
    in_text = sum(section.folded.count(word) for word in words)
    return in_heading * _TITLE_WEIGHT + in_text / (1 + len(section.folded) / 2000)


@lru_cache(maxsize=256)
def _split_page(address: str, title: str, text: str) -> tuple[_ManualSection, ...]:
    return tuple(_iterate_sections(address, title, text))


def _iterate_sections(address: str, title: str, text: str) -> Iterator[_ManualSection]:
    headings = list(_HEADING.finditer(text))
    starts = [match.end() for match in headings] or [0]
    ends = [match.start() for match in headings[1:]] + [len(text)]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        heading = _MARKUP.sub(r"\1", headings[number].group(2)) if headings else title
        body = " ".join(_MARKUP.sub(r"\1", text[start:end]).split())
        anchor = f"#{heading_anchor(heading)}" if number else ""
        yield _ManualSection(
            address + anchor, title, heading, body, body.casefold(), heading.casefold()
        )


def _make_result(section: _ManualSection, words: Sequence[str]) -> DocsSearchResult:
    places = [place for word in words if (place := section.folded.find(word)) >= 0]
    start = max(0, min(places, default=0) - _EXCERPT // 3)
    cut = section.text[start : start + _EXCERPT]
    excerpt = f"{'…' if start else ''}{cut}{'…' if start + _EXCERPT < len(section.text) else ''}"
    return DocsSearchResult(section.address, section.page, section.heading, _mark(excerpt, words))


def _mark(text: str, words: Sequence[str]) -> Markup:
    pattern = re.compile("|".join(re.escape(word) for word in words), re.IGNORECASE)
    parts: list[Markup] = []
    last = 0
    for match in pattern.finditer(text):
        parts += [escape(text[last : match.start()]), Markup("<mark>"), escape(match.group())]
        parts.append(Markup("</mark>"))
        last = match.end()
    return Markup().join([*parts, escape(text[last:])])
