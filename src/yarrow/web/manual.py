"""The project's Markdown docs as pages. Only files found in the docs folder can be asked for."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from yarrow.web.html import Html, el
from yarrow.web.markdown import render_document, title_of
from yarrow.web.page import Aside, page

INSTALLED = Path(__file__).parent / "docs"
CHECKOUT = Path(__file__).parents[3] / "docs"

_SECTIONS = {
    "": "Start",
    "quickstart": "Quickstart",
    "howto": "How to",
    "explanation": "Explanation",
    "protocols": "Protocols",
    "decisions": "Decisions",
}


@dataclass(frozen=True, slots=True)
class _Document:
    slug: str
    file: str
    text: str

    @property
    def address(self) -> str:
        return f"/docs/{self.slug}".rstrip("/")

    @property
    def title(self) -> str:
        return title_of(self.text, default=self.slug)

    @property
    def section(self) -> str:
        return self.file.rpartition("/")[0].partition("/")[0]


class Manual:
    """All docs, read once; a page is rendered when it is first asked for."""

    def __init__(self, folder: Path | None = None) -> None:
        found = folder or (INSTALLED if INSTALLED.is_dir() else CHECKOUT)
        self._documents = {document.slug: document for document in _read(found)}
        self._addresses = {d.file: d.address for d in self._documents.values()}
        self._rendered: dict[str, Html] = {}

    @property
    def slugs(self) -> frozenset[str]:
        """The names of all pages; the index has the empty one."""
        return frozenset(self._documents)

    def page(self, slug: str) -> Html | None:
        """A page as a whole document; None when there is none of this name."""
        if (document := self._documents.get(slug)) is None:
            return None
        if slug not in self._rendered:
            self._rendered[slug] = self._render(document)
        return self._rendered[slug]

    def _render(self, document: _Document) -> Html:
        body = render_document(document.text, file=document.file, pages=self._addresses)
        return page(
            f"{document.title} · Yarrow",
            el("article", body, class_="prose"),
            aside=self._contents(document),
            here="/docs",
        )

    def _contents(self, shown: _Document) -> Aside:
        known = {document.section for document in self._documents.values()}
        order = [name for name in _SECTIONS if name in known] + sorted(known - _SECTIONS.keys())
        parts = [part for name in order for part in self._section(name, shown)]
        return Aside("All pages", parts)

    def _section(self, name: str, shown: _Document) -> Iterator[Html]:
        documents = [d for d in self._documents.values() if d.section == name]
        yield el("h2", _SECTIONS.get(name, name.capitalize()))
        yield el("ul", *(el("li", _link(document, shown)) for document in documents))


def _link(document: _Document, shown: _Document) -> Html:
    current = "page" if document is shown else None
    return el("a", document.title, href=document.address, aria_current=current)


def _read(folder: Path) -> Iterator[_Document]:
    root = folder.resolve()
    for path in sorted(root.rglob("*.md")):
        if path.resolve().is_relative_to(root):
            file = path.relative_to(root).as_posix()
            slug = file.removesuffix(".md").removesuffix("README").rstrip("/")
            yield _Document(slug, file, path.read_text("utf-8"))
