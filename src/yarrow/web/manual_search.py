"""Search over the docs: sections that have all words of a query, best first. No index is kept.

A word is found where a word of the text begins with it: `lease` finds leases, not release. Chinese
is written without spaces, so its words are found anywhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup, escape
from msgspec import Struct

from yarrow.web.markdown import make_heading_anchor

RESULTS_MAX = 40
QUERY_MAX = 100
_EXCERPT = 160
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$", re.MULTILINE)
_MARKUP = re.compile(r"[`*|]|:?-{3,}:?|\[([^\]]*)\]\([^)]*\)")
_LATIN = re.compile(r"[a-z0-9]")
_TITLE_WEIGHT = 20


class DocsSearchResult(Struct, frozen=True):
    """A section of a page; words of the query are marked in its excerpt."""

    address: str
    page: str
    heading: str
    excerpt: Markup


class _ManualSection(Struct, frozen=True):
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
    words = [_compile_word(word) for word in query[:QUERY_MAX].casefold().split()]
    if not words:
        return ()
    scored = [
        (_score_section(section, words), section)
        for address, title, text in pages
        for section in _split_page(address, title, text)
        if all(word.search(section.folded) or word.search(section.folded_heading) for word in words)
    ]
    scored.sort(key=lambda item: -item[0])
    return tuple(_make_result(section, words) for _, section in scored[:RESULTS_MAX])


def _compile_word(word: str) -> re.Pattern[str]:
    boundary = r"(?<![a-z0-9])" if _LATIN.match(word) else ""
    return re.compile(boundary + re.escape(word), re.IGNORECASE)


def _score_section(section: _ManualSection, words: Sequence[re.Pattern[str]]) -> float:
    """Words in a heading count most; long sections have more words by chance."""
    in_heading = sum(bool(word.search(section.folded_heading)) for word in words)
    in_text = sum(len(word.findall(section.folded)) for word in words)
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
        anchor = f"#{make_heading_anchor(heading)}" if number else ""
        yield _ManualSection(
            address + anchor, title, heading, body, body.casefold(), heading.casefold()
        )


def _make_result(section: _ManualSection, words: Sequence[re.Pattern[str]]) -> DocsSearchResult:
    places = [match.start() for word in words if (match := word.search(section.text))]
    excerpt = _cut_excerpt(section.text, min(places, default=0))
    return DocsSearchResult(
        section.address, section.page, section.heading, _mark_words(excerpt, words)
    )


def _cut_excerpt(text: str, place: int) -> str:
    """Cut the text around a place, at spaces if there are any near."""
    start = max(0, place - _EXCERPT // 3)
    end = start + _EXCERPT
    if start:
        start = text.find(" ", start, place) + 1 or start
    if end < len(text):
        last = text.rfind(" ", place, end)
        end = last if last > end - _EXCERPT // 4 else end
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def _mark_words(text: str, words: Sequence[re.Pattern[str]]) -> Markup:
    pattern = re.compile("|".join(word.pattern for word in words), re.IGNORECASE)
    parts: list[Markup] = []
    last = 0
    for match in pattern.finditer(text):
        parts += [escape(text[last : match.start()]), Markup("<mark>"), escape(match.group())]
        parts.append(Markup("</mark>"))
        last = match.end()
    return Markup().join([*parts, escape(text[last:])])
