"""Branches are counted for each package, apart from lines."""

from scripts.check_coverage import branch_coverage


def summary(covered: int, branches: int) -> dict[str, dict[str, int]]:
    return {"summary": {"covered_branches": covered, "num_branches": branches}}


def test_branches_of_a_package_are_added_up() -> None:
    files = {
        "src/yarrow/runs/accept.py": summary(3, 4),
        "src/yarrow/runs/settle.py": summary(5, 6),
        "src/yarrow/journal/log.py": summary(1, 4),
        "src/yarrow/points/charges.py": summary(2, 2),
        "src/yarrow/sessions/titles.py": summary(1, 2),
    }

    assert branch_coverage(files) == {
        "journal": 25.0,
        "runs": 80.0,
        "points": 100.0,
        "sessions": 50.0,
    }


def test_a_package_that_was_not_measured_counts_as_uncovered() -> None:
    assert branch_coverage({})["points"] == 0.0
