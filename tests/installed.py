"""Programs of the system that some tests need: where they are, and their installation on CI."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

INSTALL_S = 600
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/usr/sbin"


def find_program(*names: str, package: str) -> str | None:
    """The path of the first program that exists; on CI, as root, the package is installed first.

    `package` is Debian's, and has a program of the first name.
    """
    on_ci = os.environ.get("CI") == "true" and os.geteuid() == 0  # noqa: TID251
    if on_ci and _which(names[0]) is None:
        _install(names[0], package)
    return next((path for name in names if (path := _which(name))), None)


def _install(name: str, package: str) -> None:
    """Install it with apt, once: the other test processes wait, and find it."""
    with (Path(tempfile.gettempdir()) / "yarrow-tests-apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _which(name):
            return
        for command in (
            ("update", "-q"),
            ("install", "-yq", "--no-install-recommends", package),
        ):
            subprocess.run(
                ("apt-get", *command), check=False, capture_output=True, timeout=INSTALL_S
            )


def _which(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path=SYSTEM_PATH)
