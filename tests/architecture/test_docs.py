"""The docs say what the code says. `python -m tests.architecture.write_docs` mends the tables."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.architecture.docs_index import unlisted
from tests.architecture.expected_rows import problem_rows, run_error_rows, run_event_rows
from tests.architecture.pages import (
    AGUI_TABLE,
    PROBLEM_TABLE,
    RUN_ERROR_TABLE,
    RUN_EVENT_TABLE,
    SETTING_TABLE,
)
from tests.architecture.source import DOCS, PACKAGE, ROOT
from tests.architecture.wire_words import setting_rows, wire_events

from yarrow.web.markdown import make_heading_anchor, resolve_link_target

PAGES = sorted(DOCS.rglob("*.md"))


def test_every_setting_is_documented_with_its_default() -> None:
    assert SETTING_TABLE.rows() == setting_rows()


def test_every_problem_code_is_documented_with_its_status() -> None:
    assert PROBLEM_TABLE.rows() == problem_rows()


def test_every_run_error_is_documented() -> None:
    assert RUN_ERROR_TABLE.rows() == run_error_rows()


@pytest.mark.parametrize("table", [PROBLEM_TABLE, RUN_ERROR_TABLE])
def test_every_code_is_explained(table) -> None:
    assert [row[0] for row in table.rows() if not all(row)] == []


def test_every_run_event_is_documented_as_clients_see_it() -> None:
    assert RUN_EVENT_TABLE.rows() == run_event_rows()


def test_every_wire_event_is_documented() -> None:
    assert set(AGUI_TABLE.named()) == {n for n, users in wire_events().items() if "agui" in users}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_relative_links_lead_somewhere(page: Path) -> None:
    broken = [href for href in _links(page.read_text("utf-8")) if not _leads(page, href)]

    assert broken == []


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("*.md")], ids=lambda page: page.stem)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    paths = re.findall(r"`([\w/-]+/[\w-]+\.(?:py|sql))`", page.read_text("utf-8"))

    assert [path for path in paths if not _is_ours(path)] == []


def test_the_glossary_points_to_code_that_exists() -> None:
    text = (DOCS / "glossary.md").read_text("utf-8")
    cells = re.findall(r"^\|.*\| (`.*`) \|$", text, re.MULTILINE)
    places = [place.strip("`") for cell in cells for place in cell.split(", ")]

    assert [place for place in places if not (PACKAGE / place).exists()] == []
    assert len(places) >= 40


def test_the_index_names_every_page() -> None:
    assert unlisted() == []


def _is_ours(path: str) -> bool:
    return any((folder / path).exists() for folder in (PACKAGE, ROOT))


def _links(text: str) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = [part for token in tokens for part in token.children or []]
    found = [part.attrGet("href") or part.attrGet("src") for part in inline]
    return [str(href) for href in found if href]


def _leads(page: Path, href: str) -> bool:
    target = resolve_link_target(href, file=page.relative_to(ROOT).as_posix())
    if target is None:
        return True
    path, fragment = ROOT / target[0], target[1]
    if not path.exists():
        return False
    return not fragment or path.suffix != ".md" or fragment in _anchors(path.read_text("utf-8"))


def _anchors(text: str) -> set[str]:
    headings = {
        make_heading_anchor(line.lstrip("# ")) for line in text.splitlines() if line.startswith("#")
    }
    rows = {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")}
    return headings | rows
