"""Where the browser of the tests is."""

import os
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """The path of a browser; on CI, as root, one is installed when none is there."""
    found = next((path for name in NAMES if (path := _which(name))), None)
    if found is None and os.environ.get("CI") == "true" and os.geteuid() == 0:  # noqa: TID251
        for command in (
            ("update", "-q"),
            ("install", "-yq", "--no-install-recommends", "chromium"),
        ):
            subprocess.run(("apt-get", *command), check=False, capture_output=True, timeout=600)
        found = _which("chromium")
    return found


def _which(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/bin")
