"""The hostile programs and queries again, with the server run by an ordinary user.

As root the jobs get a user of their own, and file modes hide a mount that should not be there;
the jobs of an ordinary user run as that user, and only the mounts keep them from its files.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

NOBODY = 65534
REPOSITORY = Path(__file__).parents[3]
HOSTILE = [str(Path(__file__).with_name(f"test_hostile_{kind}.py")) for kind in ("python", "sql")]
QUICK = "not ended and not after_all"
"""The rest waits for limits of seconds, which are the same for every user."""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user")


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of that user. Not `tmp_path`, which only root can enter."""
    folder = Path(tempfile.mkdtemp(prefix="yarrow-user-"))
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def closed_ancestor(path: Path) -> Path | None:
    """The topmost folder above `path` that others cannot enter, such as `/root`."""
    closed = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
    return closed[0] if closed else None


def show_closed(paths: Sequence[Path], *, staging: Path) -> str:
    """Shell commands, for a mount namespace of their own, that make `paths` reachable for all."""
    hidden = [(path, closed) for path in paths if (closed := closed_ancestor(path)) is not None]
    lines = ["set -eu", f"mkdir {staging}", f"mount -t tmpfs none {staging}"]
    for number, (path, _) in enumerate(hidden):
        lines += [f"mkdir {staging}/{number}", f"mount --bind {quote(path)} {staging}/{number}"]
    for closed in {closed for _, closed in hidden}:
        lines.append(f"mount -t tmpfs -o mode=755 none {quote(closed)}")
    for number, (path, _) in enumerate(hidden):
        lines += [f"mkdir -p {quote(path)}", f"mount --bind {staging}/{number} {quote(path)}"]
    return "\n".join([*lines, 'exec "$@"'])


def quote(path: Path) -> str:
    return shlex.quote(str(path))


@pytest.mark.timeout(600)
def test_hostile_code_is_refused_when_an_ordinary_user_runs_the_server(home: Path) -> None:
    shown = [Path(sys.base_prefix), Path(sys.prefix), REPOSITORY]
    script = show_closed(shown, staging=home / "staging")
    user = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    environment = ["PATH=/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1", f"HOME={home}"]
    hostile = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:schemathesis",
        f"--basetemp={home / 'tests'}",
        "-k",
        QUICK,
    ]

    done = subprocess.run(
        [
            *("unshare", "--mount", "sh", "-c", script, "sh"),
            *("setpriv", *user, "env", "-i", *environment),
            *(sys.executable, "-m", "pytest", *hostile, *HOSTILE),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )

    if "cannot isolate Python" in done.stdout:
        pytest.skip("this machine does not let an ordinary user isolate Python")
    assert done.returncode == 0, done.stdout + done.stderr
