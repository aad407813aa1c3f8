"""Where the browser of the tests is."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HEADLESS_SHELL = "chromium-headless-shell"
NAMES = (
    HEADLESS_SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""The headless shell first: it has no windows to draw, and takes half of Chromium's CPU."""
INSTALL_S = 600


def find_chromium() -> str | None:
    """The path of a browser; on CI, as root, the headless shell is installed if it is missing."""
    on_ci = os.environ.get("CI") == "true" and os.geteuid() == 0  # noqa: TID251
    if on_ci and _which(HEADLESS_SHELL) is None:
        _install_headless_shell()
    return next((path for name in NAMES if (path := _which(name))), None)


def _install_headless_shell() -> None:
    """Install it with apt, once: the other test processes wait, and find it."""
    with (Path(tempfile.gettempdir()) / "yarrow-tests-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _which(HEADLESS_SHELL):
            return
        for command in (
            ("update", "-q"),
            ("install", "-yq", "--no-install-recommends", HEADLESS_SHELL),
        ):
            subprocess.run(
                ("apt-get", *command), check=False, capture_output=True, timeout=INSTALL_S
            )


def _which(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/bin")
