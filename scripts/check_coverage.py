"""Fail when the branch coverage of a measured package is below the threshold.

`coverage report --fail-under` mixes lines with branches; here branches count alone.
Usage: `python scripts/check_coverage.py coverage.json`.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

THRESHOLD = 95.0
PACKAGES = ("journal", "runs", "points", "sessions")


def branch_coverage(files: Mapping[str, Mapping[str, Mapping[str, int]]]) -> dict[str, float]:
    """Return the percentage of covered branches of each package, from coverage's JSON report."""
    shares = {}
    for package in PACKAGES:
        folder = f"src/yarrow/{package}/"
        summaries = [file["summary"] for path, file in files.items() if path.startswith(folder)]
        branches = sum(summary["num_branches"] for summary in summaries)
        covered = sum(summary["covered_branches"] for summary in summaries)
        shares[package] = 100 * covered / branches if branches else 0.0
    return shares


def main() -> int:
    shares = branch_coverage(json.loads(Path(sys.argv[1]).read_text("utf-8"))["files"])
    for package, share in shares.items():
        sys.stdout.write(f"yarrow.{package}: {share:.1f} % of branches\n")
    low = [package for package, share in shares.items() if share < THRESHOLD]
    if low:
        sys.stderr.write(f"below {THRESHOLD:.0f} %: {', '.join(low)}; test the branches above\n")
    return 1 if low else 0


if __name__ == "__main__":
    raise SystemExit(main())
