"""The Markdown files of the docs folder as pages, and its pictures. No other file is served."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from markupsafe import Markup
from msgspec import Struct

from yarrow.web.layout import render_page
from yarrow.web.manual_search import QUERY_MAX, search_manual
from yarrow.web.markdown import find_first_heading, render_document
from yarrow.web.words import make_translate

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


class _Document(Struct, frozen=True):
    slug: str
    file: str
    text: str

    @property
    def address(self) -> str:
        return f"/docs/{self.slug}".rstrip("/")

    @property
    def title(self) -> str:
        return find_first_heading(self.text, default=self.slug)

    @property
    def section(self) -> str:
        return self.file.rpartition("/")[0].partition("/")[0]


class _Section(Struct, frozen=True):
    title: str
    documents: list[_Document]


PICTURE_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def find_docs_folder() -> Path:
    """The docs folder of the installed package, else of the checkout."""
    return INSTALLED if INSTALLED.is_dir() else CHECKOUT


class Manual:
    """All docs pages: read for the first page, each body rendered on its first request and then
    cached."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or find_docs_folder()
        self._bodies: dict[str, Markup] = {}

    @cached_property
    def _documents(self) -> dict[str, _Document]:
        return {document.slug: document for document in _read_documents(self._folder)}

    @cached_property
    def _addresses(self) -> dict[str, str]:
        return {document.file: document.address for document in self._documents.values()}

    @cached_property
    def _pictures(self) -> dict[str, Path]:
        return {
            path.relative_to(self._folder).as_posix(): path
            for path in sorted(self._folder.rglob("*.*"))
            if path.suffix in PICTURE_TYPES
        }

    def picture(self, file: str) -> tuple[bytes, str] | None:
        """Return a picture of the docs folder and its type; None if there is none of this name."""
        path = self._pictures.get(file)
        return (path.read_bytes(), PICTURE_TYPES[path.suffix]) if path is not None else None

    @property
    def slugs(self) -> frozenset[str]:
        """The names of all pages; the index has the empty one."""
        return frozenset(self._documents)

    def page(self, slug: str, language: str) -> Markup | None:
        """Return a page as a whole HTML document; None if there is none of this name.

        Only the frame is in the reader's language: the docs are in English.
        """
        if (document := self._documents.get(slug)) is None:
            return None
        if slug not in self._bodies:
            self._bodies[slug] = render_document(
                document.text, file=document.file, pages=self._addresses
            )
        return render_page(
            "manual.html",
            language,
            title=f"{document.title} · Yarrow",
            current="/docs",
            sheet="docs",
            body=self._bodies[slug],
            shown=document,
            sections=self._list_sections(),
        )

    def search(self, query: str, language: str) -> Markup:
        """Render the page of search results; no query shows the form only."""
        query = query.strip()[:QUERY_MAX]
        pages = [(each.address, each.title, each.text) for each in self._documents.values()]
        title = make_translate(language)("docs.search")
        return render_page(
            "docs_search.html",
            language,
            title=f"{title} · Yarrow",
            current="/docs",
            sheet="docs",
            query=query,
            results=search_manual(pages, query),
            shown=None,
            sections=self._list_sections(),
        )

    def _list_sections(self) -> list[_Section]:
        documents = list(self._documents.values())
        folders = {document.section for document in documents}
        order = [name for name in _SECTIONS if name in folders]
        order += sorted(folders - _SECTIONS.keys())
        return [
            _Section(
                _SECTIONS.get(name, name.capitalize()),
                [document for document in documents if document.section == name],
            )
            for name in order
        ]


def _read_documents(folder: Path) -> Iterator[_Document]:
    root = folder.resolve()
    for path in sorted(root.rglob("*.md")):
        if path.resolve().is_relative_to(root):
            file = path.relative_to(root).as_posix()
            slug = file.removesuffix(".md").removesuffix("README").rstrip("/")
            yield _Document(slug, file, path.read_text("utf-8"))
