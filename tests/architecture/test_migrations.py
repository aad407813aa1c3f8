"""Migrations are one line of numbers: two that were written side by side would both be heads."""

import re
from pathlib import Path

from tests.architecture.source import ROOT

VERSIONS = ROOT / "migrations" / "versions"
NAME = re.compile(r"(\d{4})_\w+")
REVISION = re.compile(r'^revision(?:: \S+)? = "([^"]+)"', re.MULTILINE)
DOWN = re.compile(r'^down_revision(?:: [^=]+)? = (?:"([^"]+)"|None)', re.MULTILINE)


def read_revision(path: Path) -> tuple[str, str | None]:
    """The revision of a script, and the one that it follows."""
    text = path.read_text()
    revision, follows = REVISION.search(text), DOWN.search(text)
    assert revision is not None, path.name
    assert follows is not None, path.name
    return revision.group(1), follows.group(1)


def test_migrations_are_numbered_from_one_without_gaps_or_doubles() -> None:
    scripts = sorted(path.stem for path in VERSIONS.glob("*.py"))

    numbers = [match.group(1) for name in scripts if (match := NAME.fullmatch(name))]

    assert numbers == [f"{number:04}" for number in range(1, len(scripts) + 1)]
    assert sorted(path.stem for path in VERSIONS.glob("*.sql")) == scripts


def test_each_migration_follows_the_one_before_it() -> None:
    chain = [read_revision(path) for path in sorted(VERSIONS.glob("*.py"))]

    revisions = [revision for revision, _ in chain]
    assert [follows for _, follows in chain] == [None, *revisions[:-1]]
    assert len(set(revisions)) == len(revisions)
