"""The rule for commit subjects, tried on subjects of this and other projects."""

import subprocess
from pathlib import Path

import pytest
from scripts import check_subject


@pytest.mark.parametrize(
    "subject",
    [
        "runs: settle under a shield so cancel cannot drop a ledger entry",
        "sandbox, http: remove duplicated limits",
        "db/embedded: embed the PostgreSQL 18 wheel",
        "tables: pass the encoding to DuckDB",
        "Merge branch 'main' into feature",
        "a: " + "x" * 69,
    ],
)
def test_area_and_imperative_are_accepted(subject: str) -> None:
    assert check_subject.find_fault(subject) is None


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Raise MiddlewareKindMismatch", "expected `area"),
        ("runs:settle", "expected `area"),
        ("runs: ", "expected `area"),
        ("a: " + "x" * 70, "73 characters"),
        ("runs: settle under a shield.", "full stop"),
        ("runs: settled under a shield", "'settled'"),
        ("runs: settles under a shield", "'settles'"),
        ("runs: settling under a shield", "'settling'"),
        ("runs: a database that was away is noticed", "'a'"),
    ],
)
def test_other_subjects_are_refused_with_the_reason(subject: str, fault: str) -> None:
    assert fault in (check_subject.find_fault(subject) or "")


def test_the_hook_reads_the_first_line_that_is_no_comment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = tmp_path / "COMMIT_EDITMSG"
    message.write_text("# written by an editor\n\nruns: added a shield\n\nbody\n", "utf-8")
    monkeypatch.setattr("sys.argv", ["check_subject.py", str(message)])

    assert check_subject.main() == 1


def test_only_commits_that_are_not_upstream_are_looked_at(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    git("init", "--quiet", "--initial-branch=main", str(first))
    commit(first, "an old subject.")
    git("clone", "--quiet", str(first), str(second))
    commit(second, "runs: settle under a shield")
    commit(second, "runs: settled")

    assert check_subject.read_unpublished(second) == [
        "runs: settled",
        "runs: settle under a shield",
    ]
    assert check_subject.read_unpublished(first) == []  # it has no upstream branch


def git(*arguments: str) -> None:
    subprocess.run(("git", *arguments), check=True)


def commit(folder: Path, subject: str) -> None:
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    options = ("--quiet", "--allow-empty", "--no-verify", "--message", subject)
    git("-C", str(folder), *author, "commit", *options)
