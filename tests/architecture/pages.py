"""The tables of the docs pages that mirror code, read and written."""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from tests.architecture.source import DOCS

SETTINGS = DOCS / "howto" / "settings.md"
CODES = DOCS / "protocols" / "error-codes.md"
EVENTS = DOCS / "protocols" / "events.md"


class Table(Struct, frozen=True):
    """A Markdown table, known by the word at the top of its first column."""

    page: Path
    key: str

    def rows(self) -> list[list[str]]:
        """Its rows, as cells, without the head."""
        return [_cells(line) for line in self._lines()[2:]]

    def named(self) -> dict[str, list[str]]:
        """Its rows by the code in their first cell."""
        return {row[0].strip("`"): row[1:] for row in self.rows()}

    def write(self, rows: Sequence[Sequence[str]]) -> None:
        """Replace its rows; the head and everything around stay."""
        old = self._lines()
        new = [*old[:2], *(f"| {' | '.join(row)} |" for row in rows)]
        text = self.page.read_text("utf-8")
        self.page.write_text(text.replace("\n".join(old), "\n".join(new)), "utf-8")

    def _lines(self) -> list[str]:
        text = self.page.read_text("utf-8")
        found = re.search(rf"^\| {re.escape(self.key)} \|.*(?:\n\|.*)*", text, re.MULTILINE)
        assert found is not None, f"{self.page.name} has no table that begins with {self.key!r}"
        return found[0].split("\n")


SETTING_TABLE = Table(SETTINGS, "setting")
PROBLEM_TABLE = Table(CODES, "code")
RUN_ERROR_TABLE = Table(CODES, "run error")
RUN_EVENT_TABLE = Table(EVENTS, "run event")
AGUI_TABLE = Table(EVENTS, "AG-UI event")


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", inner)]
