"""Decisions are numbered without gaps, dated, and listed in their index."""

import re
from pathlib import Path

import pytest
from tests.architecture.docs_index import DECISIONS

PAGES = sorted(DECISIONS.glob("0*.md"))
HEAD = re.compile(
    r"# (?P<title>(?P<number>\d{4})\. .+)\n\n"
    r"Date: (?P<date>\d{4}-\d\d-\d\d)\. "
    r"Status: (?P<status>proposed|accepted|superseded by \d{4})\.\n"
)


def test_every_page_in_the_folder_is_a_numbered_decision() -> None:
    assert [p.name for p in DECISIONS.iterdir() if p not in PAGES] == ["README.md"]


def test_numbers_have_no_gaps_and_no_doubles() -> None:
    assert [page.name[:4] for page in PAGES] == [f"{n:04d}" for n in range(1, len(PAGES) + 1)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_has_its_number_date_and_status(page: Path) -> None:
    head = HEAD.match(page.read_text("utf-8"))

    assert head is not None, "begin with `# 0001. Title`, a blank line, `Date: …. Status: ….`"
    assert head["number"] == page.name[:4]


def test_the_index_lists_every_decision_as_its_page_says() -> None:
    expected = [_index_row(page) for page in PAGES]

    index = (DECISIONS / "README.md").read_text("utf-8").splitlines()
    assert [line for line in index if line.startswith("| [")] == expected


def _index_row(page: Path) -> str:
    head = HEAD.match(page.read_text("utf-8"))
    assert head is not None
    return f"| [{head['title']}]({page.name}) | {head['date']} | {head['status']} |"
