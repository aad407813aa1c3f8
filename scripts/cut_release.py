"""Name the next version: in `src/yarrow/__init__.py`, and in the changelog with its date.

    python scripts/cut_release.py 0.2.0

What is under Unreleased in `CHANGELOG.md` becomes the section of the version; an empty Unreleased
stays above it. Its entries are in the order of the work; in the section they are grouped by area.
"""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

VERSION_FILE, CHANGELOG = Path("src/yarrow/__init__.py"), Path("CHANGELOG.md")
UNRELEASED = "## [Unreleased]\n"
_ENTRIES = re.compile(r"(?:^- .*\n(?:  .*\n)*)+", re.MULTILINE)
_ENTRY = re.compile(r"^- .*\n(?:  .*\n)*", re.MULTILINE)
_AREA = re.compile(r"- (?P<breaking>\*\*Breaking\*\*, )?\*\*(?P<area>[^*]+)\*\*:")
_NO_AREA = "~"
_VERSION = re.compile(r'^__version__ = "(\d+)\.(\d+)\.(\d+)"$', re.MULTILINE)


def set_version(source: str, version: str) -> str:
    """Replace `__version__`; the new one must be higher."""
    current = _VERSION.search(source)
    if current is None:
        raise ValueError(f"{VERSION_FILE} has no __version__ of three numbers")
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version} is not a version such as 0.2.0")
    if tuple(map(int, version.split("."))) <= tuple(map(int, current.groups())):
        raise ValueError(f"{version} is not higher than {'.'.join(current.groups())}")
    return _VERSION.sub(f'__version__ = "{version}"', source, count=1)


def cut_changelog(text: str, version: str, date: str) -> str:
    """Turn the entries of Unreleased into the section of a version."""
    before, heading, after = text.partition(UNRELEASED)
    entries = re.split(r"^## \[", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not heading or not re.search(r"^- ", entries, re.MULTILINE):
        raise ValueError(f"{CHANGELOG} has no entries under Unreleased")
    grouped = _ENTRIES.sub(lambda match: group_by_area(match.group()), entries)
    return f"{before}{UNRELEASED}\n## [{version}] - {date}\n{grouped}{after[len(entries) :]}"


def group_by_area(entries: str) -> str:
    """Sort the entries of one heading: what breaks first, then by area; those without one last."""
    return "".join(sorted(_ENTRY.findall(entries), key=_rank_entry))


def _rank_entry(entry: str) -> tuple[bool, str]:
    match = _AREA.match(entry)
    return (True, _NO_AREA) if match is None else (match["breaking"] is None, match["area"])


def main(version: str) -> None:
    """Change both files, or none of them."""
    try:
        source = set_version(VERSION_FILE.read_text("utf-8"), version)
        date = datetime.now(UTC).date().isoformat()
        changes = cut_changelog(CHANGELOG.read_text("utf-8"), version, date)
    except ValueError as error:
        sys.exit(str(error))
    VERSION_FILE.write_text(source, "utf-8")
    CHANGELOG.write_text(changes, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
