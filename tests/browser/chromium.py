"""Where the browser of the tests is."""

from tests.installed import find_program

HEADLESS_SHELL = "chromium-headless-shell"
NAMES = (
    HEADLESS_SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""The headless shell first: it has no windows to draw, and takes half of Chromium's CPU."""


def find_chromium() -> str | None:
    return find_program(*NAMES, package=HEADLESS_SHELL)
