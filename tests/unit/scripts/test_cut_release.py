"""A release names its version once, and the changelog gets a section for it."""

import pytest
from scripts.cut_release import cut_changelog, set_version

SOURCE = '"""Yarrow."""\n\n__version__ = "0.9.0"\n'
CHANGELOG = """# Changelog

## [Unreleased]

### Added

- Charts.

## [0.9.0] - 2026-11-15

- Runs.
"""


def test_the_version_is_replaced() -> None:
    assert set_version(SOURCE, "0.10.0") == SOURCE.replace("0.9.0", "0.10.0")


@pytest.mark.parametrize("version", ["0.9.0", "0.8.9", "1.0", "v1.0.0", "1.0.0rc1"])
def test_a_version_that_is_not_higher_or_no_version_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match=version.replace(".", r"\.")):
        set_version(SOURCE, version)


def test_unreleased_entries_move_under_the_version() -> None:
    changed = cut_changelog(CHANGELOG, "0.10.0", "2026-11-16")

    assert changed == CHANGELOG.replace(
        "## [Unreleased]\n", "## [Unreleased]\n\n## [0.10.0] - 2026-11-16\n"
    )


def test_a_release_without_entries_is_refused() -> None:
    released = cut_changelog(CHANGELOG, "0.10.0", "2026-11-16")

    with pytest.raises(ValueError, match="no entries under Unreleased"):
        cut_changelog(released, "0.11.0", "2026-11-17")


def test_entries_of_a_release_are_grouped_by_area_under_each_heading() -> None:
    added = """- **Stories**: first,
  on two lines.
- Without an area.
- **Analyst**: second.
- **Breaking**, **Stories**: third.
- **Stories**: fourth.
"""
    grouped = """- **Breaking**, **Stories**: third.
- **Analyst**: second.
- **Stories**: first,
  on two lines.
- **Stories**: fourth.
- Without an area.
"""
    unreleased = CHANGELOG.replace("- Charts.\n", f"{added}\n### Fixed\n\n- Charts.\n")

    changed = cut_changelog(unreleased, "0.10.0", "2026-11-16")

    assert f"### Added\n\n{grouped}\n### Fixed\n\n- Charts.\n" in changed
