"""The index of the docs: each page once, under the heading of its folder.

Decisions have an index of their own, which `test_decisions.py` checks.
"""

from pathlib import Path

from tests.architecture.source import DOCS

from yarrow.web.markdown import find_first_heading

INDEX = DOCS / "README.md"
DECISIONS = DOCS / "decisions"

HEADINGS = {
    "quickstart": "## Quickstart",
    "howto": "## How to",
    "explanation": "## Explanation",
    "protocols": "## Protocols",
}


def unlisted() -> list[Path]:
    """Pages the index does not name."""
    text = INDEX.read_text("utf-8")
    return [
        page
        for page in sorted(DOCS.rglob("*.md"))
        if page not in {INDEX, *DECISIONS.glob("0*.md")} and f"]({_file(page)})" not in text
    ]


def add_unlisted() -> None:
    """Name every page, at the end of its section; words after a link are written by hand."""
    for page in unlisted():
        heading = HEADINGS[_file(page).partition("/")[0]]
        before, after = INDEX.read_text("utf-8").split(f"{heading}\n", 1)
        section, mark, rest = after.partition("\n## ")
        lines = section.strip().split("\n") if section.strip() else []
        lists = bool(lines) and lines[-1].startswith("- ")
        lines += [*([] if lists or not lines else [""]), f"- [{_title(page)}]({_file(page)})"]
        listed = "\n".join(lines)
        INDEX.write_text(f"{before}{heading}\n\n{listed}\n{mark}{rest}", "utf-8")


def _file(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def _title(page: Path) -> str:
    return find_first_heading(page.read_text("utf-8"), default=page.stem)
